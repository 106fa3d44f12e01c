import Rhythm

/// The JSON form of a pitched part of a style.
struct PartSummary: Encodable {
  var name: String
  var sound: String
  /// The General MIDI program, counted from 1.
  var program: Int
  var range: String
  var layers: [PatchSummary.LayerSummary]

  init(_ part: PitchedPart) {
    (name, sound, program, range) = (part.part.name, part.sound, Int(part.program) + 1, part.rangeName)
    layers = part.layers.map {
      PatchSummary.LayerSummary(name: $0.name, from: $0.activity.lowerBound, to: $0.activity.upperBound)
    }
  }
}
