import Ensemble
import MusicalTime
import PeerProtocol

/// A place in a score.
struct ScorePlace: Equatable, BitwiseCopyable {
  var line: ScoreLine
  /// The index of the written bar; -1 outside the score, and while the peer does not have it.
  var bar: Int32 = -1
  /// The ticks since the beginning of the bar.
  var offset: Int64 = 0
  /// Whether the peer does not have the score yet.
  var isSilent = false
}

/// A step that a simulated peer has played.
struct PlayedStep: BitwiseCopyable {
  var step: Step
  /// When the step sounded, in the peer's local time.
  var due: Instant
  /// The number of the run on the peer. A run is one uninterrupted playback of a rhythm.
  var run: UInt32
  /// The number of the first run in the series of runs, each of which continues the run before it (``PlaybackSchedule/firstRun``).
  var firstRun: UInt32
  /// Whether the run replaced another one that had not ended.
  var cutsShort: Bool
  /// The total activity that selected the layers.
  var level: UInt8
  /// The number of hits that sound.
  var hits: UInt8
  /// The sum of the velocities of these hits.
  var loudness: UInt16
  /// The rhythm and the bars at this step.
  var rhythm: RhythmLine
  var grid: BarGrid
  /// Whether the peer does not have the rhythm yet.
  var isSilent: Bool
  var place: ScorePlace
  /// The length of a step at the present tempo.
  var length: Nanoseconds

  /// Whether this step belongs to the same run as an earlier step, or to a run that continues the earlier run. In both cases, the
  /// number of the earlier run is in the range from ``firstRun`` to ``run``. Run numbers may wrap around.
  func continues(_ earlier: PlayedStep) -> Bool { run &- earlier.run <= run &- firstRun }
}
