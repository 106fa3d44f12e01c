import BasicContainers
import MIDI

/// Chapter P of the recovery journal, program change (RFC 6295, appendix A.2), three octets. [n] stands for n bits:
///
///     S PROGRAM[7] | B BANK-MSB[7] | X BANK-LSB[7]
struct ChapterP: Hashable, Sendable, BitwiseCopyable {
  /// The bank from which the program was chosen: the newest values of controllers 0 and 32 before the program change.
  struct Bank: Hashable, Sendable, BitwiseCopyable {
    var high: UInt7
    var low: UInt7
    /// X: Reset All Controllers was sent between the bank selection and the program change.
    var isBeforeReset: Bool

    @_noLocks @_noAllocation
    init(high: UInt7, low: UInt7, isBeforeReset: Bool) {
      (self.high, self.low, self.isBeforeReset) = (high, low, isBeforeReset)
    }
  }

  /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
  var s: Bool
  var program: UInt7
  /// B: the bank; nil if no bank was selected before the program change.
  var bank: Bank?

  @_noLocks @_noAllocation
  init(s: Bool, program: UInt7, bank: Bank?) { (self.s, self.program, self.bank) = (s, program, bank) }

  /// Reads the chapter at `position` and advances `position` past it; nil if it extends beyond `end`.
  @_noLocks @_noAllocation
  init?(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) {
    guard position <= end - 3 else { return nil }
    s = packet[position].has(0x80)
    program = UInt7(masking: packet[position])
    let (high, low) = (packet[position + 1], packet[position + 2])
    bank =
      high.has(0x80) ? Bank(high: UInt7(masking: high), low: UInt7(masking: low), isBeforeReset: low.has(0x80)) : nil
    position += 3
  }

  /// Returns false, with nothing appended, if `packet` has no room.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) -> Bool {
    guard packet.freeCapacity >= 3 else { return false }
    packet.append(.bit(0x80, if: s) | program.value)
    if let bank {
      packet.append(0x80 | bank.high.value)
      packet.append(.bit(0x80, if: bank.isBeforeReset) | bank.low.value)
    } else {
      packet.append(0)
      packet.append(0)
    }
    return true
  }
}
