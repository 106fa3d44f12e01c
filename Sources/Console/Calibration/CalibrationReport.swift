/// What happens during a calibration, for the terminal.
public enum CalibrationEvent: Sendable {
  /// The pages begin to click, one after another.
  case began(pages: Int)
  /// One page has clicked, or could not.
  case measured(CalibrationReport)
  /// The calibration cannot begin, or was interrupted: the reason and the remedy.
  case failed(String)
  /// All pages have clicked.
  case ended
}

/// The result of the calibration of one page.
public struct CalibrationReport: Encodable, Equatable, Sendable {
  /// The number of the page, which it shows.
  public var page: Int
  /// The IP address of the page.
  public var address: String
  /// How much later than the peer the page sounds, and the error of this delay, in milliseconds. Nil if it is unknown.
  public var delay: Double?
  public var uncertainty: Double?
  /// The number of clicks that determine the delay, and of the others.
  public var used: Int?
  public var rejected: Int?
  /// Why there is no delay, with the remedy.
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
  /// The number of pages that are calibrated.
  var pages = 0
  var results: [CalibrationReport] = []
  /// Why the calibration did not begin or was interrupted.
  var problem: String?
}
