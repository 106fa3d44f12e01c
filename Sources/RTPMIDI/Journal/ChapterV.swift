import BasicContainers
import MIDI

/// Chapter V of the recovery journal, active sensing (RFC 6295, appendix B.2), one octet. [n] stands for n bits:
///
///     S COUNT[7]
struct ChapterV: Hashable, Sendable, BitwiseCopyable {
  /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
  var s: Bool
  /// The number of Active Sensing commands, modulo 128.
  var count: UInt7

  @_noLocks @_noAllocation
  init(s: Bool, count: UInt7) { (self.s, self.count) = (s, count) }

  /// Reads the chapter at `position` and advances `position` past it; nil if it extends beyond `end`.
  @_noLocks @_noAllocation
  init?(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) {
    guard position < end else { return nil }
    s = packet[position].has(0x80)
    count = UInt7(masking: packet[position])
    position += 1
  }

  /// Returns false, with nothing appended, if `packet` has no room.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) -> Bool {
    guard packet.freeCapacity >= 1 else { return false }
    packet.append(.bit(0x80, if: s) | count.value)
    return true
  }
}
