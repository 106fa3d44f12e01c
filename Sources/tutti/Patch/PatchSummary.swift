import Measurement
import Rhythm

/// The JSON form of a rhythm or of an instrument. The member `kind` distinguishes them.
struct PatchSummary: Encodable {
  /// The name by which the patch was given.
  let name: String
  let file: PatchFile

  func encode(to encoder: any Encoder) throws {
    switch file {
    case .rhythm(let patch): try encode(patch, to: encoder)
    case .instrument(let instrument): try encode(instrument, to: encoder)
    }
  }

  private func encode(_ patch: Patch, to encoder: any Encoder) throws {
    try encoder.encode([
      "kind": PatchKind.rhythm.rawValue, "name": name, "description": patch.description,
      "meter": "\(patch.meter.beats)/\(patch.meter.unit)",
      // The units of each beat, such as 2, 2, 3 in 7/8.
      "beats": patch.beatGroups, "bars": patch.bars,
      "bpm": (patch.tempo.bpm * 1000).rounded() / 1000, "steps": patch.stepCount,
      // The position of the second note of each swung pair, in percent of the length of the pair; 50 is straight.
      "swing": Double(patch.swing.permille) / 10,
      "voices": patch.kit.map(\.name), "layers": patch.layers.map(Self.json),
      // The chord line, with `|` between bars.
      "chords": patch.chords?.text,
      // The pitched parts of a style.
      "parts": patch.parts.isEmpty ? nil : patch.parts.map(Self.json),
    ])
  }

  private func encode(_ instrument: Instrument, to encoder: any Encoder) throws {
    try encoder.encode([
      "kind": PatchKind.instrument.rawValue, "name": name, "description": instrument.description,
      "sound": instrument.sound,
      // The General MIDI program, counted from 1.
      "program": Int(instrument.program) + 1, "scale": instrument.scaleName, "range": instrument.rangeName,
      "keys": instrument.keys,
      // The figure without spaces. A free instrument has no figure.
      "figure": instrument.figure?.text, "pitch": instrument.pitch.name,
      "density": instrument.figure.map { _ in instrument.density.name }, "brightness": instrument.brightness?.name,
      "loudness": instrument.loudness.name, "grid": instrument.quantizer.grid.name,
      // The tolerance for late notes, in percent of the grid.
      "late": instrument.quantizer.tolerance, "length": instrument.length.name,
    ])
  }

  /// A layer and the range of total activity in which it sounds.
  private static func json(_ layer: Layer) -> JSONObject {
    ["name": layer.name, "from": layer.activity.lowerBound, "to": layer.activity.upperBound]
  }

  /// A pitched part of a style. The General MIDI program is counted from 1.
  private static func json(_ part: PitchedPart) -> JSONObject {
    [
      "name": part.part.name, "sound": part.sound, "program": Int(part.program) + 1, "range": part.rangeName,
      "layers": part.layers.map(json),
    ]
  }
}
