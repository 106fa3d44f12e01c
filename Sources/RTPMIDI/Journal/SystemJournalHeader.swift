import BasicContainers

/// The header of the system journal, the part of the recovery journal for system commands (RFC 6295 section 5, figure
/// 10): two octets. [n] stands for n bits.
///
///     S D V Q F X LENGTH[10]
///
/// D, V, Q, F and X are the flags of chapters. The chapters with set flags follow in this order.
struct SystemJournalHeader: Hashable, Sendable, BitwiseCopyable {
  /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
  var s: Bool
  /// D: Reset, Tune Request, Song Select and undefined commands.
  var hasD: Bool
  /// V: Active Sensing.
  var hasV: Bool
  /// Q: the sequencer state.
  var hasQ: Bool
  /// F: MIDI Time Code.
  var hasF: Bool
  /// X: System Exclusive.
  var hasX: Bool
  /// The size of the whole system journal in octets, including this header: 2...1023.
  var length: Int

  /// The size of the header in octets.
  static var size: Int { @_noLocks @_noAllocation get { 2 } }
  /// The largest ``length``: the field has ten bits.
  static var maximumLength: Int { @_noLocks @_noAllocation get { 1023 } }

  @_noLocks @_noAllocation
  init(s: Bool, hasD: Bool, hasV: Bool, hasQ: Bool, hasF: Bool, hasX: Bool, length: Int) {
    (self.s, self.hasD, self.hasV, self.hasQ) = (s, hasD, hasV, hasQ)
    (self.hasF, self.hasX, self.length) = (hasF, hasX, length)
  }

  /// Reads the header at `position` and advances `position` past it; nil if the journal extends beyond `end` or its
  /// length is less than that of its header.
  @_noLocks @_noAllocation
  init?(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) {
    guard position <= end - Self.size else { return nil }
    let flags = packet[position]
    s = flags.has(0x80)
    hasD = flags.has(0x40)
    hasV = flags.has(0x20)
    hasQ = flags.has(0x10)
    hasF = flags.has(0x08)
    hasX = flags.has(0x04)
    length = Int(packet.uint16(at: position) & 0x03FF)
    guard length >= Self.size, position + length <= end else { return nil }
    position += Self.size
  }

  /// The header as the 16-bit word that is sent.
  var word: UInt16 {
    @_noLocks @_noAllocation get {
      let flags: UInt8 =
        .bit(0x80, if: s) | .bit(0x40, if: hasD) | .bit(0x20, if: hasV) | .bit(0x10, if: hasQ) | .bit(0x08, if: hasF)
        | .bit(0x04, if: hasX)
      return UInt16(flags) << 8 | UInt16(truncatingIfNeeded: length) & 0x03FF
    }
  }

  /// Returns false, with nothing appended, if `packet` has no room.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) -> Bool {
    guard packet.freeCapacity >= Self.size else { return false }
    packet.append(bigEndian: word)
    return true
  }
}
