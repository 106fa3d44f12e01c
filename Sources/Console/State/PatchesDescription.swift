import Engine
import Measurement
import MusicalTime
import Rhythm

/// The payload of a frame ``FrameKind/patch``: the newest patch, and the patch that plays until the newest one begins.
struct PatchesDescription: Encodable {
  var newest: PatchDescription
  /// The patch that plays before the first tick of ``newest``. It plays only in the series of runs that begins with ``firstRun``. Nil if
  /// ``newest`` plays already, if no rhythm plays, or if there was no patch before.
  var previous: PatchDescription?
  /// The first run of the series that played when ``newest`` was chosen. In a series, each run continues the run before it
  /// (``Playback/PlaybackSchedule/firstRun``).
  var firstRun: UInt32

  /// Describes the patches of a snapshot.
  ///
  /// - Parameter former: the description before this one; nil if there is none.
  init(_ snapshot: PeerSnapshot, after former: PatchesDescription?) {
    let schedule = snapshot.schedule
    self.init(
      newest: PatchDescription(
        patch: snapshot.patch, name: snapshot.patchName, number: snapshot.patchNumber, tick: snapshot.patchTick.index),
      after: former, firstRun: schedule.firstRun,
      tick: snapshot.plays ? schedule.tick(at: snapshot.at).index : .max,
      passed: schedule.tick(at: snapshot.at + snapshot.soundLead).index)
  }

  /// - Parameters:
  ///   - newest: the newest patch.
  ///   - former: the description before this one; nil if there is none.
  ///   - firstRun: the first run of the series that plays.
  ///   - tick: the tick that plays now; `Int64.max` if no rhythm plays.
  ///   - passed: the last tick that was passed to the audio output. The patch of this tick and of earlier ones can no longer change.
  init(newest: PatchDescription, after former: PatchesDescription?, firstRun: UInt32, tick: Int64, passed: Int64) {
    (self.newest, self.firstRun) = (newest, firstRun)
    guard let former, tick < newest.tick else { return }
    // If `former.newest` has not begun, it never plays, because `newest` replaces it. `former.previous` then continues. If a new series of
    // runs plays, `former.newest` counts as begun, because its first tick belongs to the former series.
    let hasBegun = former.firstRun != firstRun || passed >= former.newest.tick
    previous = hasBegun ? former.newest : former.previous ?? former.newest
  }
}

/// A patch as JSON for the page. It is a part of ``PatchesDescription``.
struct PatchDescription: Encodable {
  let patch: Patch
  /// The name that the user sees.
  let name: String
  /// The number of the patch. It increases with each change.
  let number: UInt32
  /// The first tick at which the patch plays.
  let tick: Int64

  func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "name": name, "description": patch.description, "number": number, "tick": tick,
      // The number of units in a bar, the note value of a unit (4 is a quarter note), and the units of each beat.
      "beats": patch.meter.beats, "unit": patch.meter.unit, "groups": patch.beatGroups,
      "hasFill": patch.fill != nil,
      // The range of total activity in which each layer sounds, 0...127.
      "layers": patch.layers.map {
        ["name": $0.name, "from": $0.activity.lowerBound, "to": $0.activity.upperBound] as JSONObject
      },
      // The drums and their General MIDI notes.
      "voices": patch.kit.map { ["name": $0.name, "note": $0.note] as JSONObject },
      // The lines of the rhythm, with their strokes and rests. The page computes from them which strokes sound as hits.
      "table": StepTableDescription(StepTable(patch)),
    ])
  }
}
