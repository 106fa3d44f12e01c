import Foundation

@testable import Console
@testable import Rhythm

/// The instruments of the folder `Patches/instruments` as the page gets them, with the keys and the figures of the Swift code.
struct InstrumentVector: Encodable {
  /// The keys that the instrument may play in a chord.
  struct Chord: Encodable {
    /// The pitch classes: bit n is set for the note n semitones above C. Nil without a chord.
    var pitchClasses: UInt16?
    var keys: [UInt8]
  }

  var name: String
  var instrument: PageInstrument
  var chords: [Chord]
  /// For each step of the figure, the rank of its note; nil for a rest. Nil without a figure.
  var ranks: [Int?]?

  static func all() throws -> [InstrumentVector] { try shippedInstruments().map { Self($0.instrument, file: $0.file) } }

  private init(_ instrument: Instrument, file: String) {
    (name, self.instrument) = (file, PageInstrument(instrument, file: file))
    // No chord, C, F minor seventh, and E diminished.
    chords = ([nil, 0b0000_1001_0001, 0b1001_0010_1000, 0b0100_1001_0000] as [UInt16?]).map { chord in
      guard let classes = chord, instrument.followsChords else {
        return Chord(pitchClasses: chord, keys: instrument.keys)
      }
      return Chord(pitchClasses: classes, keys: instrument.range.filter { classes & (1 << UInt16($0 % 12)) != 0 })
    }
    ranks = instrument.figure.map { figure -> [Int?] in
      let ranks = figure.ranks(grid: instrument.quantizer.grid)
      return zip(figure.notes, ranks).map { note, rank in note == nil ? nil : rank }
    }
  }

  /// The instruments in the folder `Patches/instruments`, by the names of their files.
  static func shippedInstruments() throws -> [(file: String, instrument: Instrument)] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Patches/instruments")
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "yaml" }.sorted { $0.path < $1.path }
      .map { url in
        let text = try String(contentsOf: url, encoding: .utf8)
        let file = url.deletingPathExtension().lastPathComponent
        return (file, try InstrumentLoader.instrument(from: text, file: url.path))
      }
  }
}
