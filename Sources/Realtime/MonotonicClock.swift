import CRealtime
public import MusicalTime

/// CLOCK_MONOTONIC, the local clock of a peer.
public enum MonotonicClock {
  /// The current time.
  ///
  /// Real-time: safe.
  public static var now: Instant {
    @_noLocks @_noAllocation get { Instant(nanoseconds: realtime_now()) }
  }

  /// Sleeps until `instant`. Returns at once if `instant` has passed.
  ///
  /// Real-time: safe (it waits by design).
  @_noLocks @_noAllocation
  public static func sleep(until instant: Instant) { realtime_sleep_until(instant.nanoseconds) }
}
