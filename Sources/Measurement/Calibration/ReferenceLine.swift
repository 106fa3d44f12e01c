/// The least-squares line that maps the time since the beginning of a calibration to the clock of its recording. Both are in seconds.
struct ReferenceLine {
  /// The mean of the clicks, and the recorded time of this mean.
  private let center: (due: Double, recorded: Double)
  /// Seconds of the recording per second.
  private let rate: Double
  /// The standard error of a recorded time in the middle of the calibration, in seconds.
  let error: Double

  /// Clocks differ by less than this share. A steeper line is that of wrong onsets.
  private static let greatestSlope = 1e-3

  /// The line of a recording with an exact clock, in which the calibration begins at `beginning`.
  init(beginning: Double) { (center, rate, error) = ((0, beginning), 1, 0) }

  /// The line through the onsets of the reference.
  ///
  /// - Parameter clicks: the expected instants of the clicks in the recording, without their shift. The first one is the beginning.
  init(_ match: ClickMatch, clicks: [Double]) {
    let origin = clicks[0]
    let points = match.pairs.map { (x: clicks[$0.click] - origin, y: $0.shift) }
    let count = Double(points.count)
    let mean = (x: points.reduce(0) { $0 + $1.x } / count, y: points.reduce(0) { $0 + $1.y } / count)
    let xx = points.reduce(0) { $0 + ($1.x - mean.x) * ($1.x - mean.x) }
    let xy = points.reduce(0) { $0 + ($1.x - mean.x) * ($1.y - mean.y) }
    let slope = min(max(xx > 0 ? xy / xx : 0, -Self.greatestSlope), Self.greatestSlope)
    let squares = points.reduce(0) { sum, point in
      let residual = point.y - mean.y - slope * (point.x - mean.x)
      return sum + residual * residual
    }
    center = (mean.x, origin + mean.x + mean.y)
    rate = 1 + slope
    // The device clicks near the middle of the reference, where the error of the slope has little effect.
    error = (squares / max(count - 2, 1) / count).squareRoot()
  }

  /// The recorded time of an instant since the beginning of the calibration.
  func recorded(_ time: Double) -> Double { center.recorded + (time - center.due) * rate }
}
