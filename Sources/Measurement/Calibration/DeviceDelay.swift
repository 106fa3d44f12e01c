/// The measured delay of a device: how much later than requested its clicks sound, compared with the reference.
public struct DeviceDelay: Hashable, Sendable {
  /// The delay in milliseconds; negative if the device is early.
  public var milliseconds: Double
  /// The error of the delay in milliseconds with a probability of 95 %, without the distances from the microphone. See
  /// ``CalibrationAnalysis``.
  public var uncertainty: Double
  /// The number of clicks of the device that determine the delay.
  public var used: Int
  /// The number of clicks of the device that were not found, or whose onset deviates from that of the others.
  public var rejected: Int

  /// Real-time: not safe.
  public init(milliseconds: Double, uncertainty: Double, used: Int, rejected: Int) {
    (self.milliseconds, self.uncertainty, self.used, self.rejected) = (milliseconds, uncertainty, used, rejected)
  }
}
