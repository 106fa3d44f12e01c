public import Measurement

/// An event of a calibration, for the output of the program.
public enum CalibrationEvent: Sendable {
  /// The pages begin to click, one after another.
  case began(pages: Int)
  /// The turn of a page has ended, with or without a delay.
  case measured(CalibrationReport)
  /// The calibration cannot begin, or was interrupted: the reason and the remedy.
  case failed(String)
  /// The turns of all pages have ended.
  case ended
}

/// The result of the calibration of one page.
public struct CalibrationReport: Encodable, Sendable {
  /// The number of the page, which the page shows to its player.
  public var page: Int
  /// The IP address of the page.
  public var address: String
  /// How much later than the peer the page sounds; nil if it is unknown.
  public var delay: DeviceDelay?
  /// The reason why there is no delay, with the remedy. Nil if there is a delay.
  public var problem: String?

  /// The JSON form.
  public var json: JSONObject {
    [
      "page": page, "address": address, "delay_ms": delay?.milliseconds, "uncertainty_ms": delay?.uncertainty,
      "clicks_used": delay?.used, "clicks_rejected": delay?.rejected, "problem": problem,
    ]
  }

  public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}

/// The payload of a frame ``FrameKind/calibration``.
struct CalibrationState: Encodable {
  var isRunning = false
  /// The number of pages that take part in the calibration.
  var pages = 0
  /// The results of the turns that have ended.
  var results: [CalibrationReport] = []
  /// Why the calibration did not begin or was interrupted.
  var problem: String?
}
