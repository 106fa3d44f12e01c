import BasicContainers
import MIDI

/// A log of Chapter A of the recovery journal, polyphonic pressure (RFC 6295, appendix A.9), two octets, after a
/// ``LogListHeader``. [n] stands for n bits:
///
///     S NOTENUM[7] | X PRESSURE[7]
struct PressureLog: Hashable, Sendable, BitwiseCopyable {
  /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
  var s: Bool
  var key: UInt7
  /// X: Reset All Controllers or a command that ends all notes was sent after the pressure.
  var isBeforeReset: Bool
  var pressure: UInt7

  @_noLocks @_noAllocation
  init(s: Bool, key: UInt7, isBeforeReset: Bool, pressure: UInt7) {
    (self.s, self.key, self.isBeforeReset, self.pressure) = (s, key, isBeforeReset, pressure)
  }

  /// Reads the log at `position` and advances `position` past it; nil if it extends beyond `end`.
  @_noLocks @_noAllocation
  init?(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) {
    guard position <= end - 2 else { return nil }
    s = packet[position].has(0x80)
    key = UInt7(masking: packet[position])
    isBeforeReset = packet[position + 1].has(0x80)
    pressure = UInt7(masking: packet[position + 1])
    position += 2
  }

  /// Returns false, with nothing appended, if `packet` has no room.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) -> Bool {
    guard packet.freeCapacity >= 2 else { return false }
    packet.append(.bit(0x80, if: s) | key.value)
    packet.append(.bit(0x80, if: isBeforeReset) | pressure.value)
    return true
  }
}
