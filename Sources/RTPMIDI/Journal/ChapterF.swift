import BasicContainers
import MIDI

/// Chapter F of the recovery journal, MIDI Time Code (RFC 6295, appendix B.4): one, five or nine octets. [n] stands for
/// n bits.
///
///     S C P Q D POINT[3] | COMPLETE[32], if C | PARTIAL[32], if P
struct ChapterF: Hashable, Sendable, BitwiseCopyable {
  /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
  var s: Bool
  /// C: the newest complete time. If ``isQuarterFrames`` is true, the eight nibbles of quarter frames 0...7, with that
  /// of quarter frame 0 in the uppermost four bits. Otherwise, the four octets hr, mn, sc, fr of a Full Frame message.
  var complete: UInt32?
  /// Q: the complete time was sent as quarter frames.
  var isQuarterFrames: Bool
  /// P: the nibbles of an incomplete time, at the same bits as in ``complete``.
  var partial: UInt32?
  /// D: the quarter frames are sent in descending order, because the tape runs backwards.
  var isBackwards: Bool
  /// POINT: the number, 0...7, of the newest quarter frame in ``partial``.
  var point: UInt8

  @_noLocks @_noAllocation
  init(s: Bool, complete: UInt32?, isQuarterFrames: Bool, partial: UInt32?, isBackwards: Bool, point: UInt8) {
    (self.s, self.complete, self.isQuarterFrames) = (s, complete, isQuarterFrames)
    (self.partial, self.isBackwards, self.point) = (partial, isBackwards, point)
  }

  /// Reads the chapter at `position` and advances `position` past it.
  @_noLocks @_noAllocation
  init(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) throws(PacketError) {
    let flags = try packet.readOctet(at: &position, end: end)
    s = flags.has(0x80)
    isQuarterFrames = flags.has(0x10)
    isBackwards = flags.has(0x08)
    point = flags & 0x07
    complete = try flags.has(0x40) ? packet.readUInt32(at: &position, end: end) : nil
    partial = try flags.has(0x20) ? packet.readUInt32(at: &position, end: end) : nil
  }

  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) throws(JournalOverflow) {
    try packet.write(
      .bit(0x80, if: s) | .bit(0x40, if: complete != nil) | .bit(0x20, if: partial != nil)
        | .bit(0x10, if: isQuarterFrames) | .bit(0x08, if: isBackwards) | point & 0x07)
    if let complete { try packet.write(complete) }
    if let partial { try packet.write(partial) }
  }
}

/// The MIDI Time Code of a stream, at its sender or its receiver. Eight quarter frames with a nibble each make a time, in the order 0...7 if the tape
/// runs forwards and 7...0 if it runs backwards (RFC 6295, appendix B.4).
struct TimeCodeState: Hashable, Sendable, BitwiseCopyable {
  /// The nibbles of the newest complete time, with that of quarter frame 0 in the uppermost four bits.
  private(set) var complete: UInt32?
  /// The nibbles of the incomplete time, at the same bits as in ``complete``.
  private(set) var partial: UInt32 = 0
  /// The number of received quarter frames of the incomplete time, 0...7.
  private(set) var count = 0
  private(set) var isBackwards = false
  /// The number of the newest quarter frame, 0...7.
  private(set) var point: UInt8 = 0

  @_noLocks @_noAllocation
  init() {}

  /// Applies a quarter frame. A quarter frame out of order discards the incomplete time, and begins a new one if its
  /// number is 0 or 7. After a complete time, 0 therefore continues forwards, and 7 continues backwards.
  ///
  /// - Returns: whether the quarter frame belongs to a time of which no earlier quarter frame is missing.
  @_noLocks @_noAllocation
  @discardableResult
  mutating func apply(_ frame: UInt7) -> Bool {
    point = frame.value >> 4
    let piece = Int(point)
    let nibble = UInt32(frame.value & 0x0F) << UInt32(truncatingIfNeeded: 28 - 4 * piece)
    if count > 0, piece == (isBackwards ? 7 - count : count) {
      partial |= nibble
      count += 1
    } else if piece == 0 || piece == 7 {
      (partial, count, isBackwards) = (nibble, 1, piece == 7)
    } else {
      (partial, count) = (0, 0)
      return false
    }
    if count == 8 { (complete, partial, count) = (partial, 0, 0) }
    return true
  }

  /// Whether the incomplete time matches the first quarter frames of the time with these nibbles.
  @_noLocks @_noAllocation
  func matches(_ nibbles: UInt32) -> Bool {
    var mask: UInt32 = 0
    for index in 0..<count {
      let piece = isBackwards ? 7 - index : index
      mask |= 0xF << UInt32(truncatingIfNeeded: 28 - 4 * piece)
    }
    return partial == nibbles & mask
  }

  /// The quarter frame at `index`, 0...7 in the order of sending, of the time with these nibbles.
  @_noLocks @_noAllocation
  static func frame(_ index: Int, of nibbles: UInt32, isBackwards: Bool) -> UInt7 {
    let piece = isBackwards ? 7 - index : index
    let nibble = UInt8(truncatingIfNeeded: nibbles >> UInt32(truncatingIfNeeded: 28 - 4 * piece)) & 0x0F
    return UInt7(masking: UInt8(truncatingIfNeeded: piece) << 4 | nibble)
  }
}
