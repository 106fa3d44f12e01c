public import MusicalTime

/// A part of a style that plays notes of the chords: the bass, the guitar or the keys.
///
/// Real-time: not safe.
public struct PitchedPart: Hashable, Sendable {
  /// The bass, the guitar or the keys.
  public let part: Part
  /// The General MIDI program, 0...127.
  public let program: UInt8
  /// The lowest and the highest key, within 0...127: at least an octave, so that it contains every note of a chord.
  public let range: ClosedRange<UInt8>
  /// The loudness in percent of the notated velocity, 10...150.
  public let level: Int
  /// How much later than the grid the part sounds, -``Voice/maximumFeel``...``Voice/maximumFeel``. A negative value is earlier.
  public let feel: Nanoseconds
  /// The layers, in the order of the file.
  public let layers: [Layer]
  /// The lines of all layers, in the order of the file: 1...``maximumLines``.
  public let lines: [PartLine]

  /// The largest number of lines of a part.
  public static let maximumLines = 16

  /// The short name of the sound.
  public var sound: String { ProgramNames.name(of: program) }
  /// The names of the lowest and the highest key, such as `E1..C3`. C4 is key 60.
  public var rangeName: String { "\(NoteName.name(of: range.lowerBound))..\(NoteName.name(of: range.upperBound))" }

  /// The default program, counted from 0, and the default range of a part. The drums are not a pitched part, so their values have no
  /// effect.
  static func standard(_ part: Part) -> (program: UInt8, range: ClosedRange<UInt8>) {
    switch part {
    // The programs are electric bass (finger), electric guitar (clean) and electric piano 1.
    case .drums, .bass: (33, 28...48)
    case .guitar: (27, 52...72)
    case .keys: (4, 53...76)
    }
  }
}
