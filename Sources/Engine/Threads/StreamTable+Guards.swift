import MusicalTime
import RTPMIDI
import Realtime

// The guard packets of all streams, until each receiver has acknowledged everything.
extension StreamTable {
  /// Sends the guard packets due at `now`: a slice at least, and all while what is due at `next` is not near. The others
  /// go after that, the first of them first.
  @_noLocks @_noAllocation
  mutating func sendGuards(at now: Instant, before next: Instant) {
    guard guardsDue <= now else { return }
    guardsDue = .distantFuture
    var index = guardsRest < streams.count ? guardsRest : 0
    guardsRest = 0
    var count = 0
    var seen = 0
    while seen < streams.count {
      if streams[index].guardDue <= now {
        if count == Self.slice {
          if MonotonicClock.now >= next - Self.nearness {
            (guardsDue, guardsRest) = (next, index)
            return
          }
          count = 0
        }
        count += 1
        sendGuard(index, at: now)
      }
      if streams[index].guardDue < guardsDue { guardsDue = streams[index].guardDue }
      seen += 1
      index = index + 1 < streams.count ? index + 1 : 0
    }
  }

  @_noLocks @_noAllocation
  private mutating func sendGuard(_ index: Int, at now: Instant) {
    streams[index].guardDue = .distantFuture
    let slot = streams[index].sender
    guard senders[slot].sendsJournal, senders[slot].hasUnacknowledged else { return }
    packet.removeAll()
    guard senders[slot].encodeGuard(at: now, into: &packet) else { return }
    deliverGuard(index)
    streams[index].guards += 1
    if let pause = GuardPackets.pause(after: streams[index].guards) { streams[index].guardDue = now + pause }
  }
}
