import Measurement

/// The payload of a frame ``FrameKind/sounds``: the paths of the samples, and the instruments of the page.
struct SoundManifest: Encodable {
  /// A sample, which the page loads by HTTP.
  struct Sample: Encodable {
    /// The URL path of a WAV file.
    var path: String
    /// The URL path of a FLAC file with the same samples; nil if there is none.
    var flac: String?
    /// The factor by which the page multiplies the sample values to get the loudness of velocity 127.
    var gain: Float
  }

  /// A key of a General MIDI program for which there is a sample.
  struct Tone: Encodable {
    /// The MIDI key, 0...127.
    var key: Int
    var sample: Sample
  }

  /// The samples of the drums. The key of the dictionary is the General MIDI note, 0...127.
  var drums: [String: Sample] = [:]
  /// The samples of each General MIDI program, in ascending order of their MIDI keys. The key of the dictionary is the program, 0...127.
  var tones: [String: [Tone]] = [:]
  var instruments = PageInstrument.all
  /// The reason why there are no sounds; nil if there are sounds.
  var failure: String?
}

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

  func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "name": name, "program": program, "low": range.lowerBound, "high": range.upperBound, "drums": drums,
      "sustains": sustains,
    ])
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
