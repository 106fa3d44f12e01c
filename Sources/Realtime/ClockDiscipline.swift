import CRealtime
public import MusicalTime

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
