import Foundation

/// The reason why a calibration could not measure the delay of a device. The description contains the remedy.
public enum CalibrationError: Error, Hashable, CustomStringConvertible {
  /// No sample is louder than the rounding noise of 16 bits.
  case silent
  /// Too few clicks of the reference, the loudspeaker of the peer, were found.
  case noReference(found: Int, of: Int)
  /// Too few clicks of the device were found.
  case tooFewClicks(found: Int, of: Int)
  /// The clicks of the device, or of the reference (`ofReference`), were found twice, at two delays in milliseconds. The analysis
  /// cannot decide which delay is that of the direct sound.
  case ambiguous(Double, Double, ofReference: Bool)

  public var description: String {
    switch self {
    case .silent:
      return "the recording is silent; check that the microphone is connected and not muted"
    case .noReference(let found, let count):
      return "\(found) of \(count) clicks of the peer heard; let the peer play through a loudspeaker that the "
        + "microphone hears, without other sounds"
    case .tooFewClicks(let found, let count):
      return "\(found) of \(count) clicks heard; turn up the volume, hold the device closer to the microphone, "
        + "and stop other sounds"
    case .ambiguous(let first, let second, let ofReference):
      let distance = String(format: "%.0f", abs(second - first))
      return ofReference
        ? "some clicks of the peer were heard twice, \(distance) ms apart, as with an echo; place the loudspeaker of the peer closer to "
          + "the microphone, away from walls"
        : "some clicks were heard twice, \(distance) ms apart, as with an echo; hold the device closer to the microphone, "
          + "away from walls"
    }
  }
}
