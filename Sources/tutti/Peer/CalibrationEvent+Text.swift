import Console
import Foundation
import Realtime

extension CalibrationEvent {
  /// The event in one line, for the terminal.
  var text: String {
    switch self {
    case .began(1): "calibrate: one page clicks for six seconds"
    case .began(let pages): "calibrate: \(pages) pages click, one after another, each for six seconds"
    case .measured(let report): report.text
    case .failed(let reason): "calibrate: \(reason)"
    case .ended: "calibrate: done"
    }
  }

  /// Whether the event reports a failure, after which the player must act.
  var isFailure: Bool { if case .failed = self { true } else { false } }
}

extension CalibrationReport {
  /// The result in one line.
  var text: String {
    let name = "page \(page) (\(address))"
    guard let delay, let uncertainty, let used, let rejected else { return "\(name): not calibrated; \(problem ?? "")" }
    return String(
      format: "%@: sounds %.1f ms %@ than this peer (± %.1f ms, from %d of %d clicks); the page now "
        + "compensates for this",
      name, abs(delay), delay < 0 ? "earlier" : "later", uncertainty, used, used + rejected)
  }
}

/// The result of the calibration of one page, as a line of `tutti peer --json`.
struct CalibrationLine: Encodable {
  let event = "calibrated"
  var report: CalibrationReport
  /// The instant of the event, in nanoseconds of CLOCK_MONOTONIC.
  var at = MonotonicClock.now.nanoseconds

  init(_ report: CalibrationReport) { self.report = report }

  private enum CodingKeys: String, CodingKey {
    case event
    case at = "at_ns"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(event, forKey: .event)
    try container.encode(at, forKey: .at)
    try report.encode(to: encoder)
  }
}
