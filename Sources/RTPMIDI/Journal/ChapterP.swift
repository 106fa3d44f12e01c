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

  /// Reads the chapter at `position` and advances `position` past it.
  @_noLocks @_noAllocation
  init(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) throws(PacketError) {
    let first = try FlaggedValue(packet, at: &position, end: end)
    let high = try FlaggedValue(packet, at: &position, end: end)
    let low = try FlaggedValue(packet, at: &position, end: end)
    (s, program) = (first.flag, first.value)
    bank = high.flag ? Bank(high: high.value, low: low.value, isBeforeReset: low.flag) : nil
  }

  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) throws(JournalOverflow) {
    try packet.write(FlaggedValue(s, program).octet)
    guard let bank else { return try packet.write(UInt16(0)) }
    try packet.write(FlaggedValue(true, bank.high).octet)
    try packet.write(FlaggedValue(bank.isBeforeReset, bank.low).octet)
  }
}
