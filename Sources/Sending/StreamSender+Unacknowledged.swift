import MusicalTime
import RTPMIDI

// The limit of what receivers get that acknowledge nothing (``UnacknowledgedBudget``).
//
// Many standard devices never acknowledge. Sixteen of them with a clock of 999 BPM get all ticks, but not always a journal. A receiver
// that lacks a tick, Start or Continue leaves the rhythm, and begins again at a later bar, with Song Position and Continue.
extension StreamSender {
  /// How long an acknowledgement counts. Known receivers acknowledge every one to three seconds while they receive.
  private static var acknowledgedTime: Nanoseconds { @_noLocks @_noAllocation get { .seconds(10) } }
  /// How long after its first packet a stream is new.
  private static var newTime: Nanoseconds { @_noLocks @_noAllocation get { .seconds(5) } }

  /// Records that the receiver of the stream in a slot has received all packets up to `sequence`.
  @_noLocks @_noAllocation
  mutating func acknowledge(_ sequence: UInt16, on slot: Int) {
    let next = senders[slot].sequence
    // A number that was not sent yet, or that does not increase, is no acknowledgement.
    if next.isAfter(sequence), !streams[slot].hasAcknowledged || sequence.isAfter(streams[slot].acknowledged) {
      (streams[slot].hasAcknowledged, streams[slot].acknowledged) = (true, sequence)
      streams[slot].isAcknowledgementNew = true
    }
    senders[slot].acknowledge(sequence)
  }

  /// Returns whether something of this priority may be sent on the stream in a slot. Counts what is withheld.
  @_noLocks @_noAllocation
  mutating func admits(_ priority: UnacknowledgedBudget.Priority, on slot: Int, at now: Instant) -> Bool {
    if isAcknowledging(slot, at: now) { return true }
    if budget.admits(priority, isNew: isNew(slot, at: now), at: now) { return true }
    if case .journal = priority { withheldJournals += 1 } else { withheld += 1 }
    return false
  }

  /// Takes the octets of ``packet`` from the budget, unless the receiver acknowledges.
  @_noLocks @_noAllocation
  mutating func charge(on slot: Int, at now: Instant) {
    guard !isAcknowledging(slot, at: now) else { return }
    budget.charge(packet.count, isNew: isNew(slot, at: now))
  }

  /// Whether the receiver has acknowledged within ``acknowledgedTime``. The time counts from the first packet after the acknowledgement.
  @_noLocks @_noAllocation
  private mutating func isAcknowledging(_ slot: Int, at now: Instant) -> Bool {
    if streams[slot].isAcknowledgementNew {
      streams[slot].isAcknowledgementNew = false
      streams[slot].trustedUntil = now + Self.acknowledgedTime
    }
    return now < streams[slot].trustedUntil
  }

  @_noLocks @_noAllocation
  private mutating func isNew(_ slot: Int, at now: Instant) -> Bool {
    if streams[slot].newUntil == .distantFuture { streams[slot].newUntil = now + Self.newTime }
    return now < streams[slot].newUntil
  }
}
