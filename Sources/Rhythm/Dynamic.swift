/// The dynamic of a stroke, named as in music. A patch writes one character for each.
///
/// The velocities are 32 apart. A synthesizer attenuates velocity v by 40 log10(127 / v) dB (SoundFont 2.04 section
/// 8.4.1). A soft stroke is therefore 13 dB below an accent: a ghost note, but still found by an onset detector.
public enum Dynamic: Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// `o`, velocity 56: ghost notes and the weaker sixteenths of a hi-hat.
  case soft
  /// `x`, velocity 88: the normal stroke.
  case normal
  /// `X`, velocity 120: accents and backbeats.
  case accent

  /// Creates the dynamic that a patch writes as `character`; nil for any other character.
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

  /// The character for this dynamic in a patch.
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
