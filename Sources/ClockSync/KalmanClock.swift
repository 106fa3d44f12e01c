/// Estimates the remote clock by averaging: a Kalman filter (R. E. Kalman, 1960) with three states, the offset, the
/// skew, and the mean delay that both directions have in common.
///
///     out    difference = offset + delay + noise
///     back   difference = offset - delay + noise
///
/// If the noise is the sum of many small causes, no other estimator is better. The filter needs no window: its memory
/// follows from the ratio of the noise to the random walk of the crystals' skew (``skewRandomWalk``), one second on a
/// quiet wire and half a minute on Wi-Fi. The noise of each direction is estimated from the prediction errors. An error
/// beyond three standard deviations counts as three (P. J. Huber, 1964), so that a stall of the network does not move
/// the mean. Times are in seconds, offsets in nanoseconds.
///
/// If only one direction has a long delay tail, the mean is biased; ``variance(at:)`` includes an allowance for this.
struct KalmanClock: Sendable {
  /// The random walk of the skew between two crystals: its standard deviation after one second, in nanoseconds per
  /// second. It grows with the square root of time.
  static let skewRandomWalk = 130.0
  /// The standard deviation of the skew before the first packet, nanoseconds per second.
  static let initialSkewDeviation = 50_000.0
  /// The random walk of the mean delay, which changes with other traffic: a fiftieth of the noise in one second. As a
  /// fraction of the noise variance per second.
  static let delayRandomWalk = 1.0 / 2500
  /// The lower bound of the noise variance, in square nanoseconds: time stamps are not more accurate.
  static let minimumVariance = 250_000.0
  /// The lower bound of the noise variance as a fraction of the variance of the state. Below this fraction, the
  /// subtractions exceed the precision of a Double.
  static let minimumNoiseShare = 1e-6
  /// This number of consecutive outliers in one direction, all with the same sign and over at least
  /// `minimumOutlierTime` seconds, is not noise: a stall of the network ends earlier.
  static let outliersBeforeRestart = 12
  static let minimumOutlierTime = 2.0

  /// The statistics of one direction.
  private struct Direction {
    /// The variance of the noise, square nanoseconds.
    var variance = 0.0
    var count = 0.0
    /// The number of consecutive outliers, with their sign.
    var outliers = 0
    /// The moment of the first of these outliers, seconds.
    var outliersSince = 0.0

    mutating func countOutliers(_ error: Double, limit: Double, at moment: Double) {
      guard abs(error) > limit else {
        outliers = 0
        return
      }
      if outliers == 0 || (outliers > 0) != (error > 0) { (outliers, outliersSince) = (0, moment) }
      outliers += error > 0 ? 1 : -1
    }

    func hasPersistentOutliers(at moment: Double) -> Bool {
      abs(outliers) >= KalmanClock.outliersBeforeRestart && moment - outliersSince >= KalmanClock.minimumOutlierTime
    }

    mutating func updateVariance(_ square: Double) {
      count += 1
      variance += (max(square, variance / 20) - variance) / min(count + 3, 200)
      variance = max(variance, KalmanClock.minimumVariance)
    }
  }

  /// The moment for which the state holds, seconds.
  private var time: Double
  /// The state: offset in nanoseconds, skew in nanoseconds per second.
  private(set) var offset: Double
  private(set) var skew = 0.0
  private var delay: Double
  // The covariance of offset (o), skew (s) and delay (d), a symmetric matrix.
  private var (oo, os, od) = (0.0, 0.0, 0.0)
  private var (ss, sd, dd) = (initialSkewDeviation * initialSkewDeviation, 0.0, 0.0)
  private var out = Direction()
  private var back = Direction()

  /// Creates the filter from one difference in each direction, in nanoseconds, at `time`, in seconds.
  init(out first: Double, back second: Double, at time: Double) {
    self.time = time
    offset = (first + second) / 2
    delay = (first - second) / 2
    // The offset lies within half the measured delay.
    oo = max(delay * delay / 4, Self.minimumVariance)
    dd = oo
    (out.variance, back.variance) = (oo, oo)
  }

  /// Restarts the filter with new differences. The skew is kept, but its variance is at least the initial one: the skew
  /// may have changed.
  mutating func restart(out first: Double, back second: Double, at time: Double) {
    let skewVariance = ss
    let skew = skew
    self = KalmanClock(out: first, back: second, at: time)
    self.skew = min(max(skew, -Self.initialSkewDeviation), Self.initialSkewDeviation)
    ss = max(skewVariance, ss)
  }

  /// Whether the clock, or the route, behaves differently than before.
  var hasPersistentOutliers: Bool { out.hasPersistentOutliers(at: time) || back.hasPersistentOutliers(at: time) }

  /// Updates the state with the clock difference `difference` at `moment`. `moment` may lie slightly before the newest
  /// one, because some packets are reported late.
  mutating func add(_ difference: Double, isOut: Bool, at moment: Double) {
    advance(to: moment)
    let sign = isOut ? 1.0 : -1.0
    let age = moment - time
    var way = isOut ? out : back
    // The covariance times the measurement vector: offset + age * skew + sign * delay.
    let (ho, hs, hd) = (oo + age * os + sign * od, os + age * ss + sign * sd, od + age * sd + sign * dd)
    let predicted = ho + age * hs + sign * hd
    let total = predicted + max(way.variance, (oo + dd) * Self.minimumNoiseShare)
    let error = difference - (offset + age * skew + sign * delay)
    let limit = 3 * total.squareRoot()
    let clipped = min(max(error, -limit), limit)
    way.countOutliers(error, limit: limit, at: moment)
    way.updateVariance(1.03 * clipped * clipped - predicted)
    if isOut { out = way } else { back = way }
    let (ko, ks, kd) = (ho / total, hs / total, hd / total)
    offset += ko * clipped
    skew += ks * clipped
    delay += kd * clipped
    (oo, os, od) = (oo - ko * ho, os - ko * hs, od - ko * hd)
    (ss, sd, dd) = (ss - ks * hs, sd - ks * hd, dd - kd * hd)
  }

  private mutating func advance(to moment: Double) {
    let passed = moment - time
    guard passed > 0 else { return }
    time = moment
    offset += passed * skew
    let skewRandomWalk = Self.skewRandomWalk * Self.skewRandomWalk
    oo += passed * (2 * os + passed * ss) + skewRandomWalk * passed * passed * passed / 3
    os += passed * ss + skewRandomWalk * passed * passed / 2
    od += passed * sd
    ss += skewRandomWalk * passed
    dd += passed * min(out.variance, back.variance) * Self.delayRandomWalk
  }

  /// The offset at `moment`, nanoseconds.
  func offset(at moment: Double) -> Double { offset + (moment - time) * skew }

  /// The variance of ``offset(at:)``, in square nanoseconds. It includes an allowance for asymmetric delay: half of the
  /// amount by which the noise of one direction exceeds that of the other may be delay in that direction only.
  func variance(at moment: Double) -> Double {
    let ahead = moment - time
    let (a, b) = (out.variance.squareRoot(), back.variance.squareRoot())
    let asymmetry = max(0, abs(a - b) - min(a, b) / 2) / 2
    return max(oo + ahead * (2 * os + ahead * ss), 1) + asymmetry * asymmetry
  }
}
