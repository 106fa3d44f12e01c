/// The result of a calibration: how much later than the reference (the loudspeaker of the peer) a device sounds its clicks.
public struct DeviceDelay: Hashable, Sendable {
  /// The delay in milliseconds; negative if the device is early.
  public var milliseconds: Double
  /// The uncertainty of the delay in milliseconds: 95 % of the errors are smaller. The uncertainty does not include the travel time of
  /// the sound to the microphone. ``CalibrationAnalysis`` contains the formula.
  public var uncertainty: Double
  /// The number of clicks of the device that determine the delay.
  public var used: Int
  /// The number of clicks of the device that were not found, or whose delay deviates too much from the median.
  public var rejected: Int

  /// Creates the result of a calibration.
  ///
  /// Real-time: not safe.
  public init(milliseconds: Double, uncertainty: Double, used: Int, rejected: Int) {
    (self.milliseconds, self.uncertainty, self.used, self.rejected) = (milliseconds, uncertainty, used, rejected)
  }
}
