import MusicalTime
import RTPMIDI

// Guard packets (RFC 4696, section 4.2). They repeat the recovery journal after the last command, until the receiver
// has acknowledged everything.
extension StreamSender {
  /// Encodes the next guard packet that is due. Returns nil if there is none.
  ///
  /// The streams are examined one after another. Each call continues with the stream after the last examined one, even
  /// if other work was done in between. Therefore the last streams get a guard packet before the first streams get
  /// another one.
  @_noLocks @_noAllocation
  mutating func nextGuard(at now: Instant) -> Transmission? {
    if case .none = guardIndex {
      guard guardsDue <= now else { return nil }
      // The loop below computes `guardsDue` again.
      (guardIndex, guardsDue) = (0, .distantFuture)
    }
    while let index = guardIndex, index < openSlots.count {
      let slot = openSlots[index]
      guardIndex = index + 1
      var transmission: Transmission?
      if streams[slot].guardDue <= now { transmission = encodeGuard(on: slot, at: now) }
      if streams[slot].guardDue < guardsDue { guardsDue = streams[slot].guardDue }
      if let transmission { return transmission }
    }
    guardIndex = nil
    return nil
  }

  /// Encodes a guard packet and schedules the next one. Returns nil if the stream has no recovery journal, or if the
  /// receiver has acknowledged everything.
  @_noLocks @_noAllocation
  private mutating func encodeGuard(on slot: Int, at now: Instant) -> Transmission? {
    streams[slot].guardDue = .distantFuture
    guard senders[slot].sendsJournal, senders[slot].hasUnacknowledged else { return nil }
    streams[slot].guardCount += 1
    // After the last guard packet of the series, none is due.
    if let pause = GuardPackets.pause(after: streams[slot].guardCount) { streams[slot].guardDue = now + pause }
    guard admits(.journal, on: slot, at: now) else { return nil }
    packet.removeAll()
    prepareAnnouncements(on: slot, at: now, stamped: now)
    senders[slot].omitsJournal = false
    guard senders[slot].encodeGuard(at: now, into: &packet) else { return nil }
    charge(on: slot, at: now)
    return transmission(on: slot)
  }

  /// Schedules the first guard packet after a packet with a command, which was encoded at `now`.
  @_noLocks @_noAllocation
  mutating func scheduleGuard(on slot: Int, at now: Instant) {
    streams[slot].guardCount = 0
    streams[slot].guardDue = .distantFuture
    guard senders[slot].sendsJournal, senders[slot].hasUnacknowledged else { return }
    if let pause = GuardPackets.pause(after: 0) { streams[slot].guardDue = now + pause }
    if streams[slot].guardDue < guardsDue { guardsDue = streams[slot].guardDue }
  }
}
