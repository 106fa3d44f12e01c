/// A step of a line of a pitched part. A patch writes one character for each step.
///
/// Real-time: not safe.
public enum PartStep: Hashable, Sendable {
  /// `.`
  case rest
  /// `-`: the note of the previous step continues.
  case hold
  /// `o`, `x` or `X`: a note begins. The stroke is never a flam.
  case stroke(Stroke)

  /// The code of ``hold`` in a ``StepTable``. No stroke has this code.
  static var holdCode: UInt8 { @_noLocks @_noAllocation get { 6 } }

  /// Creates the step that a patch writes as the character with an ASCII code; nil for any other character.
  init?(ascii octet: UInt8) {
    switch Unicode.Scalar(octet) {
    case ".": self = .rest
    case "-": self = .hold
    default:
      guard let stroke = Stroke(ascii: octet), !stroke.isFlam else { return nil }
      self = .stroke(stroke)
    }
  }

  /// The character for this step in a patch.
  public var character: Character {
    switch self {
    case .rest: "."
    case .hold: "-"
    case .stroke(let stroke): stroke.character
    }
  }

  /// The code in a ``StepTable``; 0 for a rest.
  var code: UInt8 {
    switch self {
    case .rest: 0
    case .hold: Self.holdCode
    case .stroke(let stroke): stroke.rawValue
    }
  }
}
