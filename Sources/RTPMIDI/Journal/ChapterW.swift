import BasicContainers
import MIDI

/// Chapter W of the recovery journal, pitch wheel (RFC 6295, appendix A.5), two octets. [n] stands for n bits:
///
///     S FIRST[7] | R SECOND[7]
struct ChapterW: Hashable, Sendable, BitwiseCopyable {
  /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
  var s: Bool
  /// The pitch wheel: FIRST is the low half, SECOND the high half. R is reserved.
  var bend: UInt14

  @_noLocks @_noAllocation
  init(s: Bool, bend: UInt14) { (self.s, self.bend) = (s, bend) }

  /// Reads the chapter at `position` and advances `position` past it; nil if it extends beyond `end`.
  @_noLocks @_noAllocation
  init?(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) {
    guard position <= end - 2 else { return nil }
    s = packet[position].has(0x80)
    bend = UInt14(low: UInt7(masking: packet[position]), high: UInt7(masking: packet[position + 1]))
    position += 2
  }

  /// Returns false, with nothing appended, if `packet` has no room.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) -> Bool {
    guard packet.freeCapacity >= 2 else { return false }
    packet.append(.bit(0x80, if: s) | bend.low.value)
    packet.append(bend.high.value)
    return true
  }
}
