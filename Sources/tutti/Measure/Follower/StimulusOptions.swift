import ArgumentParser
import Measurement

/// The options of the clock that `tutti measure follower` sends.
struct StimulusOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Set the tempo. (default: 120)", valueName: "BPM"))
  var bpm: Double?

  @Option(
    help: ArgumentHelp(
      "Set the standard deviation of the jitter. 0: no part with jitter. (default: 2; above 125 BPM, a tenth of a "
        + "tick)", valueName: "MS"))
  var jitter: Double?

  @Option(help: ArgumentHelp("Set the tempo step. 0: no tempo steps. (default: 5)", valueName: "PERCENT"))
  var step: Double?

  @Option(help: ArgumentHelp("Set the number of lost ticks. (default: 4)", valueName: "N"))
  var losses: Int?

  // With the default number of losses, the lengths of the five parts are 1, 1, 1, 2 and 2.5 times this length (``FollowerStimulus``).
  @Option(
    help: ArgumentHelp(
      "Set the length of the steady part. The other parts scale with it. With the defaults of the other options, the "
        + "whole clock takes 7.5 times S. (default: 16)",
      valueName: "S"))
  var seconds: Double?

  @Option(help: ArgumentHelp("Set the seed of the jitter and of the lost ticks. (default: 1)", valueName: "N"))
  var seed: UInt64?

  /// Whether none of the options was given.
  var isEmpty: Bool {
    bpm == nil && jitter == nil && step == nil && losses == nil && seconds == nil && seed == nil
  }

  /// Returns the stimulus that the options describe.
  ///
  /// - Throws: `ValidationError` for a value out of range.
  func stimulus() throws(ValidationError) -> FollowerStimulus {
    let tempo = bpm ?? 120
    // A tick lasts 2500 / tempo milliseconds, so a tenth of a tick is 250 / tempo, and 2 ms at 125 BPM.
    return try usage { () throws(ReportError) in
      try FollowerStimulus(
        tempo: tempo, jitter: jitter ?? (tempo > 125 ? 250 / tempo : 2), step: step ?? 5, losses: losses ?? 4,
        seconds: seconds ?? 16, seed: seed ?? 1)
    }
  }

  /// Checks the values by creating the stimulus, so that a value out of range is a usage error.
  func validate() throws { _ = try stimulus() }
}
