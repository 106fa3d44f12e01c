/// The names of MIDI keys and of pitch classes. Middle C is C4, key 60. Key 0 is C-1, and key 127 is G9.
enum NoteName {
  private static let letters: [Character: Int] = ["C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11]
  private static let names = ["C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B"]

  /// The pitch class of a name such as `D`, `F#` or `Bb`, in semitones above C, 0...11; nil for any other text.
  static func pitchClass(_ name: some StringProtocol) -> UInt8? {
    semitones(name).map { UInt8(($0 + 12) % 12) }
  }

  /// The key of a name such as `C4`, `F#3` or `Bb-1`; nil for any other text and for a key outside 0...127.
  static func key(_ name: some StringProtocol) -> UInt8? {
    guard let digits = name.firstIndex(where: { $0 == "-" || $0.isASCII && $0.isNumber }),
      let semitones = semitones(name[..<digits]), let octave = Int(name[digits...]), (-1...9).contains(octave)
    else { return nil }
    // The octave is that of the letter without the accidental: Cb4 is one semitone below C4.
    let key = 12 * (octave + 1) + semitones
    return (0...127).contains(key) ? UInt8(key) : nil
  }

  /// The name of a pitch class, 0...11.
  static func name(ofPitchClass pitchClass: UInt8) -> String { names[Int(pitchClass) % 12] }

  /// The name of a key, 0...127.
  static func name(of key: UInt8) -> String { "\(name(ofPitchClass: key % 12))\(Int(key) / 12 - 1)" }

  /// The distance from C in semitones, -1...12.
  private static func semitones(_ name: some StringProtocol) -> Int? {
    guard let letter = name.first, let semitones = letters[Character(letter.uppercased())] else { return nil }
    switch name.dropFirst() {
    case "": return semitones
    case "#", "♯": return semitones + 1
    case "b", "♭": return semitones - 1
    default: return nil
    }
  }
}
