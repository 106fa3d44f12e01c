import Foundation

/// The standard error of the slope of a least-squares line whose deviations are power-law noise of an unknown type.
///
/// The usual standard error assumes independent deviations. Under flicker or random walk noise, the slow part of the noise looks like a
/// slope, and the usual value is too small by orders of magnitude. The error therefore follows from a model of the noise, as for the rates
/// of geodetic stations (S. Williams, Journal of Geodesy 76, 2003; J. Langbein, "Estimating rate uncertainty with maximum likelihood",
/// Journal of Geodesy 86, 2012):
///
/// 1. The deviations are reduced to the means of at most 64 blocks.
/// 2. The restricted likelihood of these means is calculated for each ``NoiseModel``: white noise, power-law noise, and sums of both.
/// 3. Each model gives the standard error of the slope and its Student distribution. The mean of these distributions, weighted by the
///    probabilities of the models, is the distribution of the error (J. Hoeting et al., "Bayesian Model Averaging", Statistical Science 14
///    (4), 1999).
/// 4. The standard error is half the width of the 95 % interval of this mean, divided by 1.96. If white noise is not unlikely, the standard
///    error is the usual one, with the quantile of Student's distribution.
/// 5. The 95 % interval of the slope must also hold if white noise hides slow noise. The slow noise then shows only in the few longest
///    waves, which are small by chance in many series. The interval therefore has a prior that prefers the sums, and is the 98 % interval
///    of the mean distribution. Both numbers were chosen so that it covers at least 90 % in the simulations of the article <doc:Accuracy>. In
///    pure white noise, the interval is about five times as wide as 1.96 standard errors.
///
/// For noise without a mean frequency (F FM and RW FM), the error is the deviation of the slope from the frequency at the first value.
struct SlopeError: Equatable {
  /// The standard error, and half the width of the 95 % interval, both in units of the slope.
  let standardError, halfWidth: Double

  /// The mean of some adjacent values.
  struct Block: Equatable {
    /// The number of the group of values with one intercept.
    var group: Int
    /// The position of the block in the series, in blocks.
    var position: Int
    /// The number of values.
    var count: Double
    /// The mean abscissa and the mean ordinate.
    var x, y: Double
  }

  /// The smallest number of blocks, and the smallest number of degrees of freedom. With fewer, the type of the noise is too uncertain.
  private static let (fewestBlocks, fewestDegrees) = (24, 16)
  /// The number of blocks from which white noise is recognized, and the probability above which it is accepted.
  private static let (blocksForWhite, acceptance) = (60, 0.1)
  /// The level of the interval of the mean distribution with the cautious prior.
  private static let cautiousLevel = 0.98
  /// The quantile of the normal distribution for a 95 % interval.
  static let normalQuantile = 1.959963984540054

  /// Calculates the errors. Nil if the type of the noise cannot be determined: with fewer than 24 blocks, or if most of the information
  /// about the slope lies within the blocks.
  ///
  /// - Parameters:
  ///   - blocks: the blocks of adjacent values, at most ``PowerLawCovariance/size``.
  ///   - isAveraged: whether a block contains several values.
  ///   - moment: the sum of the squares of all abscissas, each relative to the mean of its group.
  ///   - independent: the usual standard error, and its degrees of freedom.
  init?(_ blocks: [Block], isAveraged: Bool, moment: Double, independent: (error: Double, degrees: Int)) {
    guard blocks.count >= Self.fewestBlocks, independent.degrees >= Self.fewestDegrees, let slope = Slope(blocks),
      slope.moment > 0.8 * moment
    else { return nil }
    guard independent.error > 0 else {
      (standardError, halfWidth) = (0, 0)
      return
    }
    var models: [(model: NoiseModel, logLikelihood: Double, scale: Double)] = []
    let (values, positions) = (blocks.map(\.y), blocks.map(\.position))
    var degrees = 0
    for model in NoiseModel.all(isAveraged: isAveraged, blocks: blocks.count) {
      func covariance(_ row: Int, _ column: Int) -> Double { model.covariance(positions[row], positions[column]) }
      guard let likelihood = RestrictedLikelihood(count: blocks.count, model: slope.model, covariance: covariance)
      else { continue }
      let squares = likelihood.whitened(values).reduce(0) { $0 + $1 * $1 }
      guard squares > 0 else { continue }
      degrees = likelihood.degrees
      let variance = squares / Double(degrees) * slope.variance(covariance)
      models.append((model, likelihood.logLikelihood(squares: squares), variance.squareRoot()))
    }
    guard degrees >= Self.fewestDegrees, !models.isEmpty else { return nil }
    func weights(_ prior: NoiseModel.Prior) -> [Double] {
      NoiseModel.normalized(models.map { $0.model.logProbability(prior) + $0.logLikelihood })
    }
    func width(_ weights: [Double], level: Double) -> Double {
      let parts = zip(weights, models).map { (weight: $0, scale: $1.scale) }
      return StudentMixture(parts, degrees: Double(degrees)).halfWidth(level: level)
    }
    let usual = weights(.usual)
    let isWhite = blocks.count >= Self.blocksForWhite && models[0].model.kind == .white && usual[0] > Self.acceptance
    let student = StudentMixture([(1, independent.error)], degrees: Double(independent.degrees))
    standardError = (isWhite ? student.halfWidth(level: 0.95) : width(usual, level: 0.95)) / Self.normalQuantile
    halfWidth = width(weights(.cautious), level: Self.cautiousLevel)
  }

  /// The slope of the line through blocks, as a weighted sum of their ordinates.
  struct Slope {
    /// The columns of the linear model: the groups, and the abscissa.
    let model: [[Double]]
    /// The weights of the ordinates.
    let weights: [Double]
    /// The sum of the squares of the abscissas, each relative to the mean of its group.
    let moment: Double

    init?(_ blocks: [Block]) {
      var groups: [Int: (count: Double, sum: Double)] = [:]
      for block in blocks {
        let sums = groups[block.group, default: (0, 0)]
        groups[block.group] = (sums.count + block.count, sums.sum + block.count * block.x)
      }
      let abscissas = blocks.map { block in
        groups[block.group].map { block.x - $0.sum / $0.count } ?? 0
      }
      moment = zip(blocks, abscissas).reduce(0) { $0 + $1.0.count * $1.1 * $1.1 }
      guard moment > 0 else { return nil }
      let moment = moment
      weights = zip(blocks, abscissas).map { $0.count * $1 / moment }
      model =
        groups.keys.sorted().map { group in blocks.map { $0.group == group ? 1 : 0 } } + [abscissas]
    }

    /// Returns the variance of the slope.
    func variance(_ covariance: (Int, Int) -> Double) -> Double {
      var sum = 0.0
      for row in weights.indices {
        var part = 0.0
        for column in weights.indices { part += covariance(row, column) * weights[column] }
        sum += weights[row] * part
      }
      return sum
    }
  }
}
