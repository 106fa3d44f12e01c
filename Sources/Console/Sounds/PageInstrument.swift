/// An instrument that a player can play on the page.
struct PageInstrument: Encodable {
  /// The key of the instrument's name in the texts of the page (`strings.js`).
  var name: String
  /// The General MIDI program, 0...127.
  var program: UInt8
  /// The MIDI keys that can be played. For an instrument with ``drums``, the page uses neither the range nor the program.
  var range: ClosedRange<UInt8>
  /// The General MIDI notes of the drums that can be played; empty for a pitched instrument.
  var drums: [UInt8] = []
  /// Whether the release of a key ends the note before the end of its sample. If false, a release has no effect, and the whole sample
  /// sounds.
  var sustains = false

  private enum CodingKeys: String, CodingKey { case name, program, low, high, drums, sustains }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(program, forKey: .program)
    try container.encode(range.lowerBound, forKey: .low)
    try container.encode(range.upperBound, forKey: .high)
    try container.encode(drums, forKey: .drums)
    try container.encode(sustains, forKey: .sustains)
  }

  /// All instruments of the page, in the order of the page.
  static let all = [
    PageInstrument(name: "marimba", program: 12, range: 55...79),
    PageInstrument(name: "kalimba", program: 108, range: 60...84),
    PageInstrument(name: "vibraphone", program: 11, range: 55...79),
    PageInstrument(name: "guitar", program: 24, range: 48...72),
    PageInstrument(name: "flute", program: 73, range: 60...84, sustains: true),
    // Two bongos, three congas, cowbell, claves, maracas.
    PageInstrument(name: "drums", program: 12, range: 60...60, drums: [60, 61, 62, 63, 64, 56, 75, 70]),
  ]
}
