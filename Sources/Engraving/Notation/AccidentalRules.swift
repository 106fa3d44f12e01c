import Scores

/// The accidentals of one bar and staff.
///
/// An accidental is in force for its line or space up to the end of the bar, in its octave only. A note that a tie continues from the
/// bar before needs none, and a later note of the same pitch does (Gould, Behind Bars, chapter 3). The file may print more: courtesy
/// accidentals are those of the file.
struct AccidentalRules {
  /// The alteration in force by letter, in hundredths of a semitone; nil if only the key counts. Letters are 0...69.
  private var inForce = [Int?](repeating: nil, count: 70)
  private var touched: [Int] = []
  private var signature = [Int](repeating: 0, count: 7)

  /// The alterations of a key signature by step, in hundredths of a semitone.
  private static func alterations(_ fifths: Int) -> [Int] {
    var result = [Int](repeating: 0, count: 7)
    let order = fifths > 0 ? [3, 0, 4, 1, 5, 2, 6] : [6, 2, 5, 1, 4, 0, 3]
    for index in 0..<min(abs(fifths), 14) { result[order[index % 7]] += fifths > 0 ? 100 : -100 }
    return result
  }

  mutating func beginBar(fifths: Int) {
    for letter in touched { inForce[letter] = nil }
    touched.removeAll(keepingCapacity: true)
    signature = Self.alterations(fifths)
  }

  mutating func change(fifths: Int) { beginBar(fifths: fifths) }

  /// The accidental that the rules demand before a note, which is then in force.
  mutating func accidental(letter: Int, alteration: Int, continuesTie: Bool) -> Note.Accidental {
    guard inForce.indices.contains(letter) else { return .none }
    let present = inForce[letter] ?? signature[letter % 7]
    if present == alteration || continuesTie { return .none }
    if inForce[letter] == nil { touched.append(letter) }
    inForce[letter] = alteration
    return Self.sign(of: alteration)
  }

  /// Puts a printed accidental in force that the rules do not demand.
  mutating func note(letter: Int, alteration: Int) {
    guard inForce.indices.contains(letter) else { return }
    if inForce[letter] == nil { touched.append(letter) }
    inForce[letter] = alteration
  }

  static func sign(of alteration: Int) -> Note.Accidental {
    switch alteration {
    case 250...: .tripleSharp
    case 175..<250: .doubleSharp
    case 125..<175: .threeQuartersSharp
    case 75..<125: .sharp
    case 25..<75: .quarterSharp
    case -24..<25: .natural
    case -74 ..< -24: .quarterFlat
    case -124 ..< -74: .flat
    case -174 ..< -124: .threeQuartersFlat
    case -249 ..< -174: .doubleFlat
    default: .tripleFlat
    }
  }
}

extension Note.Accidental {
  /// The glyphs from left to right.
  var glyphs: [MusicFont.Glyph] {
    switch self {
    case .none: []
    case .sharp: [.accidentalSharp]
    case .flat: [.accidentalFlat]
    case .natural: [.accidentalNatural]
    case .doubleSharp: [.accidentalDoubleSharp]
    case .doubleFlat: [.accidentalDoubleFlat]
    case .naturalSharp: [.accidentalNatural, .accidentalSharp]
    case .naturalFlat: [.accidentalNatural, .accidentalFlat]
    case .quarterFlat: [.accidentalQuarterToneFlatStein]
    case .quarterSharp: [.accidentalQuarterToneSharpStein]
    case .threeQuartersFlat: [.accidentalThreeQuarterTonesFlatZimmermann]
    case .threeQuartersSharp: [.accidentalThreeQuarterTonesSharpStein]
    case .tripleSharp: [.accidentalSharp, .accidentalDoubleSharp]
    case .tripleFlat: [.accidentalFlat, .accidentalDoubleFlat]
    }
  }
}
