/// The state of a ``KalmanClock`` at one moment: the offset, the skew and the mean delay, and their covariance. Times are in seconds, offsets
/// and delays in nanoseconds.
struct KalmanState: Sendable, BitwiseCopyable {
  /// The moment for which the state holds.
  var time = 0.0
  var offset = 0.0
  /// The skew, nanoseconds per second.
  var skew = 0.0
  /// The mean delay that both directions have in common.
  var delay = 0.0
  // The covariance of offset (o), skew (s) and delay (d), a symmetric matrix: `os` is that of offset and skew.
  var oo = 0.0
  var os = 0.0
  var od = 0.0
  var ss = 0.0
  var sd = 0.0
  var dd = 0.0

  /// The lower bound of the noise variance as a fraction of the sum of the variances of offset and delay. With less
  /// noise, the subtractions in ``correct(_:by:noise:)`` would lose too many significant digits of a Double.
  private static let minimumNoiseShare = 1e-6

  /// The predicted difference of a packet.
  struct Prediction {
    var difference: Double
    /// The variance of `difference`.
    var variance: Double
    /// The covariances of `difference` with offset, skew and delay.
    var (ho, hs, hd): (Double, Double, Double)
  }

  /// Predicts the state and its covariance at `moment`. Does nothing if `moment` is not after ``time``.
  ///
  /// - Parameter noise: the variance of the delays, which gives the random walk of their mean.
  mutating func advance(to moment: Double, noise: Double) {
    let passed = moment - time
    guard passed > 0 else { return }
    time = moment
    offset += passed * skew
    // The random walk of the skew adds q * t to its variance; integrated over the time t, it adds q * t^3 / 3 to the
    // variance of the offset and q * t^2 / 2 to the covariance of both.
    let q = KalmanClock.skewRandomWalk * KalmanClock.skewRandomWalk
    oo += passed * (2 * os + passed * ss) + q * passed * passed * passed / 3
    os += passed * ss + q * passed * passed / 2
    od += passed * sd
    ss += q * passed
    dd += passed * noise * KalmanClock.delayRandomWalk
  }

  /// Predicts the difference of a packet at `moment`, which may be slightly before ``time``.
  func prediction(isOut: Bool, at moment: Double) -> Prediction {
    let sign = isOut ? 1.0 : -1.0
    let age = moment - time
    // The difference is offset + age * skew + sign * delay.
    let (ho, hs, hd) = (oo + age * os + sign * od, os + age * ss + sign * sd, od + age * sd + sign * dd)
    return Prediction(
      difference: offset + age * skew + sign * delay, variance: ho + age * hs + sign * hd, ho: ho, hs: hs, hd: hd)
  }

  /// The noise variance, raised to its lower bound.
  func sufficient(_ noise: Double) -> Double { max(noise, (oo + dd) * Self.minimumNoiseShare) }

  /// Corrects the state by the error of a prediction.
  ///
  /// - Parameter noise: the variance of the noise in the error.
  mutating func correct(_ prediction: Prediction, by error: Double, noise: Double) {
    let errorVariance = prediction.variance + sufficient(noise)
    let (ho, hs, hd) = (prediction.ho, prediction.hs, prediction.hd)
    // The Kalman gain: the share of the error by which each state changes.
    let (ko, ks, kd) = (ho / errorVariance, hs / errorVariance, hd / errorVariance)
    offset += ko * error
    skew += ks * error
    delay += kd * error
    (oo, os, od) = (oo - ko * ho, os - ko * hs, od - ko * hd)
    (ss, sd, dd) = (ss - ks * hs, sd - ks * hd, dd - kd * hd)
  }

  /// The variance of the offset at `moment`.
  func offsetVariance(at moment: Double) -> Double {
    let ahead = moment - time
    return oo + ahead * (2 * os + ahead * ss)
  }
}
