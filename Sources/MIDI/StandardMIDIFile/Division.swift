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

  /// The content of a Time Signature event (FF 58).
  public struct TimeSignature: Hashable, Sendable, BitwiseCopyable {
    /// Beats per bar, 1...255.
    public let numerator: Int
    /// The note value of a beat: 1, 2, 4 and so on up to 32768.
    public let denominator: Int
    /// MIDI clocks (24 per quarter note) per metronome click, 0...255.
    public let clocksPerClick: Int
    /// Notated thirty-second notes per MIDI quarter note, 0...255. Usually 8.
    public let thirtySecondsPerQuarter: Int

    /// Creates a time signature.
    ///
    /// - Returns: nil if a number is out of range.
    ///
    /// Real-time: not safe.
    public init?(_ numerator: Int, _ denominator: Int, clocksPerClick: Int = 24, thirtySecondsPerQuarter: Int = 8) {
      guard (1...255).contains(numerator), (1...32768).contains(denominator), denominator.nonzeroBitCount == 1,
        (0...255).contains(clocksPerClick), (0...255).contains(thirtySecondsPerQuarter)
      else { return nil }
      (self.numerator, self.denominator) = (numerator, denominator)
      (self.clocksPerClick, self.thirtySecondsPerQuarter) = (clocksPerClick, thirtySecondsPerQuarter)
    }

    /// Decodes the bytes of a Time Signature event. Returns nil if there are fewer than four bytes, or if a number is out of range.
    init?(bytes: [UInt8]) {
      guard bytes.count >= 4 else { return nil }
      // A shift by 64 or more yields 0, which is not a valid denominator.
      self.init(
        Int(bytes[0]), 1 << Int(bytes[1]), clocksPerClick: Int(bytes[2]), thirtySecondsPerQuarter: Int(bytes[3]))
    }

    /// The bytes of the event: the numerator, the base-2 logarithm of the denominator, and the other two numbers.
    var bytes: [UInt8] {
      [numerator, denominator.trailingZeroBitCount, clocksPerClick, thirtySecondsPerQuarter].map { UInt8($0) }
    }
  }
}
