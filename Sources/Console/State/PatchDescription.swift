import Engine
import Rhythm

/// A patch as JSON for the page. It is a part of ``PatchesDescription``.
struct PatchDescription: Encodable {
  /// A layer and the range of total activity in which it sounds, 0...127.
  struct Layer: Encodable {
    var name: String
    var from: Int
    var to: Int
  }

  /// A drum and its General MIDI note.
  struct Voice: Encodable {
    var name: String
    var note: Int
  }

  /// The name that the user sees.
  var name: String
  var description: String
  /// The number of the patch. It increases with each change.
  var number: UInt32
  /// The first tick at which the patch plays.
  var tick: Int64
  /// The number of beats in a bar.
  var beats: Int
  /// The note value of a beat: 4 is a quarter note.
  var unit: Int
  var layers: [Layer]
  /// The drums.
  var voices: [Voice]
  /// The lines of the rhythm, with their strokes and rests. The page computes from them which strokes sound as hits.
  var table: StepTableDescription

  init(_ snapshot: PeerSnapshot) {
    self.init(
      snapshot.patch, name: snapshot.patchName, number: snapshot.patchNumber, tick: snapshot.patchTick.index)
  }

  init(_ patch: Patch, name: String, number: UInt32, tick: Int64) {
    (self.name, description, self.number, self.tick) = (name, patch.description, number, tick)
    (beats, unit) = (patch.meter.beats, patch.meter.unit)
    layers = patch.layers.map {
      Layer(name: $0.name, from: Int($0.activity.lowerBound), to: Int($0.activity.upperBound))
    }
    voices = patch.kit.map { Voice(name: $0.name, note: Int($0.note)) }
    table = StepTableDescription(StepTable(patch))
  }
}
