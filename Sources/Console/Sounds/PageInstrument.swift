import Measurement
import Rhythm

/// An instrument that a player can play on the page: one of the six instruments of the page, or an instrument of the patch folders.
struct PageInstrument: Encodable, Hashable {
  /// What the page needs to know about an instrument of the patch folders.
  struct Custom: Hashable {
    /// The name in the file.
    var title: String
    /// The instrument of the page whose picture and movement this instrument has.
    var surface: String
    /// The MIDI keys that can be played without chords, ascending, 1 to 128 of them.
    var keys: [UInt8]
    /// Whether the keys are those of the present chord in a rhythm with chords.
    var usesChord: Bool
    /// The figure; nil for an instrument that plays single notes.
    var figure: Figure?
    /// The length in ticks of an element of ``figure``.
    var ticks: Int64
  }

  /// For one of the six instruments, the key of its name in the texts of the page (`strings.js`). For the others, `patch/` and the name of
  /// the file.
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
  /// Nil for the six instruments of the page.
  var custom: Custom?

  func encode(to encoder: any Encoder) throws {
    var members: JSONObject = [
      "name": name, "program": program, "low": range.lowerBound, "high": range.upperBound, "drums": drums,
      "sustains": sustains,
    ]
    if let custom {
      members.merge([
        "custom": true, "title": custom.title, "surface": custom.surface, "keys": custom.keys,
        "usesChord": custom.usesChord, "figure": custom.figure?.description(ticks: custom.ticks),
      ])
    }
    try members.encode(to: encoder)
  }

  /// The largest number of instruments of the patch folders.
  static let maximumCustom = 16

  /// The six instruments of the page, in the order of the page.
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

extension PageInstrument {
  /// Describes an instrument of the patch folders. `file` is the name of its file, without the suffix.
  init(_ instrument: Instrument, file: String) {
    let surface = Self.surface(of: instrument.program)
    self.init(
      name: "patch/\(file)", program: instrument.program, range: instrument.range, sustains: surface == "flute",
      custom: Custom(
        title: instrument.name, surface: surface, keys: instrument.keys, usesChord: instrument.followsChords,
        figure: instrument.figure, ticks: instrument.quantizer.grid.ticks))
  }

  /// The instrument of the page that is played like a General MIDI program. Sounds that last while the player blows, bows or sings are
  /// played like the flute.
  private static func surface(of program: UInt8) -> String {
    switch program {
    // The music box and the kalimba.
    case 10, 108: "kalimba"
    // The marimba and the xylophone.
    case 12, 13: "marimba"
    // Guitars and basses, pizzicato and harp, and the plucked folk instruments.
    case 24...39, 45, 46, 104...107: "guitar"
    // Organs, bowed strings, choirs, brass, reeds, pipes, synthesizer leads and pads, bagpipe, fiddle and shanai.
    case 16...23, 40...44, 48...54, 56...95, 109...111: "flute"
    // Timpani, orchestra hit, wood block, drums, and the sound effects.
    case 47, 55, 115...127: "drums"
    // Pianos, bells, the vibraphone, synthesizer effects, steel drums.
    default: "vibraphone"
    }
  }
}

extension Figure {
  /// The figure for the page. `ticks` is the length of a step.
  fileprivate func description(ticks: Int64) -> JSONObject {
    let notes = self.notes.enumerated().compactMap { step, note in
      note.map { ["step": step, "degree": $0.degree, "strength": $0.stroke.rawValue] as JSONObject }
    }
    return ["steps": self.notes.count, "ticks": ticks, "notes": notes]
  }
}
