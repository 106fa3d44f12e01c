import MusicalTime

/// The relation of the frames of a recording to instants: a line through the position reports of the device.
///
/// The errors of the reports are those that ``DeviceClock`` describes. Reports of hardware may be old but are never ahead. Therefore
/// no report may lie below the line. Of all such lines, the line with the minimum mean distance to the reports is used. It extends the
/// edge of the lower convex hull of the reports that lies below their mean (Moon, Skelly and Towsley, 1999). Reports of sound servers
/// have errors of both signs, so the line is the least-squares line. Unlike ``DeviceClock``, this type uses all reports of a recording
/// at once.
struct CaptureLine: Sendable {
  /// A report. `x` is the frame, and `lateness` is the instant minus the nominal time of the frame, in nanoseconds.
  private struct Point { let x, lateness: Double }

  private let frameLength: Double
  private let isHardware: Bool
  /// The instant of the first report.
  private var origin: Instant?
  private var points: [Point] = []
  /// The line: lateness = offset + slope * frame. ``finish()`` calculates both values from all points. Until then, they are 0.
  private var fit: (offset: Double, slope: Double) = (0, 0)

  /// The frames after the start whose reports may be wrong, because the device is still starting.
  private static let startFrames: Int64 = 4_800
  /// The largest slope, relative to the length of a frame: 500 ppm.
  private static let largestSlope = 5e-4
  /// The shortest time in seconds from the first to the last report for which the slope is estimated. For a shorter time, the slope
  /// is 0.
  private static let shortestSpan = 5.0

  init(rate: Int64, isHardware: Bool) { (frameLength, self.isHardware) = (1e9 / Double(rate), isHardware) }

  /// Adds a report: at `instant`, the device had recorded `frame` frames. After the first report, ignores reports of the first
  /// ``startFrames`` frames.
  mutating func observe(frame: Int64, at instant: Instant) {
    guard frame >= Self.startFrames || points.isEmpty else { return }
    let first = origin ?? instant
    // The first report was accepted although it may be wrong. The first reliable report replaces it.
    if frame >= Self.startFrames, points.count == 1, points[0].x < Double(Self.startFrames) { points = [] }
    origin = first
    points.append(Point(x: Double(frame), lateness: Double((instant - first).count) - Double(frame) * frameLength))
  }

  /// Returns the instant at which a frame arrived, in nanoseconds of CLOCK_MONOTONIC; 0 without a report.
  func instant(of frame: Double) -> Double {
    guard let origin else { return 0 }
    return Double(origin.nanoseconds) + frame * frameLength + fit.offset + fit.slope * frame
  }

  /// Calculates the line from all reports.
  mutating func finish() {
    guard let first = points.first, let last = points.last else { return }
    let count = Double(points.count)
    let mean = (
      x: points.reduce(0) { $0 + $1.x } / count, lateness: points.reduce(0) { $0 + $1.lateness } / count
    )
    let limit = Self.largestSlope * frameLength
    var slope = 0.0
    if (last.x - first.x) * frameLength >= Self.shortestSpan * 1e9 {
      slope = min(max(isHardware ? lowerEdge(below: mean.x) : leastSquares(mean), -limit), limit)
    }
    // The offset belongs to this slope, which may have been limited. For hardware, the line is as high as possible without a report
    // below it.
    let offset =
      isHardware
      ? points.reduce(.infinity) { min($0, $1.lateness - slope * $1.x) } : mean.lateness - slope * mean.x
    fit = (offset, slope)
  }

  private func leastSquares(_ mean: (x: Double, lateness: Double)) -> Double {
    var (squares, products) = (0.0, 0.0)
    for point in points {
      squares += (point.x - mean.x) * (point.x - mean.x)
      products += (point.x - mean.x) * (point.lateness - mean.lateness)
    }
    return squares > 0 ? products / squares : 0
  }

  /// Returns the slope of the edge of the lower convex hull below `x` (A. Andrew, Information Processing Letters 9 (5),
  /// 1979).
  private func lowerEdge(below x: Double) -> Double {
    var hull: [Point] = []
    for point in points where point.x > hull.last?.x ?? -.infinity {
      while hull.count > 1 {
        let (a, b) = (hull[hull.count - 2], hull[hull.count - 1])
        guard (b.x - a.x) * (point.lateness - a.lateness) <= (b.lateness - a.lateness) * (point.x - a.x) else { break }
        hull.removeLast()
      }
      hull.append(point)
    }
    guard let edge = zip(hull, hull.dropFirst()).first(where: { $1.x >= x }) else { return 0 }
    return (edge.1.lateness - edge.0.lateness) / (edge.1.x - edge.0.x)
  }
}
