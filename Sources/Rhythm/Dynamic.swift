/// How hard a stroke is, by the names musicians give dynamics. A patch writes one character for each.
///
/// The velocities lie 32 apart. A synthesizer turns velocity into 40 log10(velocity / 127) dB (SoundFont 2.04 section
/// 8.4.1), so a soft stroke is 13 dB under an accent: a ghost note, yet still found by an onset detector.
public enum Dynamic: Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// `o`, velocity 56: ghost notes and the weaker sixteenths of a hi-hat.
  case soft
  /// `x`, velocity 88: the plain stroke.
  case normal
  /// `X`, velocity 120: accents and back beats.
  case accent

  /// The dynamic a patch writes as `character`, or nil.
  ///
  /// Real-time: not safe.
  public init?(_ character: Character) {
    switch character {
    case "o": self = .soft
    case "x": self = .normal
    case "X": self = .accent
    default: return nil
    }
  }

  /// The character a patch writes for it.
  ///
  /// Real-time: not safe.
  public var character: Character {
    switch self {
    case .soft: "o"
    case .normal: "x"
    case .accent: "X"
    }
  }

  /// MIDI velocity, 1...127.
  ///
  /// Real-time: safe.
  public var velocity: UInt8 {
    @_noLocks @_noAllocation get {
      switch self {
      case .soft: 56
      case .normal: 88
      case .accent: 120
      }
    }
  }
}
