import Engine
import Rhythm

/// A patch, as a part of ``PatchesDescription``.
struct PatchDescription: Encodable {
  struct Layer: Encodable {
    var name: String
    var from: Int
    var to: Int
  }

  struct Voice: Encodable {
    var name: String
    var note: Int
  }

  /// The name that the user sees.
  var name: String
  var description: String
  /// The number of the patch, and the first tick from which it plays.
  var number: UInt32
  var tick: Int64
  /// The number of beats in a bar, and the note value of a beat.
  var beats: Int
  var unit: Int
  var layers: [Layer]
  var voices: [Voice]
  var table: StepTableDescription

  init(_ snapshot: PeerSnapshot) {
    self.init(
      snapshot.patch, name: snapshot.status.patchName, number: snapshot.patchNumber, tick: snapshot.patchTick.index)
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
