import CRealtime
public import MusicalTime

/// Detects steps of a clock relative to another clock while a peer runs. The kernel slews CLOCK_REALTIME, CLOCK_BOOTTIME
/// and CLOCK_MONOTONIC together. The difference of two of them therefore changes only in steps.
public struct ClockStepDetector: Sendable {
  /// The clock that is observed.
  public enum Clock: Sendable {
    /// CLOCK_REALTIME, relative to CLOCK_BOOTTIME. A user or a time daemon can set this clock. A step does no harm to the
    /// rhythm: the rhythm depends on CLOCK_REALTIME only through the kernel's time stamps of datagrams and sound cards,
    /// and each stamp is converted separately (``MonotonicClock/instant(ofRealtime:)``).
    case system
    /// CLOCK_BOOTTIME, relative to CLOCK_MONOTONIC. While the machine is suspended, CLOCK_MONOTONIC stands still and
    /// CLOCK_BOOTTIME runs. A step is therefore the duration of a suspension.
    case boot
  }

  /// The smallest step that is detected. It is ten times the error that ``check()`` accepts in a comparison, so a
  /// preemption of the calling thread does not look like a step.
  static let threshold = Nanoseconds.milliseconds(1)

  private let clock: Clock
  /// The observed clock minus the other clock, in nanoseconds: at the last detected step, or at the first comparison if no
  /// step was detected. Nil before the first comparison.
  private var difference: Int64?
  /// The number of steps detected.
  public private(set) var steps: Int64 = 0

  /// Creates a detector that has not compared the clocks yet.
  ///
  /// Real-time: not safe.
  public init(of clock: Clock) { self.clock = clock }

  /// Compares both clocks. Returns the step of the observed clock since the last detected step or since the first
  /// comparison. Nil if there was no step, if this is the first comparison, or if the thread was preempted.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func check() -> Nanoseconds? {
    let (before, reading, after) =
      switch clock {
      case .system: (realtime_boot_clock(), realtime_wall_clock(), realtime_boot_clock())
      case .boot: (realtime_now(), realtime_boot_clock(), realtime_now())
      }
    // The other clock is read before and after the observed clock. If these two readings are 100 us or more apart, the
    // thread was preempted between them. This comparison is then skipped, and the next call compares the clocks.
    guard after &- before < 100_000 else { return nil }
    return update(reading &- after)
  }

  /// Compares `newDifference`, the observed clock minus the other clock in nanoseconds, with ``difference``. Returns the
  /// step. Nil at the first comparison, and if the step is smaller than ``threshold``.
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

/// The state of the kernel's clock discipline, which NTP daemons control: adjtimex(2).
public struct ClockDiscipline: Hashable, Sendable {
  /// Whether the kernel considers CLOCK_REALTIME synchronized.
  public let isSynchronized: Bool
  /// The part of the offset of CLOCK_REALTIME that the kernel has not corrected yet.
  public let offset: Nanoseconds
  /// The correction of the rate of CLOCK_REALTIME and CLOCK_MONOTONIC, in parts per million.
  public let frequency: Double
  /// The estimated and the maximum error of CLOCK_REALTIME.
  public let estimatedError, maximumError: Nanoseconds

  /// Reads the state. Returns nil if the kernel does not permit the call.
  ///
  /// Real-time: not safe.
  public init?() {
    var state = realtime_clock_discipline()
    guard realtime_read_discipline(&state) == 0 else { return nil }
    isSynchronized = state.is_synchronized != 0
    (offset, frequency) = (Nanoseconds(state.offset), state.frequency)
    (estimatedError, maximumError) = (.microseconds(state.estimated_error), .microseconds(state.maximum_error))
  }
}
