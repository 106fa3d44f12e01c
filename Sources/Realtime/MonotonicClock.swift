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

  // The time stamps of the kernel for datagrams and sound cards.

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

  /// The number of attempts of ``compareWithRaw()``.
  private static let attempts = 16

  /// Reads CLOCK_MONOTONIC between two readings of CLOCK_MONOTONIC_RAW. Of several attempts, the one with the shortest time between
  /// the two readings counts.
  ///
  /// - Returns: CLOCK_MONOTONIC; CLOCK_MONOTONIC_RAW in the middle of its two readings, in nanoseconds; half of the time between
  ///   them, which is the largest possible error of the comparison.
  ///
  /// Real-time: not safe.
  public static func compareWithRaw() -> (monotonic: Instant, raw: Int64, uncertainty: Nanoseconds) {
    var best: (monotonic: Instant, raw: Int64, uncertainty: Nanoseconds)?
    for _ in 0..<attempts {
      let (before, now, after) = (realtime_raw_clock(), realtime_now(), realtime_raw_clock())
      let uncertainty = Nanoseconds((after - before + 1) / 2)
      if let best, best.uncertainty <= uncertainty { continue }
      best = (Instant(nanoseconds: now), before + (after - before) / 2, uncertainty)
    }
    return best!
  }
}

/// CLOCK_THREAD_CPUTIME_ID, the processor time of a thread.
public enum ThreadClock {
  /// The processor time that the calling thread has used since its start, including the time in system calls. Whether the
  /// time of interrupts is included depends on the kernel.
  ///
  /// Real-time: safe.
  public static var used: Nanoseconds {
    @_noLocks @_noAllocation get { Nanoseconds(realtime_thread_time()) }
  }
}
