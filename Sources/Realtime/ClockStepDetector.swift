import CRealtime
public import MusicalTime

/// Detects steps of the system clock, CLOCK_REALTIME, while a peer runs. A user or a time daemon can set this clock.
///
/// A step does no harm to the rhythm. The rhythm depends on CLOCK_REALTIME only through the kernel's time stamps of
/// datagrams and sound cards, and each stamp is converted separately (``MonotonicClock/instant(ofRealtime:)``).
///
/// The kernel slews CLOCK_MONOTONIC together with CLOCK_REALTIME. The difference of the two clocks therefore changes
/// only when CLOCK_REALTIME is set.
public struct ClockStepDetector: Sendable {
  /// The smallest step that is detected. It is ten times the error that ``check()`` accepts in a comparison, so a
  /// preemption of the calling thread does not look like a step.
  static let threshold = Nanoseconds.milliseconds(1)

  /// CLOCK_REALTIME minus CLOCK_MONOTONIC in nanoseconds, at the first comparison or after the last detected step; nil
  /// before the first comparison.
  private var difference: Int64?
  /// The number of steps detected.
  public private(set) var steps: Int64 = 0

  /// Creates a detector that has not compared the clocks yet.
  public init() {}

  /// Compares both clocks. Returns the step of CLOCK_REALTIME, or nil if there was none since the last detected step.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func check() -> Nanoseconds? {
    let (before, wall, after) = (realtime_now(), realtime_wall_clock(), realtime_now())
    // If the readings of CLOCK_MONOTONIC are 100 us or more apart, the thread was preempted between them. The next call
    // makes the comparison.
    guard after &- before < 100_000 else { return nil }
    return update(wall &- after)
  }

  /// Compares `newDifference`, CLOCK_REALTIME minus CLOCK_MONOTONIC in nanoseconds, with ``difference``. Returns the
  /// step, or nil if it is smaller than ``threshold``.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func update(_ newDifference: Int64) -> Nanoseconds? {
    guard let known = difference else {
      difference = newDifference
      return nil
    }
    let step = Nanoseconds(newDifference &- known)
    guard step.magnitude >= Self.threshold else { return nil }
    difference = newDifference
    steps += 1
    return step
  }
}
