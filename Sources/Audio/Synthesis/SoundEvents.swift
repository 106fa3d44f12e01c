public import MusicalTime
public import Realtime

/// The rings through which an audio thread gets its events and reports its hits. The audio thread is the only consumer of
/// ``hits`` and ``messages``.
public struct SoundEvents: Sendable, BitwiseCopyable {
  /// All events except messages, from the clock thread.
  public let hits: SPSCRing<SoundEvent>
  /// Messages of the players, from the network thread.
  public let messages: SPSCRing<SoundEvent>
  /// The first hit of each step, from the audio thread to the trace. Nil if no trace is written. The audio thread is the only
  /// producer.
  public let sounded: SPSCRing<SoundedHit>?

  /// - Parameters:
  ///   - capacity: the capacity of ``hits`` and of ``messages``. The default exceeds 2048 (128 keys on 16 channels), the number of notes
  ///     that a player can hold and end at the same time.
  ///   - reportsHits: whether the audio thread reports the hits in ``sounded``.
  ///
  /// Real-time: not safe.
  public init(capacity: Int = 4096, reportsHits: Bool = false) {
    (hits, messages) = (SPSCRing(capacity: capacity), SPSCRing(capacity: capacity))
    // The trace takes the reports ten times per second. At the fastest tempo, 999 BPM, there are fewer than 67 steps per second.
    sounded = reportsHits ? SPSCRing(capacity: 1024) : nil
  }

  /// The number of events dropped because a ring was full.
  ///
  /// Real-time: safe.
  var dropped: Int { hits.dropped + messages.dropped }
}

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
