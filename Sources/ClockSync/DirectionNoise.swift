/// What a ``KalmanClock`` knows about the errors of its predictions in one direction. Times are in seconds, errors in nanoseconds.
struct DirectionNoise: Sendable, BitwiseCopyable {
  /// The number of consecutive outliers with the same sign in one direction after which the filter can be restarted. The
  /// outliers must also last for ``minimumOutlierTime``.
  static let outliersBeforeRestart = 12
  /// The least duration of these outliers, seconds. A stall of the network is shorter.
  static let minimumOutlierTime = 2.0

  /// The variance of the noise, square nanoseconds.
  private(set) var variance = 0.0
  /// The number of packets since ``forget()``.
  private var count = 0.0
  /// The number of consecutive outliers. It is negative if their errors are negative.
  private var outliers = 0
  /// The moment of the first of these outliers, seconds.
  private var outliersSince = 0.0
  /// The number and the sum of the corrections since ``beginCorrections()``.
  private(set) var corrections = 0.0
  private var correctionSum = 0.0

  init(variance: Double = 0) { self.variance = variance }

  /// Counts a prediction error at `moment` as an outlier if its magnitude exceeds `limit`. An error within the limit
  /// sets the count to zero. An outlier of the other sign starts a new count.
  mutating func countOutliers(_ error: Double, limit: Double, at moment: Double) {
    guard abs(error) > limit else {
      outliers = 0
      return
    }
    if outliers == 0 || (outliers > 0) != (error > 0) { (outliers, outliersSince) = (0, moment) }
    outliers += error > 0 ? 1 : -1
  }

  /// Whether the outliers are too many, over too long a time, to be noise.
  func hasPersistentOutliers(at moment: Double) -> Bool {
    abs(outliers) >= Self.outliersBeforeRestart && moment - outliersSince >= Self.minimumOutlierTime
  }

  /// Moves the variance towards `square`, a new sample of the variance. The first packet moves it by a quarter of the
  /// distance to the sample, and each later packet by a smaller share, down to a two-hundredth. The predicted variance
  /// has been subtracted from the sample, so the sample can be negative. It counts as at least a twentieth of the
  /// variance.
  mutating func updateVariance(_ square: Double) {
    count += 1
    variance += (max(square, variance / 20) - variance) / min(count + 3, 200)
    variance = max(variance, KalmanClock.minimumVariance)
  }

  /// Lets the next packets move the variance as much as the first ones.
  mutating func forget() { count = 0 }

  /// Begins a new mean of the corrections.
  mutating func beginCorrections() { (corrections, correctionSum) = (0, 0) }

  mutating func addCorrection(_ correction: Double) {
    corrections += 1
    correctionSum += correction
  }

  /// The mean of the corrections since ``beginCorrections()``.
  var meanCorrection: Double { correctionSum / corrections }
}
