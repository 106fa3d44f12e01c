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
public struct CalibrationReport: Encodable, Equatable, Sendable {
  /// The number of the page, which the page shows to its player.
  public var page: Int
  /// The IP address of the page.
  public var address: String
  /// How much later than the peer the page sounds, in milliseconds. Nil if it is unknown.
  public var delay: Double?
  /// The uncertainty of ``delay`` in milliseconds: 95 % of the errors are smaller.
  public var uncertainty: Double?
  /// The number of clicks from which the delay was computed.
  public var used: Int?
  /// The number of clicks that were not found, or that deviate from the others.
  public var rejected: Int?
  /// The reason why there is no delay, with the remedy. Nil if there is a delay.
  public var problem: String?

  enum CodingKeys: String, CodingKey {
    case page, address, problem
    case delay = "delay_ms"
    case uncertainty = "uncertainty_ms"
    case used = "clicks_used"
    case rejected = "clicks_rejected"
  }
}

/// The payload of a frame ``FrameKind/calibration``.
struct CalibrationState: Encodable, Equatable {
  var isRunning = false
  /// The number of pages that take part in the calibration.
  var pages = 0
  /// The results of the turns that have ended.
  var results: [CalibrationReport] = []
  /// Why the calibration did not begin or was interrupted.
  var problem: String?
}
