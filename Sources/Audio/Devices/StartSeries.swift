import MusicalTime

/// Recognizes the underruns of a sound server that fills its own buffer.
///
/// When a stream starts, the server takes at once as many frames as its own buffer holds, for example 100 ms with PulseAudio. The
/// stream then underruns, although its fill level suffices as soon as the server plays. Such an underrun is recognized by its time: it
/// comes so early after the start that the server cannot have played the written frames yet. ``CardLoop`` then restarts the stream and
/// does not raise the fill level, because a higher level would only add delay.
///
/// A start that follows such an underrun belongs to the same series as the start before it. If a series lasts longer than
/// ``patience``, the level counts as too low.
struct ServerStart: Sendable, BitwiseCopyable {
  /// The instant of the last start.
  private var lastStart: Instant
  /// The instant of the first start of the series.
  private var firstStart: Instant
  /// Whether the next start belongs to the series.
  private var continues = false

  /// How long a series may last before the level counts as too low. In the lab, PulseAudio needed up to 20 starts in 80 ms.
  static var patience: Nanoseconds { @_noLocks @_noAllocation get { .milliseconds(200) } }

  @_noLocks @_noAllocation
  init(at now: Instant) { (lastStart, firstStart) = (now, now) }

  /// Records that the stream was started.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func recordStart(at now: Instant) {
    if !continues { firstStart = now }
    (lastStart, continues) = (now, false)
  }

  /// Records an underrun. Returns true if the server was filling its own buffer, so that the underrun does not show that the level is
  /// too low.
  ///
  /// - Parameter buffered: The duration of the frames that were written at the start.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func recordUnderrun(at now: Instant, buffered: Nanoseconds) -> Bool {
    continues = now - lastStart < buffered
    return continues && now - firstStart <= Self.patience
  }
}
