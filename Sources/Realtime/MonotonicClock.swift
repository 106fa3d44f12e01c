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

  /// Converts a kernel time stamp of CLOCK_REALTIME to CLOCK_MONOTONIC.
  ///
  /// The conversion reads both clocks in succession. If more than 2 us pass between the readings, the thread was
  /// preempted, and the readings are repeated, at most three times. A remaining preemption makes the result late, never
  /// early, because CLOCK_MONOTONIC is read last. If the result would be in the future or more than one second in the
  /// past, the system clock was set in the meantime, and the result is the current time.
  ///
  /// - Parameter realtime: nanoseconds since 1970; 0 if there is no stamp, which gives the current time.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func instant(ofRealtime realtime: Int64) -> Instant {
    var (before, wall, now) = (realtime_now(), realtime_wall_clock(), realtime_now())
    guard realtime != 0 else { return Instant(nanoseconds: now) }
    var tries = 3
    while now &- before > 2_000, tries > 0 {
      (before, wall, now) = (now, realtime_wall_clock(), realtime_now())
      tries -= 1
    }
    let ago = wall &- realtime
    guard ago >= 0, ago <= 1_000_000_000 else { return Instant(nanoseconds: now) }
    return Instant(nanoseconds: now &- ago)
  }
}
