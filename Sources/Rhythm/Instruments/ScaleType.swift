/// The intervals of a scale.
///
/// Real-time: not safe.
public enum ScaleType: String, Hashable, Sendable, CaseIterable {
  case major, minor, dorian, phrygian, lydian, mixolydian, locrian
  case harmonicMinor = "harmonic minor"
  case melodicMinor = "melodic minor"
  case majorPentatonic = "major pentatonic"
  case minorPentatonic = "minor pentatonic"
  case blues
  case wholeTone = "whole tone"
  case chromatic

  /// The notes of the scale in semitones above the tonic, ascending from 0.
  public var intervals: [UInt8] {
    switch self {
    case .major: [0, 2, 4, 5, 7, 9, 11]
    case .minor: [0, 2, 3, 5, 7, 8, 10]
    case .dorian: [0, 2, 3, 5, 7, 9, 10]
    case .phrygian: [0, 1, 3, 5, 7, 8, 10]
    case .lydian: [0, 2, 4, 6, 7, 9, 11]
    case .mixolydian: [0, 2, 4, 5, 7, 9, 10]
    case .locrian: [0, 1, 3, 5, 6, 8, 10]
    case .harmonicMinor: [0, 2, 3, 5, 7, 8, 11]
    case .melodicMinor: [0, 2, 3, 5, 7, 9, 11]
    case .majorPentatonic: [0, 2, 4, 7, 9]
    case .minorPentatonic: [0, 3, 5, 7, 10]
    case .blues: [0, 3, 5, 6, 7, 10]
    case .wholeTone: [0, 2, 4, 6, 8, 10]
    case .chromatic: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    }
  }

  /// Creates the scale type with the raw value `name`, or with one of these alternative names: ionian, natural minor, aeolian,
  /// pentatonic major, pentatonic minor. Case is ignored. Nil for any other name.
  init?(named name: String) {
    switch name.lowercased() {
    case "ionian": self = .major
    case "natural minor", "aeolian": self = .minor
    case "pentatonic major": self = .majorPentatonic
    case "pentatonic minor": self = .minorPentatonic
    case let name:
      guard let type = Self(rawValue: name) else { return nil }
      self = type
    }
  }
}
