/// The remote clock by averaging: a Kalman filter (Kalman 1960) of three states, the offset, the skew, and the delay that
/// both directions have in common on the mean.
///
///     out    difference = offset + delay + noise
///     back   difference = offset - delay + noise
///
/// Where the noise is the sum of many small causes, no estimate does better; and the filter needs no window: how long it
/// remembers follows from how loud the noise is beside how a crystal wanders (``wander``), a second on a quiet wire and half
/// a minute on Wi-Fi. The noise of each direction is learned from what the filter did not foresee. What lies beyond three
/// deviations counts as three (Huber 1964), so that a stall of the network does not draw the mean.
///
/// A mean is drawn by every tail that one direction has and the other has not; ``variance(at:)`` allows for that.
struct KalmanClock: Sendable {
  /// How far the skew of two crystals wanders, nanoseconds a second, in a second; it grows with the square root of time.
  static let wander = 130.0
  /// By how much two crystals differ, nanoseconds a second, before anything is known.
  static let likelySkew = 50_000.0
  /// The mean delay wanders too, as others use the network: by a fiftieth of the noise in a second.
  static let restlessness = 1.0 / 2500
  /// Noise is not taken to be below this, in square nanoseconds: stamps are no better.
  static let leastNoise = 250_000.0
  /// Nor below this part of what is not known of the state: with more digits than these a Double does not subtract.
  static let leastShare = 1e-6
  /// So many surprises in a row in one direction, all of them of one sign, are no noise if they go on for so many seconds: a
  /// stall of the network is over by then.
  static let surprisesBelieved = 12
  static let longestStall = 2.0

  /// What is known of one direction.
  private struct Way {
    /// Of its noise, square nanoseconds.
    var variance = 0.0
    var count = 0.0
    /// Surprises in a row, with their sign.
    var surprises = 0
    /// When the first of them came.
    var since = 0.0

    mutating func judge(_ error: Double, most: Double, at moment: Double) {
      guard abs(error) > most else {
        surprises = 0
        return
      }
      if surprises == 0 || (surprises > 0) != (error > 0) { (surprises, since) = (0, moment) }
      surprises += error > 0 ? 1 : -1
    }

    func isSurprised(at moment: Double) -> Bool {
      abs(surprises) >= KalmanClock.surprisesBelieved && moment - since >= KalmanClock.longestStall
    }

    mutating func learn(_ square: Double) {
      count += 1
      variance += (max(square, variance / 20) - variance) / min(count + 3, 200)
      variance = max(variance, KalmanClock.leastNoise)
    }
  }

  /// When the state holds, seconds.
  private var time: Double
  /// Nanoseconds, and nanoseconds a second.
  private(set) var offset: Double
  private(set) var skew = 0.0
  private var delay: Double
  // Their covariance, a symmetric matrix.
  private var (oo, os, od) = (0.0, 0.0, 0.0)
  private var (ss, sd, dd) = (likelySkew * likelySkew, 0.0, 0.0)
  private var out = Way()
  private var back = Way()

  /// Begins with one difference in each direction.
  init(out first: Double, back second: Double, at time: Double) {
    self.time = time
    offset = (first + second) / 2
    delay = (first - second) / 2
    // As wide as the truth can lie.
    oo = max(delay * delay / 4, Self.leastNoise)
    dd = oo
    (out.variance, back.variance) = (oo, oo)
  }

  /// Begins anew where the clocks are now; the skew is known no better than before, and may have changed.
  mutating func restart(out first: Double, back second: Double, at time: Double) {
    let known = ss
    let skew = skew
    self = KalmanClock(out: first, back: second, at: time)
    self.skew = min(max(skew, -Self.likelySkew), Self.likelySkew)
    ss = max(known, ss)
  }

  /// Whether the clock does something else than before.
  var isSurprised: Bool { out.isSurprised(at: time) || back.isSurprised(at: time) }

  /// Learns that the clocks differed by `difference` at `moment`, which may lie a little before the newest, as far as a packet
  /// that left at that moment can tell.
  mutating func add(_ difference: Double, isOut: Bool, at moment: Double) {
    advance(to: moment)
    let sign = isOut ? 1.0 : -1.0
    let ago = moment - time
    var way = isOut ? out : back
    // The covariance times what is measured: offset + ago * skew + sign * delay.
    let (ho, hs, hd) = (oo + ago * os + sign * od, os + ago * ss + sign * sd, od + ago * sd + sign * dd)
    let known = ho + ago * hs + sign * hd
    let total = known + max(way.variance, (oo + dd) * Self.leastShare)
    let error = difference - (offset + ago * skew + sign * delay)
    let most = 3 * total.squareRoot()
    let taken = min(max(error, -most), most)
    way.judge(error, most: most, at: moment)
    way.learn(1.03 * taken * taken - known)
    if isOut { out = way } else { back = way }
    let (ko, ks, kd) = (ho / total, hs / total, hd / total)
    offset += ko * taken
    skew += ks * taken
    delay += kd * taken
    (oo, os, od) = (oo - ko * ho, os - ko * hs, od - ko * hd)
    (ss, sd, dd) = (ss - ks * hs, sd - ks * hd, dd - kd * hd)
  }

  private mutating func advance(to moment: Double) {
    let passed = moment - time
    guard passed > 0 else { return }
    time = moment
    offset += passed * skew
    let wander = Self.wander * Self.wander
    oo += passed * (2 * os + passed * ss) + wander * passed * passed * passed / 3
    os += passed * ss + wander * passed * passed / 2
    od += passed * sd
    ss += wander * passed
    dd += passed * min(out.variance, back.variance) * Self.restlessness
  }

  /// The offset at `moment`.
  func offset(at moment: Double) -> Double { offset + (moment - time) * skew }

  /// How well ``offset(at:)`` is known, in square nanoseconds: half of what one direction's noise has more than the other's
  /// may be delay that only that one has.
  func variance(at moment: Double) -> Double {
    let ahead = moment - time
    let (a, b) = (out.variance.squareRoot(), back.variance.squareRoot())
    let lopsided = max(0, abs(a - b) - min(a, b) / 2) / 2
    return max(oo + ahead * (2 * os + ahead * ss), 1) + lopsided * lopsided
  }
}
