public import Measurement
import Realtime

extension NTPState {
  /// The present state of this machine; nil if the kernel does not permit it.
  ///
  /// Real-time: not safe.
  public static var current: NTPState? {
    guard let state = ClockDiscipline() else { return nil }
    return NTPState(
      isSynchronized: state.isSynchronized, offset: state.offset, frequency: state.frequency,
      estimatedError: state.estimatedError, maximumError: state.maximumError)
  }
}
