import CRealtime
public import MusicalTime

/// Watches whether the system's clock, CLOCK_REALTIME, is set while a peer runs. Nothing in a peer goes by it but the
/// kernel's stamps of what arrives, which are converted one by one (``MonotonicClock/instant(ofRealtime:)``); who sets it
/// by hand, or lets a daemon do so, is told that it does no harm.
///
/// CLOCK_MONOTONIC is slewed together with it, so the difference of the two stays what it is until the clock is set.
public struct SystemClock: Sendable {
  /// What is less cannot be told from this thread's having been interrupted between two looks.
  static let smallest = Nanoseconds.milliseconds(1)

  private var difference: Int64?
  /// How often it was found to have been set.
  public private(set) var steps: Int64 = 0

  public init() {}

  /// Looks at both clocks; gives by how much the system's was set since the last look, nil if it was not.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func look() -> Nanoseconds? {
    let (before, wall, after) = (realtime_now(), realtime_wall_clock(), realtime_now())
    // Interrupted in between: the next look tells.
    guard after &- before < 100_000 else { return nil }
    return note(wall &- after)
  }

  /// Takes the difference of the clocks as it is now.
  @_noLocks @_noAllocation
  mutating func note(_ now: Int64) -> Nanoseconds? {
    guard let known = difference else {
      difference = now
      return nil
    }
    let step = Nanoseconds(now &- known)
    guard step.magnitude >= Self.smallest else { return nil }
    difference = now
    steps += 1
    return step
  }
}
