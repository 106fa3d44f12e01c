/// Estimates the remote clock from all packets. It is a Kalman filter (R. E. Kalman, 1960) with three states: the offset,
/// the skew, and the mean delay of one direction, which is assumed to be the same in both directions.
///
///     outbound packet    difference = offset + delay + noise
///     returning packet   difference = offset - delay + noise
///
/// A difference is the remote instant minus the local instant of a packet (``ClockTransit/difference``).
///
/// The filter of Kalman corrects its state by the error of each prediction. This is best if the noise is the sum of many small causes, and
/// thus normally distributed. Other noise needs other corrections (C. J. Masreliez, "Approximate non-Gaussian filtering with linear state and
/// observation relations", 1975): the score of the density of the errors takes the place of the error, and its Fisher information that of
/// the variance. ``DelayDensity`` learns this score while the filter runs. On a delay with a steep edge and a long tail, the packets near the
/// edge then determine the estimate.
///
/// At the beginning, the density is unknown, and an error of more than three standard deviations counts as three (P. J. Huber, 1964). The first
/// ``firstPackets`` are kept: after 12, 24, 48 and 96 packets, the density is learned from them, and they are processed again with
/// it. Later, each packet is processed once.
///
/// The filter has no window. The time for which a packet influences the estimate follows from the ratio of the noise to the
/// random walk of the crystals' skew (``skewRandomWalk``): one second on a quiet wire and half a minute on Wi-Fi. If the rate of the
/// clock changes more than a crystal does, the mean of the corrections shows it, and the state becomes less certain. If the network changes,
/// the density is learned again from the next packets. Times are in seconds, offsets in nanoseconds.
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
  /// The number of packets that are kept at the beginning.
  private static let firstPackets = 96
  /// The number of packets after which they are processed again for the first time.
  private static let firstReplay = 12
  /// The number of packets of each direction after which the mean of their corrections is checked.
  private static let packetsPerCheck = 50.0
  /// The number of standard deviations that this mean may differ from zero.
  private static let maximumMean = 6.0

  /// A packet in ``packets``.
  private struct Packet {
    var difference = 0.0
    var moment = 0.0
    var isOut = false
    /// The sign of the delay in the difference.
    var sign: Double { isOut ? 1 : -1 }
  }

  private var state = KalmanState()
  private var out = DirectionNoise()
  private var back = DirectionNoise()
  /// The density of the delays of both directions.
  private var density = DelayDensity()
  /// The packets since the beginning, the last restart or the last change of the network.
  private var packets = [Packet](repeating: Packet(), count: firstPackets)
  private var packetCount = 0
  /// The state before the first of ``packets``.
  private var stateBeforePackets = KalmanState()
  /// The value of ``packetCount`` at which ``packets`` are processed again.
  private var nextReplay = firstReplay
  /// The moment at which the present mean of the corrections began.
  private var checkTime = 0.0

  /// Begins with one difference in each direction, in nanoseconds, at `time`, in seconds.
  mutating func begin(out first: Double, back second: Double, at time: Double) {
    begin(out: first, back: second, at: time, skew: 0, skewVariance: 0)
  }

  /// Restarts the filter with new differences. The skew is kept, but limited to ±``initialSkewDeviation``. The variance
  /// of the skew becomes at least the initial variance, because the skew may have changed.
  mutating func restart(out first: Double, back second: Double, at time: Double) {
    begin(out: first, back: second, at: time, skew: state.skew, skewVariance: state.ss)
  }

  private mutating func begin(
    out first: Double, back second: Double, at time: Double, skew: Double, skewVariance: Double
  ) {
    let (offset, delay) = ((first + second) / 2, (first - second) / 2)
    // The true offset differs from the first estimate by at most `delay`. Its standard deviation is therefore set to half of `delay`.
    let variance = max(delay * delay / 4, Self.minimumVariance)
    let limit = Self.initialSkewDeviation
    state = KalmanState(
      time: time, offset: offset, skew: min(max(skew, -limit), limit), delay: delay, oo: variance,
      ss: max(skewVariance, limit * limit), dd: variance)
    (out, back) = (DirectionNoise(variance: variance), DirectionNoise(variance: variance))
    beginLearning()
    keep(Packet(difference: first, moment: time, isOut: true))
    keep(Packet(difference: second, moment: time, isOut: false))
  }

  // A function that is not mutating and is not inlined gets a copy of this large value.

  /// Whether one direction has persistent outliers. They show that the clock or the route has changed.
  @inline(__always) var hasPersistentOutliers: Bool {
    out.hasPersistentOutliers(at: state.time) || back.hasPersistentOutliers(at: state.time)
  }

  /// Updates the state with the difference of a packet at `moment`. `moment` may be slightly before that of the last packet, because
  /// some packets are reported late.
  mutating func add(_ difference: Double, isOut: Bool, at moment: Double) {
    let packet = Packet(difference: difference, moment: moment, isOut: isOut)
    state.advance(to: moment, noise: min(out.variance, back.variance))
    let prediction = state.prediction(isOut: isOut, at: moment)
    var direction = isOut ? out : back
    let error = difference - prediction.difference
    let noise = direction.variance
    let limit = 3 * (prediction.variance + state.sufficient(noise)).squareRoot()
    let clipped = min(max(error, -limit), limit)
    direction.countOutliers(error, limit: limit, at: moment)
    // The sample of the noise variance is the square of the clipped error minus the variance of the prediction. The factor 1.03
    // compensates for the clipping, with a reserve: in a normal distribution, the values beyond three standard deviations contribute 3 %
    // of the variance, and clipping removes only a part of this contribution.
    direction.updateVariance(1.03 * clipped * clipped - prediction.variance)
    if isOut { out = direction } else { back = direction }
    if packetCount < Self.firstPackets {
      keep(packet)
      if packetCount == nextReplay { return replay() }
    }
    // If the prediction is less certain than a packet, as after a silence, the error is not that of the delay.
    guard let learnedNoise = density.variance, prediction.variance < learnedNoise else {
      return state.correct(prediction, by: clipped, noise: noise)
    }
    let correction = packet.sign * density.correction(by: packet.sign * error)
    state.correct(prediction, by: correction, noise: learnedNoise)
    if isOut { out.addCorrection(correction) } else { back.addCorrection(correction) }
    checkCorrections(noise: learnedNoise)
    density.add(packet.sign * error, at: moment)
    if density.hasChanged { beginLearning() }
  }

  /// Discards the density of the delays and begins to learn it again.
  private mutating func beginLearning() {
    density.removeAll()
    (stateBeforePackets, packetCount, nextReplay) = (state, 0, Self.firstReplay)
    out.forget()
    back.forget()
    beginCheck()
  }

  private mutating func keep(_ packet: Packet) {
    packets[packetCount] = packet
    packetCount += 1
  }

  /// Learns the density from the residuals of ``packets``, and processes them again with this density, from the state before the
  /// first of them. The corrections are those at the present line: this is one step of Newton's method.
  private mutating func replay() {
    nextReplay *= 2
    var line = state
    let count = packetCount
    /// The delay of a packet minus the expected delay.
    func residual(_ packet: Packet) -> Double {
      packet.sign * (packet.difference - line.offset - (packet.moment - line.time) * line.skew) - line.delay
    }
    // When the network changes, the mean delay changes too.
    var shift = 0.0
    for n in 0..<count { shift += residual(packets[n]) / Double(count) }
    line.delay += shift
    var scale = 0.0
    for n in 0..<count { scale += abs(residual(packets[n])) / Double(count) }
    density.learn(count, scale: scale, at: line.time) { residual(packets[$0]) }
    guard let noise = density.variance else { return }
    state = stateBeforePackets
    state.dd += shift * shift
    for n in 0..<count {
      let packet = packets[n]
      state.advance(to: packet.moment, noise: min(out.variance, back.variance))
      let prediction = state.prediction(isOut: packet.isOut, at: packet.moment)
      let residual = residual(packet)
      let corrected = packet.difference + packet.sign * (density.correction(by: residual) - residual)
      state.correct(prediction, by: corrected - prediction.difference, noise: noise)
    }
    state.advance(to: line.time, noise: min(out.variance, back.variance))
  }

  private mutating func beginCheck() {
    checkTime = state.time
    out.beginCorrections()
    back.beginCorrections()
  }

  /// Compares the means of the corrections in both directions with zero. If the remote clock is slewed, its rate changes more than the
  /// random walk of a crystal, and the filter falls behind. Both means then have the same sign, and the offset is wrong by their mean. The
  /// variances of offset and skew are increased by what this error shows. If the means have opposite signs, the delay has changed: the
  /// network is another one.
  private mutating func checkCorrections(noise: Double) {
    guard min(out.corrections, back.corrections) >= Self.packetsPerCheck else { return }
    let error = (out.meanCorrection + back.meanCorrection) / 2
    let delayError = (out.meanCorrection - back.meanCorrection) / 2
    let limit = Self.maximumMean * Self.maximumMean * noise * (1 / out.corrections + 1 / back.corrections) / 4
    let passed = max(state.time - checkTime, 0.1)
    beginCheck()
    if delayError * delayError > limit + Self.maximumMean * Self.maximumMean * state.dd {
      beginLearning()
    } else if error * error > limit + Self.maximumMean * Self.maximumMean * state.oo {
      state.oo += error * error
      // The rate may have changed before this interval.
      state.ss += error * error / (16 * passed * passed)
    }
  }

  /// The skew, nanoseconds per second.
  var skew: Double { state.skew }

  /// The offset at `moment`, nanoseconds.
  @inline(__always) func offset(at moment: Double) -> Double { state.offset + (moment - state.time) * state.skew }

  /// The variance of ``offset(at:)``, in square nanoseconds. It includes an allowance for asymmetric delay: if the standard
  /// deviation of the noise in one direction exceeds one and a half times that in the other direction, half of the excess may
  /// be additional delay in the first direction.
  @inline(__always) func variance(at moment: Double) -> Double {
    let (a, b) = (out.variance.squareRoot(), back.variance.squareRoot())
    let asymmetry = max(0, abs(a - b) - min(a, b) / 2) / 2
    return max(state.offsetVariance(at: moment), 1) + asymmetry * asymmetry
  }
}
