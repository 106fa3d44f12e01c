import Foundation

/// The axes of a logarithmic plot of a deviation over the observation time τ, and thin lines with the slopes of the power-law noises:
/// white and flicker phase noise τ^-1, white frequency noise τ^-1/2, flicker frequency noise τ^0, random walk of the frequency τ^1/2
/// (NIST SP 1065, section 3.5, table 2).
struct SlopeGuides {
  private let points: [(seconds: Double, deviation: Double)]

  /// Creates the guides for the points of a plot; nil if no deviation is greater than 0.
  init?(_ points: [(seconds: Double, deviation: Double)]) {
    self.points = points.filter { $0.deviation > 0 && $0.seconds > 0 }
    if self.points.isEmpty { return nil }
  }

  /// The commands for the axes.
  var settings: [String] {
    let (times, deviations) = (points.map(\.seconds), points.map(\.deviation))
    return Gnuplot.logarithmic("x", times.min()!, times.max()!)
      + Gnuplot.logarithmic("y", deviations.min()!, deviations.max()!)
  }

  /// The lines. All of them meet in the geometric mean of the points, so that a slope can be compared at any place.
  var curves: [String] {
    func mean(_ values: [Double]) -> Double { exp(values.map(log).reduce(0, +) / Double(values.count)) }
    let (time, deviation) = (mean(points.map(\.seconds)), mean(points.map(\.deviation)))
    return [(-1.0, "-1", 2), (-0.5, "-1/2", 3), (0, "0", 4), (0.5, "1/2", 5)].map { slope, name, dash in
      "\(deviation) * (x / \(time)) ** \(slope) with lines dt \(dash) lw 0.7 lc rgb '#777777' title 'slope \(name)'"
    }
  }
}
