/// The standard errors of the slopes of least-squares lines through successive windows of a series, whose noise is of an unknown type.
///
/// A window has too few values to show the type of its noise. The type is therefore identified from all windows together, under the
/// assumption that it is the same in all of them: the likelihoods of each ``NoiseModel`` (``RestrictedLikelihood``) are multiplied. The level
/// of the noise may differ: each window has its own scale. A window with a step or another disturbance looks like slow noise, whatever the
/// other windows show. The logarithm of its likelihood ratio is therefore limited (P. Huber, "A Robust Version of the Probability Ratio
/// Test", Annals of Mathematical Statistics 36 (6), 1965).
///
/// The error of a window is the root of the mean variance of its slope over the models, weighted by their probabilities, times the quantile of
/// Student's distribution, divided by 1.96. For noise without a mean frequency (F FM and RW FM), it is the deviation from the frequency at the
/// beginning of the window.
struct WindowSlopeErrors {
  /// The standard error of each window, in units of the slope; nil if the type of the noise is unknown, because all windows together have too
  /// few values.
  private(set) var errors: [Double?]

  /// The smallest number of degrees of freedom of all windows, and of one window.
  private static let (fewestDegrees, fewestInWindow) = (16, 2)
  /// The largest number of windows that identify the noise, and the number of complete windows from which on the others are not needed.
  private static let (mostWindows, enoughWindows) = (32, 8)
  /// The largest logarithm of the likelihood ratio of a window.
  private static let greatestVote = 12.0
  /// The smallest probability of a model that contributes to an error.
  private static let smallestProbability = 1e-3

  /// Calculates the errors.
  ///
  /// - Parameters:
  ///   - windows: the means of adjacent values of each window, at most ``PowerLawCovariance/size``. A mean without values is left out.
  ///   - isAveraged: whether a mean contains several values.
  init(_ windows: [[SlopeError.Block]], isAveraged: Bool) {
    errors = windows.map { _ in nil }
    let size = windows.lazy.map { ($0.last?.position ?? 0) + 1 }.max() ?? 0
    let complete = windows.indices.filter { windows[$0].count == size }
    let all = complete.count >= Self.enoughWindows ? complete : Array(windows.indices)
    let chosen = (0..<min(all.count, Self.mostWindows)).map { all[$0 * all.count / min(all.count, Self.mostWindows)] }
    let models = NoiseModel.all(isAveraged: isAveraged, blocks: size, isCoarse: true)
    // The complete windows share the fits of the models.
    let shared = complete.first.map { first in models.map { Fit($0, windows[first]) } } ?? []
    func fit(_ model: Int, _ window: Int) -> Fit? {
      windows[window].count == size ? shared[model] : Fit(models[model], windows[window])
    }
    var (logProbabilities, degrees) = (models.map { $0.logProbability(.usual) }, 0)
    for window in chosen {
      let fits = models.indices.map { fit($0, window)?.residual(windows[window]) }
      guard fits.allSatisfy({ ($0?.squares ?? 0) > 0 }), let largest = fits.compactMap({ $0?.logLikelihood }).max()
      else { continue }
      degrees += fits[0]?.degrees ?? 0
      for model in models.indices {
        logProbabilities[model] += max((fits[model]?.logLikelihood ?? -.infinity) - largest, -Self.greatestVote)
      }
    }
    // Windows without any noise have no error.
    let isExact = degrees == 0 && !chosen.isEmpty
    guard degrees >= Self.fewestDegrees || isExact else { return }
    let weights = NoiseModel.normalized(logProbabilities)
    let probable = models.indices.filter { weights[$0] > Self.smallestProbability }
    let total = probable.reduce(0) { $0 + weights[$1] }
    var quantiles: [Int: Double] = [:]
    for window in windows.indices {
      let fits = probable.map { fit($0, window)?.residual(windows[window]) }
      guard let degrees = fits.first??.degrees, degrees >= Self.fewestInWindow else { continue }
      let variance = zip(probable, fits).reduce(0) { sum, part in
        sum + weights[part.0] / total * (part.1.map { $0.squares / Double(degrees) * $0.slopeVariance } ?? 0)
      }
      let quantile =
        quantiles[degrees]
        ?? StudentMixture([(1, 1)], degrees: Double(degrees)).halfWidth(level: 0.95) / SlopeError.normalQuantile
      quantiles[degrees] = quantile
      errors[window] = variance.squareRoot() * quantile
    }
  }

  /// A model, and the line through the means of a window.
  private struct Fit {
    let likelihood: RestrictedLikelihood
    /// The variance of the slope, if the scale of the covariance matrix is 1.
    let slopeVariance: Double

    init?(_ model: NoiseModel, _ blocks: [SlopeError.Block]) {
      func covariance(_ row: Int, _ column: Int) -> Double {
        model.covariance(blocks[row].position, blocks[column].position)
      }
      guard let slope = SlopeError.Slope(blocks),
        let likelihood = RestrictedLikelihood(count: blocks.count, model: slope.model, covariance: covariance)
      else { return nil }
      (self.likelihood, slopeVariance) = (likelihood, slope.variance(covariance))
    }

    /// Returns the deviations of a window from its line.
    func residual(_ blocks: [SlopeError.Block]) -> Residual {
      let squares = likelihood.whitened(blocks.map(\.y)).reduce(0) { $0 + $1 * $1 }
      return Residual(
        squares: squares, degrees: likelihood.degrees, slopeVariance: slopeVariance,
        logLikelihood: squares > 0 ? likelihood.logLikelihood(squares: squares) : -.infinity)
    }
  }

  /// The sum of the squares of the whitened deviations of a window, and its likelihood.
  private struct Residual {
    let squares: Double
    let degrees: Int
    let slopeVariance, logLikelihood: Double
  }
}
