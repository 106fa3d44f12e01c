/// A figure with its 95 % confidence interval.
///
/// Real-time: not safe.
public struct Estimate: Hashable, Sendable {
  /// The estimated value.
  public let value: Double
  /// The ends of the 95 % confidence interval; nil if the data do not permit an interval.
  public let interval: ClosedRange<Double>?

  /// Creates a figure.
  ///
  /// Real-time: not safe.
  public init(_ value: Double, _ interval: ClosedRange<Double>? = nil) {
    (self.value, self.interval) = (value, interval)
  }

  /// The figure in another unit, in which it is `factor` times as large. `factor` is positive.
  func scaled(by factor: Double) -> Estimate {
    Estimate(value * factor, interval.map { $0.lowerBound * factor...$0.upperBound * factor })
  }

  /// The figure and its interval as text, for example `0.40 [0.31, 0.49]`, with `places` decimal places.
  func text(_ places: Int, scale: Double = 1) -> String {
    let range = interval.map {
      " [\($0.lowerBound.fixed(places, scale: scale)), \($0.upperBound.fixed(places, scale: scale))]"
    }
    return value.fixed(places, scale: scale) + (range ?? "")
  }
}

extension Estimate: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["value": value, "low": interval?.lowerBound, "high": interval?.upperBound])
  }
}

extension Estimate? {
  /// The text of nil is a dash.
  func text(_ places: Int, scale: Double = 1) -> String { self?.text(places, scale: scale) ?? "-" }
}
