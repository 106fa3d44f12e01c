import BasicContainers
import MIDI

/// The header of Chapter M of the recovery journal, registered and non-registered parameters (RFC 6295, appendix A.4):
/// two or three octets. [n] stands for n bits.
///
///     S P E U W Z LENGTH[10] | Q PENDING[7], if P
///
/// LENGTH is the size of the whole chapter in octets, including this header: 2...1023.
///
/// ``ParameterLog``s follow until the end of the chapter, the oldest transaction first. A transaction consists of the
/// selection of a parameter and the commands that then change it.
struct ChapterM: Hashable, Sendable, BitwiseCopyable {
  /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
  var s: Bool
  /// P: the upper half of a parameter number whose lower half has not been sent yet; nil if the newest number is
  /// complete. The flag is Q: the parameter is non-registered (controller 99); otherwise it is registered (controller
  /// 101).
  var pending: FlaggedValue?
  /// E: the parameter of the last log is still selected.
  var isInProgress: Bool
  /// U: all logs are for registered parameters.
  var allRegistered: Bool
  /// W: all logs are for non-registered parameters.
  var allNonRegistered: Bool
  /// Z: all logs are for parameters 0...127.
  var allBelow128: Bool
  /// The offset directly after the chapter in a received packet; 0 in a chapter that is being encoded.
  var end = 0

  @_noLocks @_noAllocation
  init(
    s: Bool, pending: FlaggedValue?, isInProgress: Bool, allRegistered: Bool, allNonRegistered: Bool, allBelow128: Bool
  ) {
    (self.s, self.pending, self.isInProgress) = (s, pending, isInProgress)
    (self.allRegistered, self.allNonRegistered, self.allBelow128) = (allRegistered, allNonRegistered, allBelow128)
  }

  /// Whether the logs omit the octet with Q and PNUM-MSB, because the flags U, W and Z determine its content.
  var logsAreShort: Bool {
    @_noLocks @_noAllocation get {
      if allRegistered { return allBelow128 }
      return allNonRegistered ? allBelow128 : false
    }
  }

  /// Reads the header at `position` and advances `position` past it.
  ///
  /// - Throws: ``PacketError/malformedJournal`` if the chapter extends beyond `end` or its length is less than that of its
  ///   header.
  @_noLocks @_noAllocation
  init(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) throws(PacketError) {
    let start = position
    let word = try packet.readUInt16(at: &position, end: end)
    let flags = UInt8(truncatingIfNeeded: word >> 8)
    s = flags.has(0x80)
    isInProgress = flags.has(0x20)
    allRegistered = flags.has(0x10)
    allNonRegistered = flags.has(0x08)
    allBelow128 = flags.has(0x04)
    pending = try flags.has(0x40) ? FlaggedValue(packet, at: &position, end: end) : nil
    self.end = start + Int(word & 0x03FF)
    guard self.end >= position, self.end <= end else { throw .malformedJournal }
  }

  /// Appends the header with a LENGTH that is still 0.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) throws(JournalOverflow) {
    let flags: UInt8 =
      .bit(0x80, if: s) | .bit(0x40, ifPresent: pending) | .bit(0x20, if: isInProgress)
      | .bit(0x10, if: allRegistered) | .bit(0x08, if: allNonRegistered) | .bit(0x04, if: allBelow128)
    try packet.write(UInt16(flags) << 8)
    if let pending { try pending.append(to: &packet) }
  }
}

/// A log of Chapter M of the recovery journal: one registered or non-registered parameter (RFC 6295, appendix A.4.2).
/// [n] stands for n bits:
///
///     S PNUM-LSB[7] | Q PNUM-MSB[7] | J K L M N T V R | fields
///
/// The second octet is omitted if ``ChapterM/logsAreShort`` is true. Each of these fields is present if its flag is
/// set, in this order:
///
///     flag  field                content
///     J     X ENTRY-MSB[7]       the value of the newest controller 6
///     K     X ENTRY-LSB[7]       the value of the newest controller 38
///     L     G X A-BUTTON[14]     the number of controllers 96 minus controllers 97 since the newest controller 6 or 38
///     M     G R C-BUTTON[14]     the same number since the newest Reset All Controllers
///     N     X COUNT[7]           the number of transactions for the parameter, modulo 128
///
/// A transaction consists of the selection of a parameter and the commands that then change it. G is 1 if the number is
/// negative. X is 1 if Reset All Controllers was sent after the newest command that the field codes. R is reserved.
struct ParameterLog: Hashable, Sendable, BitwiseCopyable {
  /// A field of two octets: A-BUTTON or C-BUTTON.
  struct Button: Hashable, Sendable, BitwiseCopyable {
    /// Increments minus decrements, -16383...16383.
    var steps: Int
    /// X, in the field A-BUTTON: Reset All Controllers was sent after the newest command that the field codes.
    var isBeforeReset: Bool

    @_noLocks @_noAllocation
    init(_ steps: Int, isBeforeReset: Bool) { (self.steps, self.isBeforeReset) = (steps, isBeforeReset) }

    @_noLocks @_noAllocation
    init(word: UInt16) {
      let steps = Int(word & 0x3FFF)
      (self.steps, isBeforeReset) = (word & 0x8000 != 0 ? 0 - steps : steps, word & 0x4000 != 0)
    }

    var word: UInt16 {
      @_noLocks @_noAllocation get {
        let size = UInt14(clamping: steps < 0 ? 0 - steps : steps)
        return (steps < 0 ? 0x8000 : 0) | (isBeforeReset ? 0x4000 : 0) | size.value
      }
    }
  }

  /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
  var s: Bool
  /// Q: the parameter is non-registered.
  var isNonRegistered: Bool
  /// PNUM: the number of the parameter.
  var number: UInt14
  // The flag of each field of one octet is X: Reset All Controllers was sent after the newest command that the field
  // codes.
  /// J: ENTRY-MSB.
  var entryHigh: FlaggedValue?
  /// K: ENTRY-LSB.
  var entryLow: FlaggedValue?
  /// L: A-BUTTON.
  var buttons: Button?
  /// M: C-BUTTON.
  var buttonsSinceReset: Button?
  /// N: COUNT.
  var count: FlaggedValue?
  /// T: the log uses the count tool, which is the field COUNT.
  var usesCountTool: Bool
  /// V: the log uses the value tool, which is the fields with the flags J, K, L and M.
  var usesValueTool: Bool

  @_noLocks @_noAllocation
  init(
    s: Bool, isNonRegistered: Bool, number: UInt14, entryHigh: FlaggedValue?, entryLow: FlaggedValue?, buttons: Button?,
    buttonsSinceReset: Button?, count: FlaggedValue?, usesCountTool: Bool, usesValueTool: Bool
  ) {
    (self.s, self.isNonRegistered, self.number) = (s, isNonRegistered, number)
    (self.entryHigh, self.entryLow) = (entryHigh, entryLow)
    (self.buttons, self.buttonsSinceReset) = (buttons, buttonsSinceReset)
    (self.count, self.usesCountTool, self.usesValueTool) = (count, usesCountTool, usesValueTool)
  }

  /// Reads the log at `position` and advances `position` past it.
  @_noLocks @_noAllocation
  init(_ packet: borrowing Span<UInt8>, at position: inout Int, in chapter: ChapterM) throws(PacketError) {
    let end = chapter.end
    let low = try FlaggedValue(packet, at: &position, end: end)
    // If the octet with Q and PNUM-MSB is omitted, PNUM-MSB is 0 and the flags of the chapter determine Q.
    let high =
      try chapter.logsAreShort
      ? FlaggedValue(chapter.allNonRegistered, 0) : FlaggedValue(packet, at: &position, end: end)
    (s, isNonRegistered, number) = (low.flag, high.flag, UInt14(low: low.value, high: high.value))
    let flags = try packet.readOctet(at: &position, end: end)
    entryHigh = try flags.has(0x80) ? FlaggedValue(packet, at: &position, end: end) : nil
    entryLow = try flags.has(0x40) ? FlaggedValue(packet, at: &position, end: end) : nil
    buttons = try flags.has(0x20) ? Button(word: packet.readUInt16(at: &position, end: end)) : nil
    buttonsSinceReset = try flags.has(0x10) ? Button(word: packet.readUInt16(at: &position, end: end)) : nil
    count = try flags.has(0x08) ? FlaggedValue(packet, at: &position, end: end) : nil
    usesCountTool = flags.has(0x04)
    usesValueTool = flags.has(0x02)
  }

  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>, in chapter: ChapterM) throws(JournalOverflow) {
    try packet.write(FlaggedValue(s, number.low).octet)
    if !chapter.logsAreShort { try packet.write(FlaggedValue(isNonRegistered, number.high).octet) }
    try packet.write(
      .bit(0x80, ifPresent: entryHigh) | .bit(0x40, ifPresent: entryLow) | .bit(0x20, if: buttons != nil)
        | .bit(0x10, if: buttonsSinceReset != nil) | .bit(0x08, ifPresent: count) | .bit(0x04, if: usesCountTool)
        | .bit(0x02, if: usesValueTool))
    if let entryHigh { try entryHigh.append(to: &packet) }
    if let entryLow { try entryLow.append(to: &packet) }
    if let buttons { try packet.write(buttons.word) }
    if let buttonsSinceReset { try packet.write(buttonsSinceReset.word) }
    if let count { try count.append(to: &packet) }
  }
}
