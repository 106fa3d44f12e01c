import Foundation
import Rhythm

/// The JSON form of a rhythm.
struct PatchSummary: Encodable {
  /// A layer and the range of total activity in which it sounds.
  struct LayerSummary: Encodable {
    var name: String
    var from: UInt8
    var to: UInt8
  }

  var kind = PatchKind.rhythm.rawValue
  var name: String
  var description: String
  var meter: String
  var bars: Int
  var bpm: Double
  var steps: Int
  /// The position of the second note of each swung pair, in percent of the length of the pair; 50 is straight.
  var swing: Double
  var voices: [String]
  var layers: [LayerSummary]
  /// The chord line, with `|` between bars; nil if there is none.
  var chords: String?
  /// The pitched parts of a style; nil if there are none.
  var parts: [PartSummary]?

  init(named name: String, _ patch: Patch) {
    self.name = name
    description = patch.description
    meter = "\(patch.meter.beats)/\(patch.meter.unit)"
    bars = patch.bars
    bpm = (patch.tempo.bpm * 1000).rounded() / 1000
    steps = patch.stepCount
    swing = Double(patch.swing.permille) / 10
    voices = patch.kit.map(\.name)
    layers = patch.layers.map {
      LayerSummary(name: $0.name, from: $0.activity.lowerBound, to: $0.activity.upperBound)
    }
    chords = patch.chords?.text
    parts = patch.parts.isEmpty ? nil : patch.parts.map { PartSummary($0) }
  }
}

/// Prints `value` as one JSON text on standard output.
func printJSON(_ value: some Encodable) throws {
  print(String(decoding: try JSONEncoder.sorted.encode(value), as: UTF8.self))
}
