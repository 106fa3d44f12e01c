import MusicalTime

/// A leaky bucket (Turner, "New directions in communications", 1986) that detects a device which accepts frames faster than
/// it can play them.
///
/// Accepted frames fill the bucket. The bucket leaks 1 % faster than the nominal rate. This tolerance is twenty times the rate error
/// that ``DeviceClock`` allows. The level never falls below zero, so a device gains no credit by accepting few frames for a while.
/// A device that plays never fills the bucket by more than its buffer size. A device that accepts frames
/// without playing them exceeds this level immediately. The type reads no clock.
package struct LeakyBucket: BitwiseCopyable {
  /// The level in frames: accepted frames minus leaked frames.
  ///
  /// Real-time: safe.
  package private(set) var level = 0.0
  /// The leak rate in frames per nanosecond.
  private let rate: Double
  /// The instant of the last change of ``level``.
  private var last: Instant

  /// Creates an empty bucket for a device of `rate` frames per second.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  package init(rate: Int64, at now: Instant) {
    self.rate = Double(rate) * 1.01 / 1e9
    last = now
  }

  /// Sets the level to zero.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  package mutating func empty(at now: Instant) { (level, last) = (0, now) }

  /// Leaks for the time since the last call, then adds `frames` frames.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  package mutating func add(_ frames: Int64, at now: Instant) {
    level -= Double((now - last).count) * rate
    if level < 0 { level = 0 }
    level += Double(frames)
    last = now
  }
}
