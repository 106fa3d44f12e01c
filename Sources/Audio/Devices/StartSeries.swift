import MusicalTime

/// The consecutive starts of a stream that underruns early each time. An underrun is early if the device cannot have played the
/// frames yet that were written at the start. A start after an early underrun belongs to the series of the start before it.
///
/// **Sound servers.** When a stream starts, a server takes at once as many frames as its own buffer holds, for example 100 ms with
/// PulseAudio. The stream then underruns early, although its fill level suffices as soon as the server plays. ``CardLoop`` restarts
/// the stream and does not raise the fill level, because a higher level would only add delay. If the series lasts longer than
/// ``patience``, the level counts as too low.
///
/// **Devices that never play.** From then on, two starts of the series are at least ``interval`` apart, also with a card. Otherwise
/// the restarts would occupy the processor.
struct StartSeries: Sendable, BitwiseCopyable {
  /// The instant of the last start.
  private var lastStart: Instant
  /// The instant of the first start of the series.
  private var firstStart: Instant
  /// Whether the last event was an early underrun, so that the next start belongs to the series.
  private var continues = false

  /// How long a series may last before the level counts as too low. In the lab, PulseAudio needed up to 20 starts in 80 ms.
  static var patience: Nanoseconds { @_noLocks @_noAllocation get { .milliseconds(200) } }
  /// The minimum time between two starts of a series that has lasted longer than ``patience``.
  static var interval: Nanoseconds { @_noLocks @_noAllocation get { .milliseconds(10) } }

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

  /// Records an underrun. Returns whether it is early, and the series has not lasted longer than ``patience``. With a sound server, such
  /// an underrun does not show that the level is too low.
  ///
  /// - Parameter buffered: The duration of the frames that were written at the start.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func recordUnderrun(at now: Instant, buffered: Nanoseconds) -> Bool {
    continues = now - lastStart < buffered
    return continues && now - firstStart <= Self.patience
  }

  /// Returns when the stream may be started again. Call this function after ``recordUnderrun(at:buffered:)`` with the same `now`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  func nextStart(at now: Instant) -> Instant {
    continues && now - firstStart > Self.patience ? lastStart + Self.interval : now
  }
}
