import MusicalTime

/// A step that has sounded, with the instants of its first hit. All instants are in local time.
public struct TraceHit: Hashable, Sendable, BitwiseCopyable {
  /// The instant at which the hit was to sound.
  public var due: Instant
  /// The instant of the step. It differs from ``due`` for a hit that is pushed or swung.
  public var step: Instant
  /// The instant at which the clock thread passed the hit to the audio thread.
  public var scheduled: Instant
  /// The instant of the first frame of the hit. For a sound card, it is calculated by a regression on the positions that the
  /// device reports, and includes the output delay. For a recording, it is the instant at which a sound card without drift would
  /// play the frame.
  public var firstFrame: Instant

  /// Creates a hit.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(due: Instant, step: Instant, scheduled: Instant, firstFrame: Instant) {
    (self.due, self.step, self.scheduled, self.firstFrame) = (due, step, scheduled, firstFrame)
  }

  /// The hit as a line with a newline.
  var line: String {
    "{\"hit\":\(due.nanoseconds),\"step\":\(step.nanoseconds),\"scheduled\":\(scheduled.nanoseconds),"
      + "\"first_frame\":\(firstFrame.nanoseconds)}\n"
  }
}
