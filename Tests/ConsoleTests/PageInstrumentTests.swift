import Audio
import Foundation
import Rhythm
import Testing

@testable import Console

/// Tests of the instruments of the patch folders on the page.
@Suite struct PageInstrumentTests {
  private static let text = """
    name: garden bells
    description: Bells.
    sound: SOUND
    scale: SCALE
    FIGURE
    pitch: tilt forward
    density: activity
    loudness: force
    grid: 1/8 triplets, late 40%
    length: 1/4
    """

  private func instrument(
    sound: String = "celesta", scale: String = "chord or D minor pentatonic, C4..C6", figure: String? = "Xo. 3x."
  ) throws -> PageInstrument {
    let text = Self.text.replacing("SOUND", with: sound).replacing("SCALE", with: scale)
      .replacing("FIGURE\n", with: figure.map { "figure: \($0)\n" } ?? "")
      .replacing("density: activity\n", with: figure == nil ? "" : "density: activity\n")
    return PageInstrument(try InstrumentLoader.instrument(from: text, file: "bells.yaml"), file: "bells")
  }

  @Test func instrumentIsDescribed() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let json = String(decoding: try encoder.encode(try instrument()), as: UTF8.self)
    #expect(
      json == """
        {"custom":true,"drums":[],"figure":{"notes":[{"degree":0,"step":0,"strength":3},{"degree":0,"step":1,"strength":1},\
        {"degree":2,"step":3,"strength":2},{"degree":0,"step":4,"strength":2}],"steps":6,"ticks":8},"high":84,\
        "keys":[60,62,65,67,69,72,74,77,79,81,84],"low":60,"name":"patch/bells","program":8,"surface":"vibraphone",\
        "sustains":false,"title":"garden bells","usesChord":true}
        """)
    let free = try instrument(sound: "pan flute", scale: "F major, F3..F4", figure: nil)
    #expect(free.sustains && free.custom?.usesChord == false && free.custom?.figure == nil)
    #expect(!String(decoding: try encoder.encode(free), as: UTF8.self).contains("figure"))
  }

  @Test(arguments: [
    ("piano", "vibraphone"), ("celesta", "vibraphone"), ("music box", "kalimba"), ("marimba", "marimba"),
    ("xylophone", "marimba"), ("bells", "vibraphone"), ("organ", "flute"), ("nylon guitar", "guitar"),
    ("fretless bass", "guitar"), ("violin", "flute"), ("pizzicato", "guitar"), ("harp", "guitar"), ("timpani", "drums"),
    ("trumpet", "flute"), ("tenor sax", "flute"), ("pan flute", "flute"), ("koto", "guitar"), ("kalimba", "kalimba"),
    ("bagpipe", "flute"), ("steel drums", "vibraphone"), ("taiko", "drums"), ("seashore", "drums"),
  ])
  func surfaceFollowsTheSound(sound: String, surface: String) throws {
    #expect(try instrument(sound: sound).custom?.surface == surface)
  }

  /// The page transposes a sample by at most three semitones.
  @Test func everyKeyHasASample() throws {
    let custom = try InstrumentVector.shippedInstruments().map { PageInstrument($0.instrument, file: $0.file) }
    #expect(custom.count == 11)
    let request = SoundRequest([], custom: custom)
    let sounds = (request.entries + request.furtherEntries).map(\.sound)
    #expect(Set(sounds).count == sounds.count)
    for instrument in custom {
      let sampled = sounds.compactMap { sound -> Int? in
        guard case .tone(instrument.program, let key) = sound else { return nil }
        return Int(key)
      }
      for key in instrument.range {
        #expect(sampled.contains { abs($0 - Int(key)) <= 3 }, "\(instrument.name) \(key)")
      }
    }
    // The sounds that all pages load do not depend on the instruments of the patch folders.
    #expect(request.entries == SoundRequest([]).entries)
    #expect(request.instruments == PageInstrument.all + custom)
  }
}
