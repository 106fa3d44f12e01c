import MIDI

/// How far MIDI Time Code has been told: eight quarter frames with a nibble each tell one time, 0...7 when the tape runs
/// forwards, 7...0 when it runs backwards (RFC 6295, appendix B.4).
struct TimeCodeState: Hashable, Sendable, BitwiseCopyable {
  /// The nibbles of the newest time told in whole, that of quarter frame 0 uppermost.
  private(set) var complete: UInt32?
  /// Those of the time being told.
  private(set) var partial: UInt32 = 0
  /// How many of its quarter frames have come, 0...7.
  private(set) var count = 0
  private(set) var isBackwards = false

  @_noLocks @_noAllocation
  init() {}

  /// Takes a quarter frame. One out of turn begins anew, if it is one that a time can begin with.
  @_noLocks @_noAllocation
  mutating func apply(_ frame: UInt7) {
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

  /// Whether the quarter frames of the time being told are the first of the time with these nibbles.
  @_noLocks @_noAllocation
  func matches(_ nibbles: UInt32) -> Bool {
    var mask: UInt32 = 0
    for place in 0..<count {
      let piece = isBackwards ? 7 - place : place
      mask |= 0xF << UInt32(truncatingIfNeeded: 28 - 4 * piece)
    }
    return partial == nibbles & mask
  }

  /// The quarter frame at `place`, 0...7 in order of sending, of the time with these nibbles.
  @_noLocks @_noAllocation
  static func frame(_ place: Int, of nibbles: UInt32, isBackwards: Bool) -> UInt7 {
    let piece = isBackwards ? 7 - place : place
    let nibble = UInt8(truncatingIfNeeded: nibbles >> UInt32(truncatingIfNeeded: 28 - 4 * piece)) & 0x0F
    return UInt7(masking: UInt8(truncatingIfNeeded: piece) << 4 | nibble)
  }
}
