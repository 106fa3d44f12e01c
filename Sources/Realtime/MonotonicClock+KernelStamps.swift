import CRealtime
public import MusicalTime

// The time stamps of the kernel for datagrams and sound cards.
extension MonotonicClock {
  /// Converts a kernel time stamp of CLOCK_REALTIME to CLOCK_MONOTONIC.
  ///
  /// The function reads both clocks and subtracts the age of the stamp by CLOCK_REALTIME from the time of
  /// CLOCK_MONOTONIC. CLOCK_REALTIME is read between two readings of CLOCK_MONOTONIC. If the two readings of
  /// CLOCK_MONOTONIC are more than 2 us apart, the thread was preempted, and the readings are repeated, at most three
  /// times. If every attempt is preempted, the result is late, never early, because it is relative to the last reading
  /// of CLOCK_MONOTONIC. If the result would be in the future or more than one second in the past, the system clock was
  /// set in the meantime, and the result is the current time.
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
    let age = wall &- realtime
    guard age >= 0, age <= 1_000_000_000 else { return Instant(nanoseconds: now) }
    return Instant(nanoseconds: now &- age)
  }
}
