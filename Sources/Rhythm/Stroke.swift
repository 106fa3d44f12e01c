/// A stroke of a ``Line``. A patch writes one character for each stroke.
///
/// The velocities are 32 apart. A synthesizer attenuates velocity v by 40 log10(127 / v) dB (SoundFont 2.04 section
/// 8.4.1). A ghost note is therefore 13 dB below an accent, but an onset detector still finds it.
///
/// The raw values are the codes in a ``StepTable``. The code 0 is a rest.
public enum Stroke: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// `o`, velocity 56: a ghost note, or a weak sixteenth note of a hi-hat.
  case ghost = 1
  /// `x`, velocity 88.
  case normal
  /// `X`, velocity 120: an accent or a backbeat.
  case accent
  /// `f`: a normal stroke with a grace note before it.
  case flam
  /// `F`: an accent with a grace note before it.
  case accentedFlam

  /// Creates the stroke that a patch writes as `character`; nil for any other character.
  ///
  /// Real-time: not safe.
  public init?(_ character: Character) {
    guard let octet = character.asciiValue else { return nil }
    self.init(ascii: octet)
  }

  /// Creates the stroke that a patch writes as the character with an ASCII code; nil for any other character.
  init?(ascii octet: UInt8) {
    switch Unicode.Scalar(octet) {
    case "o": self = .ghost
    case "x": self = .normal
    case "X": self = .accent
    case "f": self = .flam
    case "F": self = .accentedFlam
    default: return nil
    }
  }

  /// Creates the stroke with the given code, its raw value; nil for a rest and for any other code.
  ///
  /// Real-time: safe. (The `init(rawValue:)` that the compiler generates has no real-time annotation.)
  @_noLocks @_noAllocation
  init?(code: UInt8) {
    switch code {
    case 1: self = .ghost
    case 2: self = .normal
    case 3: self = .accent
    case 4: self = .flam
    case 5: self = .accentedFlam
    default: return nil
    }
  }

  /// The character for this stroke in a patch.
  ///
  /// Real-time: not safe.
  public var character: Character {
    switch self {
    case .ghost: "o"
    case .normal: "x"
    case .accent: "X"
    case .flam: "f"
    case .accentedFlam: "F"
    }
  }

  /// MIDI velocity, 1...127.
  ///
  /// Real-time: safe.
  public var velocity: UInt8 {
    @_noLocks @_noAllocation get {
      switch self {
      case .ghost: 56
      case .normal, .flam: 88
      case .accent, .accentedFlam: 120
      }
    }
  }

  /// Whether a grace note precedes the stroke.
  ///
  /// Real-time: safe.
  public var isFlam: Bool {
    @_noLocks @_noAllocation get {
      switch self {
      case .flam, .accentedFlam: true
      case .ghost, .normal, .accent: false
      }
    }
  }
}
