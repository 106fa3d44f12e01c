import Ensemble
import MusicalTime

/// A step that a simulated peer has heard.
struct Sounded: BitwiseCopyable {
  var step: Step
  /// When, by the peer's own clock.
  var due: Instant
  /// The peer's run in which it sounded.
  var run: UInt32
  /// The run in which the ticks began that it goes on with: see ``PlaybackSchedule/began``.
  var began: UInt32
  /// Whether it began while there was more to play of the run before it.
  var cutsShort: Bool
  /// The total activity by which its layers were chosen.
  var level: UInt8
  /// How many drums were struck.
  var hits: UInt8
  /// How long a step is at its tempo.
  var length: Nanoseconds

  /// Whether it belongs to the same ticks as one heard before.
  func goesOn(from earlier: Sounded) -> Bool { run &- earlier.run <= run &- began }
}
