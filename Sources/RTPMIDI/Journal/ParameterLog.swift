import BasicContainers
import MIDI

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
  /// A field of one octet: ENTRY-MSB, ENTRY-LSB or COUNT.
  struct Field: Hashable, Sendable, BitwiseCopyable {
    var value: UInt7
    /// X: Reset All Controllers was sent after the newest command that the field codes.
    var isBeforeReset: Bool

    @_noLocks @_noAllocation
    init(_ value: UInt7, isBeforeReset: Bool) { (self.value, self.isBeforeReset) = (value, isBeforeReset) }
  }

  /// A field of two octets: A-BUTTON or C-BUTTON.
  struct Button: Hashable, Sendable, BitwiseCopyable {
    /// Increments minus decrements, -16383...16383.
    var steps: Int
    /// X, in the field A-BUTTON: Reset All Controllers was sent after the newest command that the field codes.
    var isBeforeReset: Bool

    @_noLocks @_noAllocation
    init(_ steps: Int, isBeforeReset: Bool) { (self.steps, self.isBeforeReset) = (steps, isBeforeReset) }
  }

  /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
  var s: Bool
  /// Q: the parameter is non-registered.
  var isNonRegistered: Bool
  /// PNUM: the number of the parameter.
  var number: UInt14
  /// J: ENTRY-MSB.
  var entryHigh: Field?
  /// K: ENTRY-LSB.
  var entryLow: Field?
  /// L: A-BUTTON.
  var buttons: Button?
  /// M: C-BUTTON.
  var buttonsSinceReset: Button?
  /// N: COUNT.
  var count: Field?
  /// T: the log uses the count tool, which is the field COUNT.
  var usesCountTool: Bool
  /// V: the log uses the value tool, which is the fields with the flags J, K, L and M.
  var usesValueTool: Bool

  @_noLocks @_noAllocation
  init(
    s: Bool, isNonRegistered: Bool, number: UInt14, entryHigh: Field?, entryLow: Field?, buttons: Button?,
    buttonsSinceReset: Button?, count: Field?, usesCountTool: Bool, usesValueTool: Bool
  ) {
    (self.s, self.isNonRegistered, self.number) = (s, isNonRegistered, number)
    (self.entryHigh, self.entryLow) = (entryHigh, entryLow)
    (self.buttons, self.buttonsSinceReset) = (buttons, buttonsSinceReset)
    (self.count, self.usesCountTool, self.usesValueTool) = (count, usesCountTool, usesValueTool)
  }

  /// Reads the log at `position` and advances `position` past it; nil if it extends beyond `end`.
  @_noLocks @_noAllocation
  init?(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int, in chapter: ChapterM) {
    let header = chapter.logsAreShort ? 2 : 3
    guard position <= end - header else { return nil }
    let flags = packet[position + header - 1]
    // The octet with Q and PNUM-MSB. If it is omitted, PNUM-MSB is 0 and the flags of the chapter determine Q.
    let high = chapter.logsAreShort ? .bit(0x80, if: chapter.allNonRegistered) : packet[position + 1]
    var next = position + header
    guard next + Self.fieldOctets(flags) <= end else { return nil }
    s = packet[position].has(0x80)
    isNonRegistered = high.has(0x80)
    number = UInt14(low: UInt7(masking: packet[position]), high: UInt7(masking: high))
    entryHigh = flags.has(0x80) ? Self.field(packet, at: &next) : nil
    entryLow = flags.has(0x40) ? Self.field(packet, at: &next) : nil
    buttons = flags.has(0x20) ? Self.button(packet, at: &next) : nil
    buttonsSinceReset = flags.has(0x10) ? Self.button(packet, at: &next) : nil
    count = flags.has(0x08) ? Self.field(packet, at: &next) : nil
    usesCountTool = flags.has(0x04)
    usesValueTool = flags.has(0x02)
    position = next
  }

  /// Returns the number of octets of the fields whose flags are set: two for A-BUTTON and C-BUTTON, one for the others.
  @_noLocks @_noAllocation
  private static func fieldOctets(_ flags: UInt8) -> Int {
    Int(flags >> 7 & 1) + Int(flags >> 6 & 1) + 2 * Int(flags >> 5 & 1) + 2 * Int(flags >> 4 & 1)
      + Int(flags >> 3 & 1)
  }

  @_noLocks @_noAllocation
  private static func field(_ packet: borrowing Span<UInt8>, at next: inout Int) -> Field {
    let octet = packet[next]
    next += 1
    return Field(UInt7(masking: octet), isBeforeReset: octet.has(0x80))
  }

  @_noLocks @_noAllocation
  private static func button(_ packet: borrowing Span<UInt8>, at next: inout Int) -> Button {
    let word = packet.uint16(at: next)
    next += 2
    let steps = Int(word & 0x3FFF)
    return Button(word & 0x8000 != 0 ? 0 - steps : steps, isBeforeReset: word & 0x4000 != 0)
  }

  /// Returns false, with nothing appended, if `packet` has no room.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>, in chapter: ChapterM) -> Bool {
    let flags: UInt8 =
      .bit(0x80, if: entryHigh != nil) | .bit(0x40, if: entryLow != nil) | .bit(0x20, if: buttons != nil)
      | .bit(0x10, if: buttonsSinceReset != nil) | .bit(0x08, if: count != nil) | .bit(0x04, if: usesCountTool)
      | .bit(0x02, if: usesValueTool)
    let header = chapter.logsAreShort ? 2 : 3
    guard packet.freeCapacity >= header + Self.fieldOctets(flags) else { return false }
    packet.append(.bit(0x80, if: s) | number.low.value)
    if !chapter.logsAreShort { packet.append(.bit(0x80, if: isNonRegistered) | number.high.value) }
    packet.append(flags)
    if let entryHigh { Self.append(entryHigh, to: &packet) }
    if let entryLow { Self.append(entryLow, to: &packet) }
    if let buttons { Self.append(buttons, to: &packet) }
    if let buttonsSinceReset { Self.append(buttonsSinceReset, to: &packet) }
    if let count { Self.append(count, to: &packet) }
    return true
  }

  @_noLocks @_noAllocation
  private static func append(_ field: Field, to packet: inout RigidArray<UInt8>) {
    packet.append(.bit(0x80, if: field.isBeforeReset) | field.value.value)
  }

  @_noLocks @_noAllocation
  private static func append(_ button: Button, to packet: inout RigidArray<UInt8>) {
    let steps = UInt14(clamping: button.steps < 0 ? 0 - button.steps : button.steps)
    packet.append(
      bigEndian: (button.steps < 0 ? 0x8000 : 0) | (button.isBeforeReset ? 0x4000 : 0) | steps.value)
  }
}
