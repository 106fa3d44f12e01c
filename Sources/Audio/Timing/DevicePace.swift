import MusicalTime

/// How far a device has run ahead of time: the frames it has taken less those that time allowed for, never less than
/// none, as what a device did not ask for once it does not get later.
///
/// It is a leaky bucket (Turner, "New directions in communications", 1986) that leaks 1 % faster than the nominal rate,
/// twenty times what ``DeviceClock`` allows a crystal to be wrong by. A device that plays fills it by no more than its
/// buffer, however long it plays; one that takes what it is given, without playing it, overflows it at once. It reads no
/// clock.
package struct DevicePace: BitwiseCopyable {
  /// Frames.
  ///
  /// Real-time: safe.
  package private(set) var ahead = 0.0
  /// Frames a nanosecond.
  private let rate: Double
  private var last: Instant

  /// The pace of a device of `rate` frames a second that has taken nothing yet.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  package init(rate: Int64, at now: Instant) {
    self.rate = Double(rate) * 1.01 / 1e9
    last = now
  }

  /// It has been emptied.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  package mutating func restart(at now: Instant) { (ahead, last) = (0, now) }

  /// It has taken `frames` frames since it was asked last.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  package mutating func take(_ frames: Int64, at now: Instant) {
    ahead -= Double((now - last).count) * rate
    if ahead < 0 { ahead = 0 }
    ahead += Double(frames)
    last = now
  }
}
