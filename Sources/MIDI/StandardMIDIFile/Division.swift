extension StandardMIDIFile {
  /// The length of a tick, which the last word of the header encodes.
  public enum Division: Hashable, Sendable {
    /// The number of ticks in a quarter note, 1...32767. The tempo events determine the duration of a quarter note.
    case ticksPerQuarter(Int)
    /// The number of ticks in a frame of SMPTE time code, 1...255. Tempo events have no effect.
    case timeCode(FrameRate, ticksPerFrame: Int)

    /// The frames per second of SMPTE time code.
    public enum FrameRate: Int, Hashable, Sendable, CaseIterable {
      case frames24 = 24
      case frames25 = 25
      /// 30 drop frame: 30000/1001 frames per second.
      case frames29 = 29
      case frames30 = 30
    }

    /// Creates the division that `word` encodes. Returns nil if `word` is not a valid division.
    init?(word: UInt16) {
      // In time code, the high byte is the negative frame rate in two's complement.
      let (high, low) = (Int(Int8(truncatingIfNeeded: word >> 8)), Int(word & 0xFF))
      if high < 0 {
        guard let rate = FrameRate(rawValue: -high), low > 0 else { return nil }
        self = .timeCode(rate, ticksPerFrame: low)
      } else {
        guard word > 0 else { return nil }
        self = .ticksPerQuarter(Int(word))
      }
    }

    /// The word that encodes the division in the header; nil if a number is out of range.
    var word: UInt16? {
      switch self {
      case .ticksPerQuarter(let count): (1...32767).contains(count) ? UInt16(count) : nil
      case .timeCode(let rate, let count):
        (1...255).contains(count) ? UInt16(UInt8(bitPattern: Int8(-rate.rawValue))) << 8 | UInt16(count) : nil
      }
    }
  }
}
