import MusicalTime

/// The error of an estimated offset of a remote clock, as the exchanges after the estimate show it.
///
/// The packets alone do not show the error: ``ClockSync/RemoteClock`` knows only the noise of the delays and the random walk of crystals, and
/// its standard deviation does not contain other noise of the clocks and of their stamps. Therefore each estimate is compared with the next
/// exchange. The exchange shows the offset as half of the sum of the differences of its two packets. The deviation of this offset from the
/// estimate contains the error of the estimate, the noise of the clocks and stamps at this exchange, and half of the difference of the two
/// delays.
///
/// The difference of the delays grows with the round trip, which is the reason for the clock filter of NTP (RFC 5905, section 10). The
/// variance of the deviation is therefore modelled as `a + c r²`. The excess `r` is the round trip minus the smallest one. The factor `c` is
/// between 0 and 1/4, because half of the difference of two delays is at most half of the excess. Weighted least squares with the weights of
/// normally distributed deviations determine `a` and `c`.
///
/// The figure is the upper limit of `a` with a confidence of 95 %. The fitted `a` is too small in many short measurements, because few
/// exchanges are fast, and because the errors of successive estimates depend on each other. The limit is the larger one of two: that of
/// independent deviations, and that of the scatter of five blocks.
struct OffsetScatter {
  /// The deviation of an exchange from the estimate before it.
  private struct Deviation {
    /// The local instant at which the answer arrived.
    let instant: Instant
    /// The offset of the exchange minus the estimate, and the round trip, in nanoseconds.
    let (error, roundTrip): (Double, Double)
  }

  /// The deviations in the order of the answers.
  private var deviations: [Deviation] = []

  /// The fewest deviations for a figure.
  private static let fewest = 8
  /// The longest time before the last answer from which deviations are used.
  private static let longest = Nanoseconds.seconds(60)
  /// The largest factor `c`.
  private static let largestFactor = 0.25
  /// The number of iterations of the least squares. The weights change by less than 1 % after ten.
  private static let iterations = 30
  /// The number of blocks.
  private static let blocks = 5
  /// The 95 % quantile of the normal distribution.
  private static let quantile = 1.644854

  /// Discards all deviations, because the estimate was reset.
  mutating func removeAll() { deviations.removeAll() }

  /// Adds an exchange.
  ///
  /// - Parameter offset: the estimate of the offset before this exchange, for the middle of the exchange.
  mutating func add(_ exchange: NetworkExchange, offset: Nanoseconds) {
    // The offset of two clocks can have 19 digits, which a Double does not have.
    func error(_ difference: Nanoseconds) -> Double { Double(Int128(difference.count) - Int128(offset.count)) }
    let (out, back) = (exchange.remoteReceived - exchange.sent, exchange.remoteSent - exchange.received)
    deviations.append(
      Deviation(
        instant: exchange.received, error: (error(out) + error(back)) / 2, roundTrip: exchange.roundTrip))
  }

  /// The upper limit of the variance of the offset, in square nanoseconds; nil with too few exchanges. Only the later half of the
  /// exchanges counts, because the first estimates are less exact than the last one.
  var variance: Double? {
    guard let last = deviations.last else { return nil }
    let used = deviations.suffix(deviations.count / 2).drop { last.instant - $0.instant > Self.longest }
    guard used.count >= Self.fewest, let smallest = used.map(\.roundTrip).min() else { return nil }
    let squares = used.map { $0.error * $0.error }
    let excesses = used.map { ($0.roundTrip - smallest) * ($0.roundTrip - smallest) }
    let (a, c, weights) = Self.fit(squares, excesses)
    let sum = weights.reduce(0, +)
    // The blocks have equal numbers of deviations. Each contributes its weighted distance from the mean.
    var scatter = 0.0
    let rests = zip(squares, excesses).map { $0 - c * $1 }
    let mean = zip(weights, rests).reduce(0) { $0 + $1.0 * $1.1 } / sum
    for block in 0..<Self.blocks {
      let range = block * used.count / Self.blocks..<(block + 1) * used.count / Self.blocks
      let distance = range.reduce(0) { $0 + weights[$1] * (rests[$1] - mean) } / sum
      scatter += distance * distance * Double(Self.blocks) / Double(Self.blocks - 1)
    }
    // The variance of the square of a normally distributed value is twice the square of its variance.
    let independent = (2 / sum).squareRoot() * Self.quantile
    let dependent = scatter.squareRoot() * BlockJackknife.quantile(Self.blocks - 1, z: Self.quantile)
    return a + max(independent, dependent)
  }

  /// Fits `a + c x` to `squares`, and returns `a`, `c` and the weights: the inverse squares of the fitted values.
  ///
  /// - Parameters:
  ///   - squares: the squares of the deviations.
  ///   - excesses: the squares of the excess of the round trips, `x`.
  private static func fit(_ squares: [Double], _ excesses: [Double]) -> (a: Double, c: Double, weights: [Double]) {
    // The fit begins with the fastest exchanges for `a`, and with all exchanges for `c`.
    let fastest = excesses.indices.sorted { excesses[$0] < excesses[$1] }.prefix(10)
    var a = fastest.reduce(0) { $0 + squares[$1] } / Double(fastest.count)
    var c = min(squares.reduce(0, +) / max(excesses.reduce(0, +), 1), largestFactor)
    // The resolution of 1 ns keeps the weights finite.
    func weights() -> [Double] { excesses.map { 1 / ((a + c * $0 + 1) * (a + c * $0 + 1)) } }
    for _ in 0..<iterations {
      var (s, sx, sxx, sy, sxy) = (0.0, 0.0, 0.0, 0.0, 0.0)
      for (weight, (x, y)) in zip(weights(), zip(excesses, squares)) {
        s += weight
        sx += weight * x
        sxx += weight * x * x
        sy += weight * y
        sxy += weight * x * y
      }
      // The determinant is 0 if all round trips are equal.
      let determinant = s * sxx - sx * sx
      c = determinant > 1e-12 * s * sxx ? min(max((s * sxy - sx * sy) / determinant, 0), largestFactor) : 0
      a = max((sy - c * sx) / s, 0)
    }
    return (a, c, weights())
  }
}
