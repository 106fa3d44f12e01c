import MusicalTime
import RTPMIDI
import Realtime

// Guard packets (RFC 6295 section 4; RFC 4696 section 4.2). What was lost is repaired by the next packet's journal. When
// none follows, because the player rests, one without commands does: 50 ms after the last, then 100, 200, 400 and 800
// ms after one another, then every second, until the receiver has acknowledged everything or sixteen have gone.
extension StreamTable {
  static var mostGuards: Int { @_noLocks @_noAllocation get { 16 } }

  /// How long after `guards` guard packets in a row the next is due.
  @_noLocks @_noAllocation
  static func guardPause(after guards: Int) -> Nanoseconds {
    guards < 5 ? .milliseconds(50 << Int64(guards)) : .seconds(1)
  }

  /// Sends the guard packets due at `now`: a slice at least, and all while what is due at `next` is not near. The others
  /// go after that.
  @_noLocks @_noAllocation
  mutating func sendGuards(at now: Instant, before next: Instant) {
    guard guardsDue <= now else { return }
    guardsDue = .distantFuture
    var index = 0
    var count = 0
    while index < streams.count {
      if streams[index].guardDue <= now {
        if count == Self.slice {
          if MonotonicClock.now >= next - Self.nearness {
            guardsDue = next
            return
          }
          count = 0
        }
        count += 1
        sendGuard(index, at: now)
      }
      if streams[index].guardDue < guardsDue { guardsDue = streams[index].guardDue }
      index += 1
    }
  }

  @_noLocks @_noAllocation
  private mutating func sendGuard(_ index: Int, at now: Instant) {
    streams[index].guardDue = .distantFuture
    let slot = streams[index].sender
    guard streams[index].guards < Self.mostGuards, senders[slot].sendsJournal, senders[slot].hasUnacknowledged else {
      return
    }
    packet.removeAll()
    guard senders[slot].encodeGuard(at: now, into: &packet) else { return }
    deliverGuard(index)
    streams[index].guards += 1
    streams[index].guardDue = now + Self.guardPause(after: streams[index].guards)
  }
}
