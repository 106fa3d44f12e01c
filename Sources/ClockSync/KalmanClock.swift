/// Estimates the remote clock by averaging. It is a Kalman filter (R. E. Kalman, 1960) with three states: the offset,
/// the skew, and the mean delay of one direction, which is assumed to be the same in both directions.
///
///     outbound packet    difference = offset + delay + noise
///     returning packet   difference = offset - delay + noise
///
/// A difference is the remote instant minus the local instant of a packet (``ClockTransit/difference``).
///
/// If the noise is the sum of many small causes, and is thus normally distributed, no other estimator is better. The
/// filter has no window. The time for which a packet influences the estimate follows from the ratio of the noise to the
/// random walk of the crystals' skew (``skewRandomWalk``): one second on a quiet wire and half a minute on Wi-Fi. The
/// noise of each direction is estimated from the prediction errors. An error of more than three standard deviations
/// counts as three standard deviations (P. J. Huber, 1964), so that a stall of the network does not move the estimate
/// much. Times are in seconds, offsets in nanoseconds.
///
/// If only one direction has a long tail of delays, the offset is biased. ``variance(at:)`` includes an allowance for
/// this bias.
struct KalmanClock: Sendable {
  /// The random walk of the skew between two crystals: its standard deviation after one second, in nanoseconds per
  /// second. It grows with the square root of time.
  static let skewRandomWalk = 130.0
  /// The standard deviation of the skew before the first packet, nanoseconds per second.
  static let initialSkewDeviation = 50_000.0
  /// The random walk of the mean delay, which changes with other traffic: its variance after one second, as a fraction of
  /// the noise variance (of the direction with less noise). Its standard deviation is thus a fiftieth of that of the noise.
  static let delayRandomWalk = 1.0 / 2500
  /// The lower bound of the noise variance, in square nanoseconds: time stamps are not more accurate than 500 ns.
  static let minimumVariance = 250_000.0
  /// The lower bound of the noise variance as a fraction of the sum of the variances of offset and delay. With less
  /// noise, the subtractions that update the covariances in ``add(_:isOut:at:)`` would lose too many significant digits
  /// of a Double.
  static let minimumNoiseShare = 1e-6
  /// The number of consecutive outliers with the same sign in one direction after which the filter can be restarted. The
  /// outliers must also last for ``minimumOutlierTime``.
  static let outliersBeforeRestart = 12
  /// The least duration of these outliers, seconds. A stall of the network is shorter.
  static let minimumOutlierTime = 2.0

  /// The statistics of one direction.
  private struct Direction {
    /// The variance of the noise, square nanoseconds.
    var variance = 0.0
    /// The number of packets.
    var count = 0.0
    /// The number of consecutive outliers. It is negative if their errors are negative.
    var outliers = 0
    /// The moment of the first of these outliers, seconds.
    var outliersSince = 0.0

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
      abs(outliers) >= KalmanClock.outliersBeforeRestart && moment - outliersSince >= KalmanClock.minimumOutlierTime
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
  }

  /// The moment for which the state holds, seconds.
  private var time: Double
  /// The offset in nanoseconds, and the skew in nanoseconds per second.
  private(set) var offset: Double
  private(set) var skew = 0.0
  /// The mean delay that both directions have in common, nanoseconds.
  private var delay: Double
  // The covariance of offset (o), skew (s) and delay (d), a symmetric matrix: `os` is that of offset and skew.
  private var (oo, os, od) = (0.0, 0.0, 0.0)
  private var (ss, sd, dd) = (initialSkewDeviation * initialSkewDeviation, 0.0, 0.0)
  private var out = Direction()
  private var back = Direction()

  /// Creates the filter from one difference in each direction, in nanoseconds, at `time`, in seconds.
  init(out first: Double, back second: Double, at time: Double) {
    self.time = time
    offset = (first + second) / 2
    delay = (first - second) / 2
    // The true offset differs from the first estimate by at most `delay`. Its standard deviation is therefore set to half of `delay`.
    oo = max(delay * delay / 4, Self.minimumVariance)
    dd = oo
    (out.variance, back.variance) = (oo, oo)
  }

  /// Restarts the filter with new differences. The skew is kept, but limited to ±``initialSkewDeviation``. The variance
  /// of the skew becomes at least the initial variance, because the skew may have changed.
  mutating func restart(out first: Double, back second: Double, at time: Double) {
    let skewVariance = ss
    let skew = skew
    self = KalmanClock(out: first, back: second, at: time)
    self.skew = min(max(skew, -Self.initialSkewDeviation), Self.initialSkewDeviation)
    ss = max(skewVariance, ss)
  }

  /// Whether one direction has persistent outliers. They show that the clock or the route has changed.
  var hasPersistentOutliers: Bool { out.hasPersistentOutliers(at: time) || back.hasPersistentOutliers(at: time) }

  /// Updates the state with the difference of a packet at `moment`. `moment` may be slightly before ``time``, because
  /// some packets are reported late.
  mutating func add(_ difference: Double, isOut: Bool, at moment: Double) {
    advance(to: moment)
    let sign = isOut ? 1.0 : -1.0
    // `age` is zero, or negative for a packet that is reported late.
    let age = moment - time
    var direction = isOut ? out : back
    // The predicted difference is offset + age * skew + sign * delay. Its covariances with offset, skew and delay:
    let (ho, hs, hd) = (oo + age * os + sign * od, os + age * ss + sign * sd, od + age * sd + sign * dd)
    let predictedVariance = ho + age * hs + sign * hd
    // The variance of the prediction error is the variance of the prediction plus the variance of the noise.
    let errorVariance = predictedVariance + max(direction.variance, (oo + dd) * Self.minimumNoiseShare)
    let error = difference - (offset + age * skew + sign * delay)
    let limit = 3 * errorVariance.squareRoot()
    let clipped = min(max(error, -limit), limit)
    direction.countOutliers(error, limit: limit, at: moment)
    // The sample of the noise variance is the square of the clipped error minus the variance of the prediction. The factor 1.03
    // compensates for the clipping, with a reserve: in a normal distribution, the values beyond three standard deviations contribute 3 %
    // of the variance, and clipping removes only a part of this contribution.
    direction.updateVariance(1.03 * clipped * clipped - predictedVariance)
    if isOut { out = direction } else { back = direction }
    // The Kalman gain: the share of the error by which each state changes.
    let (ko, ks, kd) = (ho / errorVariance, hs / errorVariance, hd / errorVariance)
    offset += ko * clipped
    skew += ks * clipped
    delay += kd * clipped
    (oo, os, od) = (oo - ko * ho, os - ko * hs, od - ko * hd)
    (ss, sd, dd) = (ss - ks * hs, sd - ks * hd, dd - kd * hd)
  }

  /// Predicts the state and its covariance at `moment`. Does nothing if `moment` is not after ``time``.
  private mutating func advance(to moment: Double) {
    let passed = moment - time
    guard passed > 0 else { return }
    time = moment
    offset += passed * skew
    // The random walk of the skew adds q * t to its variance; integrated over the time t, it adds q * t^3 / 3 to the
    // variance of the offset and q * t^2 / 2 to the covariance of both.
    let q = Self.skewRandomWalk * Self.skewRandomWalk
    oo += passed * (2 * os + passed * ss) + q * passed * passed * passed / 3
    os += passed * ss + q * passed * passed / 2
    od += passed * sd
    ss += q * passed
    dd += passed * min(out.variance, back.variance) * Self.delayRandomWalk
  }

  /// The offset at `moment`, nanoseconds.
  func offset(at moment: Double) -> Double { offset + (moment - time) * skew }

  /// The variance of ``offset(at:)``, in square nanoseconds. It includes an allowance for asymmetric delay: if the standard
  /// deviation of the noise in one direction exceeds one and a half times that in the other direction, half of the excess may
  /// be additional delay in the first direction.
  func variance(at moment: Double) -> Double {
    let ahead = moment - time
    let (a, b) = (out.variance.squareRoot(), back.variance.squareRoot())
    let asymmetry = max(0, abs(a - b) - min(a, b) / 2) / 2
    return max(oo + ahead * (2 * os + ahead * ss), 1) + asymmetry * asymmetry
  }
}
