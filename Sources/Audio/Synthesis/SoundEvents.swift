public import Realtime

/// The rings through which an audio thread gets its events. The audio thread is the only consumer of both rings.
public struct SoundEvents: Sendable, BitwiseCopyable {
  /// Hits and recalls, from the clock thread.
  public let hits: SPSCRing<SoundEvent>
  /// Messages of the players, from the network thread.
  public let messages: SPSCRing<SoundEvent>

  /// - Parameter capacity: the capacity of each ring. A player can hold 2048 notes, which can end at the same time.
  ///
  /// Real-time: not safe.
  public init(capacity: Int = 4096) {
    (hits, messages) = (SPSCRing(capacity: capacity), SPSCRing(capacity: capacity))
  }

  /// The number of events dropped because a ring was full.
  ///
  /// Real-time: safe.
  var dropped: Int { hits.dropped + messages.dropped }
}
