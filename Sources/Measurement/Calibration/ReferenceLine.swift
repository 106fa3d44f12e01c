/// The line that maps the due time of a click to its time in the recording of a calibration.
///
/// A due time is in seconds of the peer's clock since the beginning of the calibration. A recorded time is in seconds since the first
/// frame.
struct ReferenceLine {
  /// A point of the line: the mean due time of the clicks, and its recorded time.
  private let center: (due: Double, recorded: Double)
  /// The slope of the line: seconds of the recording per second of the peer's clock.
  private let rate: Double
  /// The standard error of a recorded time in the middle of the calibration, in seconds.
  let error: Double

  /// The greatest plausible difference between the rates of two clocks, as a fraction. Wrong onsets can give a greater difference, which
  /// is limited to this value.
  private static let greatestDifference = 1e-3

  /// Creates the line of a recording with an exact clock.
  ///
  /// - Parameter beginning: the recorded time at which the calibration begins.
  init(beginning: Double) { (center, rate, error) = ((0, beginning), 1, 0) }

  /// Creates the least-squares line through the onsets of the clicks of the reference (the loudspeaker of the peer).
  ///
  /// - Parameters:
  ///   - match: the onsets of the clicks.
  ///   - clicks: for each click, its due time plus the assumed recorded time of the beginning of the calibration. The shifts in `match`
  ///     are relative to these times, so they correct the assumption. The first click is the beginning of the calibration.
  init(_ match: ClickMatch, clicks: [Double]) {
    let origin = clicks[0]
    let points = match.pairs.map { (x: clicks[$0.click] - origin, y: $0.shift) }
    let count = Double(points.count)
    let mean = (x: points.reduce(0) { $0 + $1.x } / count, y: points.reduce(0) { $0 + $1.y } / count)
    let xx = points.reduce(0) { $0 + ($1.x - mean.x) * ($1.x - mean.x) }
    let xy = points.reduce(0) { $0 + ($1.x - mean.x) * ($1.y - mean.y) }
    // The slope of the shifts: the difference between the rates.
    let slope = min(max(xx > 0 ? xy / xx : 0, -Self.greatestDifference), Self.greatestDifference)
    let squares = points.reduce(0) { sum, point in
      let residual = point.y - mean.y - slope * (point.x - mean.x)
      return sum + residual * residual
    }
    center = (mean.x, origin + mean.x + mean.y)
    rate = 1 + slope
    // The standard error of the mean. The device to calibrate clicks in the middle of the recording, where the error of the slope has
    // little effect.
    error = (squares / max(count - 2, 1) / count).squareRoot()
  }

  /// Returns the recorded time of a due time.
  func recorded(_ time: Double) -> Double { center.recorded + (time - center.due) * rate }
}
