import BasicContainers
import MIDI

/// The header of Chapters C, E and A of the recovery journal (RFC 6295, appendices A.3, A.7 and A.9): one octet.
/// [n] stands for n bits.
///
///     S LEN[7]
///
/// LEN + 1 ``NumberedLog``s follow, the log of the oldest command first.
struct LogList: Hashable, Sendable, BitwiseCopyable {
  /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
  let s: Bool
  /// The place of the logs in the packet.
  let logs: Extent

  /// Reads the header at `position` and advances `position` past it.
  @_noLocks @_noAllocation
  init(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) throws(PacketError) {
    let header = try FlaggedValue(packet, at: &position, end: end)
    s = header.flag
    logs = Extent(start: position, end: position + 2 * (Int(header.value.value) + 1))
    guard logs.end <= end else { throw .malformedJournal }
  }

  /// Writes LEN into the header at `start`, which is followed by the logs up to the end of `packet`.
  @_noLocks @_noAllocation
  static func writeCount(at start: Int, of packet: inout RigidArray<UInt8>) throws(JournalOverflow) {
    let logs = (packet.count - start - 1) / 2
    guard logs <= 128 else { throw .tooLong }
    packet[start] = packet[start] & 0x80 | UInt8(truncatingIfNeeded: logs - 1) & 0x7F
  }
}

/// A log of Chapter C, N, E or A of the recovery journal, two octets (RFC 6295, appendices A.3, A.6, A.7 and A.9). [n]
/// stands for n bits:
///
///     S NUMBER[7] | FLAG VALUE[7]
///
///     chapter   NUMBER       FLAG   VALUE
///     C         controller   0, 1   the value or a count: see ``Tool``
///     N         key          Y      the velocity of the newest Note On, greater than 0
///     E         key          V = 1  the velocity of the newest Note Off; needed if it is not 64
///     E         key          V = 0  the reference count; needed if it differs from the count that Chapter N implies
///     A         key          X      the pressure
///
/// Y: the sender recommends that the receiver plays the note even though it is late. X: Reset All Controllers or a command
/// that ends all notes was sent after the pressure. The reference count is the number of Note Ons without a Note Off, at
/// most 127. Chapter N implies the count 1 after a Note On, and 0 after a Note Off.
struct NumberedLog: Hashable, Sendable, BitwiseCopyable {
  /// The description of a controller by a log of Chapter C, in the second octet.
  ///
  ///     0 VALUE[7]   value tool
  ///     1 0 ALT[6]   toggle tool
  ///     1 1 ALT[6]   count tool
  enum Tool: Hashable, Sendable, BitwiseCopyable {
    /// Value tool: the newest value.
    case value(UInt7)
    /// Toggle tool: the number of changes of a switch between off (below 64) and on, modulo 64. A switch is off at
    /// first.
    case toggle(UInt8)
    /// Count tool: the number of commands, modulo 64.
    case count(UInt8)
  }

  /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
  var s: Bool
  var number: UInt7
  var flag: Bool
  var value: UInt7

  @_noLocks @_noAllocation
  init(s: Bool, number: UInt7, flag: Bool, value: UInt7) {
    (self.s, self.number, self.flag, self.value) = (s, number, flag, value)
  }

  /// Creates a log of Chapter C.
  @_noLocks @_noAllocation
  init(s: Bool, controller: UInt7, tool: Tool) {
    switch tool {
    case .value(let value): self.init(s: s, number: controller, flag: false, value: value)
    case .toggle(let count): self.init(s: s, number: controller, flag: true, value: UInt7(masking: count & 0x3F))
    case .count(let count): self.init(s: s, number: controller, flag: true, value: UInt7(masking: count | 0x40))
    }
  }

  /// Reads the log at `position` and advances `position` past it.
  @_noLocks @_noAllocation
  init(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) throws(PacketError) {
    let first = try FlaggedValue(packet, at: &position, end: end)
    let second = try FlaggedValue(packet, at: &position, end: end)
    self.init(s: first.flag, number: first.value, flag: second.flag, value: second.value)
  }

  /// The description of the controller, in a log of Chapter C.
  var tool: Tool {
    @_noLocks @_noAllocation get {
      guard flag else { return .value(value) }
      return value.value.has(0x40) ? .count(value.value & 0x3F) : .toggle(value.value)
    }
  }

  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) throws(JournalOverflow) {
    try packet.write(FlaggedValue(s, number).octet)
    try packet.write(FlaggedValue(flag, value).octet)
  }
}
