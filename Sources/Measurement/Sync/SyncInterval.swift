/// The offsets of one peer within an interval of time.
public struct SyncInterval: Hashable, Sendable, Codable {
  /// The beginning and the end of the interval in seconds since the first tick of the reference.
  public let start, end: Double
  /// The mean offset, with its sign, in microseconds.
  public let mean: Double
  /// The distribution of the absolute offsets.
  public let magnitude: Distribution

  private enum CodingKeys: String, CodingKey {
    case start = "start_s"
    case end = "end_s"
    case mean = "mean_us"
    case magnitude
  }

  /// Returns the length, in seconds, of the intervals into which `seconds` is divided. The length is 1, 2 or 5 times a power of
  /// ten, at least 1 ms, and there are at most ten intervals.
  static func length(dividing seconds: Double) -> Double {
    var power = 1e-3
    while true {
      for factor in [1.0, 2, 5] where seconds <= 10 * factor * power { return factor * power }
      power *= 10
    }
  }
}
