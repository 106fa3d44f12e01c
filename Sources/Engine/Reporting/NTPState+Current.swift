public import Measurement
import Realtime

extension NTPState {
  /// The present state of the kernel's clock discipline (``Realtime/ClockDiscipline``); nil if the kernel does not permit a
  /// program to read it.
  ///
  /// Real-time: not safe.
  public static var current: NTPState? {
    guard let state = ClockDiscipline() else { return nil }
    return NTPState(
      isSynchronized: state.isSynchronized, offset: state.offset, frequency: state.frequency,
      estimatedError: state.estimatedError, maximumError: state.maximumError)
  }
}
