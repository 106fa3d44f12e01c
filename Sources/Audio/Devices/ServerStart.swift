import MusicalTime
import Realtime

/// Recognizes the underruns of a sound server that fills its own buffer.
///
/// When a stream starts, the server takes at once as many frames as its own buffer holds, for example 100 ms with PulseAudio. The
/// stream then underruns, although its fill level suffices as soon as the server plays. Such an underrun occurs earlier after the start
/// than the written frames could have been played. ``CardLoop`` restarts the stream and does not raise the fill level, because a higher
/// level would only add delay. If these underruns continue for ``patience``, the level counts as too low.
struct ServerStart: Sendable, BitwiseCopyable {
  /// The instant of the last start.
  private var lastStart: Instant
  /// The instant of the first of the successive starts.
  private var firstStart: Instant
  /// Whether the next start follows an underrun that occurred before the written frames could have been played.
  private var continues = false

  /// How long successive starts may fail before the level counts as too low. In the lab, PulseAudio needed up to 20 starts in 80 ms.
  static var patience: Nanoseconds { @_noLocks @_noAllocation get { .milliseconds(500) } }

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

  /// Records an underrun. Returns whether the server has filled its own buffer, so that the underrun does not show that the level is too
  /// low.
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
