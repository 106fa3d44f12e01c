import CRealtime
public import MusicalTime

/// CLOCK_MONOTONIC, the clock of everything inside a peer.
public enum MonotonicClock {
  /// The present moment.
  ///
  /// Real-time: safe.
  public static var now: Instant {
    @_noLocks @_noAllocation get { Instant(nanoseconds: realtime_now()) }
  }

  /// Sleeps until `instant`; returns at once when it has passed.
  ///
  /// Real-time: safe (it waits, as asked).
  @_noLocks @_noAllocation
  public static func sleep(until instant: Instant) { realtime_sleep_until(instant.nanoseconds) }

  /// The kernel's CLOCK_REALTIME stamp `realtime` (nanoseconds since 1970) as a monotonic instant, by reading both
  /// clocks next to each other: again when this thread was interrupted in between, and in such an order that what is left
  /// of that makes the answer late, never early. A stamp that would lie in the future, or more than a second back, tells
  /// of a system clock set meanwhile: then the answer is now. 0 stands for no stamp.
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
