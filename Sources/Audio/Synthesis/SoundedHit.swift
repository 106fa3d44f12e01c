public import MusicalTime

/// The first hit or note of a step that an audio thread has placed on a frame.
public struct SoundedHit: Hashable, Sendable, BitwiseCopyable {
  /// The instant of the step.
  public let step: Instant
  /// The instant at which the hit was to sound. It differs from ``step`` for a hit that is pushed or swung.
  public let due: Instant
  /// The instant at which the clock thread passed the hit to the audio thread.
  public let scheduled: Instant
  /// The instant at which the first frame of the hit sounds, by ``Renderer/map``.
  public let firstFrame: Instant

  @_noLocks @_noAllocation
  init(_ event: SoundEvent, firstFrame: Instant) {
    (step, due, scheduled, self.firstFrame) = (event.step, event.instant, event.submitted, firstFrame)
  }
}
