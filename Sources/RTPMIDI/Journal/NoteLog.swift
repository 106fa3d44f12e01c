import BasicContainers
import MIDI

/// A log of Chapter N of the recovery journal: a note whose newest command is a Note On, two octets. [n] stands for n
/// bits:
///
///     S NOTENUM[7] | Y VELOCITY[7]
///
/// A valid log has a velocity greater than 0.
struct NoteLog: Hashable, Sendable, BitwiseCopyable {
  /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
  var s: Bool
  var key: UInt7
  /// Y: the sender recommends that the receiver plays the note even though it is late.
  var isPlayRecommended: Bool
  var velocity: UInt7

  @_noLocks @_noAllocation
  init(s: Bool, key: UInt7, isPlayRecommended: Bool, velocity: UInt7) {
    (self.s, self.key, self.isPlayRecommended, self.velocity) = (s, key, isPlayRecommended, velocity)
  }

  /// Reads the log at `position` and advances `position` past it; nil if it extends beyond `end`.
  @_noLocks @_noAllocation
  init?(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) {
    guard position <= end - 2 else { return nil }
    s = packet[position].has(0x80)
    key = UInt7(masking: packet[position])
    isPlayRecommended = packet[position + 1].has(0x80)
    velocity = UInt7(masking: packet[position + 1])
    position += 2
  }

  /// Returns false, with nothing appended, if `packet` has no room.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) -> Bool {
    guard packet.freeCapacity >= 2 else { return false }
    packet.append(.bit(0x80, if: s) | key.value)
    packet.append(.bit(0x80, if: isPlayRecommended) | velocity.value)
    return true
  }
}
