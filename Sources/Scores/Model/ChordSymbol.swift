/// A chord symbol above the staff, such as `C7/E`.
public struct ChordSymbol: Hashable, Sendable {
  /// A pitch class: a letter 0...6 for C...B, and semitones of alteration -3...3.
  public struct Root: Hashable, Sendable, BitwiseCopyable {
    public var step: Int8
    public var alteration: Int8

    public init?(step: Int, alteration: Int) {
      guard (0...6).contains(step), (-3...3).contains(alteration) else { return nil }
      (self.step, self.alteration) = (Int8(step), Int8(alteration))
    }

    /// The semitones above C, 0...11.
    public var pitchClass: Int { ((Pitch.semitones[Int(step)] + Int(alteration)) % 12 + 12) % 12 }
    /// `C`, `F#`, `Bb`.
    public var name: String {
      String(Array("CDEFGAB")[Int(step)]) + String(repeating: alteration < 0 ? "b" : "#", count: Int(abs(alteration)))
    }
  }

  /// A note that the symbol adds to, alters in or removes from its kind.
  public struct Degree: Hashable, Sendable, BitwiseCopyable {
    public enum Effect: UInt8, Hashable, Sendable, CaseIterable, BitwiseCopyable { case add, alter, subtract }
    /// The degree from the root, 1...13.
    public var number: UInt8
    /// Semitones, -3...3.
    public var alteration: Int8
    public var effect: Effect

    public init(number: UInt8, alteration: Int8, effect: Effect) {
      (self.number, self.alteration, self.effect) = (number, alteration, effect)
    }
  }

  /// The kind of the chord. The raw value is its place in ``Kind/tones``.
  public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    case major, minor, augmented, diminished, dominant, majorSeventh, minorSeventh, diminishedSeventh, augmentedSeventh,
      halfDiminished, majorMinor, majorSixth, minorSixth, dominantNinth, majorNinth, minorNinth, dominantEleventh,
      majorEleventh, minorEleventh, dominantThirteenth, majorThirteenth, minorThirteenth, suspendedSecond,
      suspendedFourth, neapolitan, italian, french, german, pedal, power, tristan, other, none

    /// The name in MusicXML.
    public var name: String {
      switch self {
      case .neapolitan: "Neapolitan"
      case .italian: "Italian"
      case .french: "French"
      case .german: "German"
      case .tristan: "Tristan"
      default:
        // `majorSeventh` becomes `major-seventh`.
        "\(self)".reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
      }
    }

    /// What follows the letter in print: `m7` for a minor seventh.
    public var suffix: String {
      let texts = [
        "", "m", "+", "dim", "7", "maj7", "m7", "dim7", "+7", "m7b5", "m(maj7)", "6", "m6", "9", "maj9", "m9", "11",
        "maj11", "m11", "13", "maj13", "m13", "sus2", "sus4", " Neapolitan", " It.", " Fr.", " Ger.", " pedal", "5",
        " Tristan", "?", "",
      ]
      return texts[Int(rawValue)]
    }

    /// Semitones above the root. Empty for `other` and `none`.
    public var tones: [Int] {
      let table = [
        [0, 4, 7], [0, 3, 7], [0, 4, 8], [0, 3, 6], [0, 4, 7, 10], [0, 4, 7, 11], [0, 3, 7, 10], [0, 3, 6, 9],
        [0, 4, 8, 10], [0, 3, 6, 10], [0, 3, 7, 11], [0, 4, 7, 9], [0, 3, 7, 9], [0, 4, 7, 10, 14], [0, 4, 7, 11, 14],
        [0, 3, 7, 10, 14], [0, 7, 10, 14, 17], [0, 4, 7, 11, 14, 17], [0, 3, 7, 10, 14, 17], [0, 4, 7, 10, 14, 21],
        [0, 4, 7, 11, 14, 21], [0, 3, 7, 10, 14, 21], [0, 2, 7], [0, 5, 7], [0, 4, 7], [0, 4, 10], [0, 4, 6, 10],
        [0, 4, 7, 10], [0], [0, 7], [0, 6, 10, 15], [], [],
      ]
      return table[Int(rawValue)]
    }
  }

  /// Identifies the symbol in its score. Assigned at import.
  public var id: UInt32 = 0
  /// The position in quarter notes from the beginning of the bar.
  public var offset: Fraction
  public var root: Root
  public var kind: Kind
  public var bass: Root?
  public var degrees: [Degree]

  public init(offset: Fraction, root: Root, kind: Kind, bass: Root? = nil, degrees: [Degree] = []) {
    (self.offset, self.root, self.kind, self.bass, self.degrees) = (offset, root, kind, bass, degrees)
  }

  /// The text in print: `Am7/G`. `N.C.` without a chord.
  public var text: String {
    if kind == .none { return "N.C." }
    let changes = degrees.map { degree in
      let sign = String(repeating: degree.alteration < 0 ? "b" : "#", count: Int(abs(degree.alteration)))
      return "(\(degree.effect == .subtract ? "no" : degree.effect == .add ? "add" : "")\(sign)\(degree.number))"
    }
    return root.name + kind.suffix + changes.joined() + (bass.map { "/\($0.name)" } ?? "")
  }
}
