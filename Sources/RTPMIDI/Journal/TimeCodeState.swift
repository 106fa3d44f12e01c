import MIDI

/// The received MIDI Time Code. Eight quarter frames with a nibble each make a time, in the order 0...7 if the tape
/// runs forwards and 7...0 if it runs backwards (RFC 6295, appendix B.4).
struct TimeCodeState: Hashable, Sendable, BitwiseCopyable {
  /// The nibbles of the newest complete time, with that of quarter frame 0 in the uppermost four bits.
  private(set) var complete: UInt32?
  /// The nibbles of the incomplete time, at the same bits as in ``complete``.
  private(set) var partial: UInt32 = 0
  /// The number of received quarter frames of the incomplete time, 0...7.
  private(set) var count = 0
  private(set) var isBackwards = false

  @_noLocks @_noAllocation
  init() {}

  /// Applies a quarter frame. A quarter frame out of order discards the incomplete time, and begins a new one if its
  /// number is 0 or 7.
  @_noLocks @_noAllocation
  mutating func apply(_ frame: UInt7) {
    // The number of the quarter frame, 0...7.
    let piece = Int(frame.value >> 4)
    let nibble = UInt32(frame.value & 0x0F) << UInt32(truncatingIfNeeded: 28 - 4 * piece)
    if count > 0, piece == (isBackwards ? 7 - count : count) {
      partial |= nibble
      count += 1
    } else if piece == 0 || piece == 7 {
      (partial, count, isBackwards) = (nibble, 1, piece == 7)
    } else {
      (partial, count) = (0, 0)
    }
    if count == 8 { (complete, partial, count) = (partial, 0, 0) }
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
