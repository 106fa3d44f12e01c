import Foundation

/// A model of the noise of a series of block means: white noise, power-law noise, or the sum of both.
///
/// The exponents of the power laws are 0.5, 1, ..., 4 (``PowerLawCovariance``). In a sum, the exponent is at least 1, and both parts have
/// equal densities at 0.5, 1, ..., 16 cycles per series.
struct NoiseModel {
  enum Kind { case white, powerLaw, sum }

  /// The probabilities of the kinds before the data are known. They are shared equally by the models of a kind.
  struct Prior {
    let white, powerLaw, sum: Double

    /// The prior for the most probable error of a slope.
    static let usual = Prior(white: 0.3, powerLaw: 0.3, sum: 0.4)
    /// The prior for an interval that allows for slow noise that is hidden by white noise.
    static let cautious = Prior(white: 0.15, powerLaw: 0.15, sum: 0.7)
  }

  let kind: Kind
  /// The share of the probability of the kind.
  private let share: Double
  /// The power law; nil for white noise.
  private let law: PowerLawCovariance?
  /// The density of the power law at the frequency at which both parts of a sum have equal densities.
  private let density: Double

  /// The frequencies at which the two parts of a sum have the same density, in cycles per series.
  private static let crossovers = [0.5, 1, 2, 4, 8, 16]

  /// Returns the models for a series of `blocks` means. The first one is white noise.
  ///
  /// - Parameters:
  ///   - isAveraged: whether a block contains several values.
  ///   - isCoarse: whether only whole exponents, and only every second frequency of the sums are used, which is three times as fast.
  static func all(isAveraged: Bool, blocks: Int, isCoarse: Bool = false) -> [NoiseModel] {
    let laws = PowerLawCovariance.halfSteps(isAveraged: isAveraged)
      .filter { !isCoarse || $0.exponent == $0.exponent.rounded() }
    let crossovers = isCoarse ? Self.crossovers.enumerated().filter { $0.offset % 2 == 1 }.map(\.element) : crossovers
    let sums = laws.filter { $0.exponent >= 1 }
    return [NoiseModel(kind: .white, share: 1, law: nil, density: 1)]
      + laws.map { NoiseModel(kind: .powerLaw, share: 1 / Double(laws.count), law: $0, density: 1) }
      + sums.flatMap { law in
        crossovers.map { cycles in
          NoiseModel(
            kind: .sum, share: 1 / Double(sums.count * crossovers.count), law: law,
            density: law.density(at: cycles / Double(blocks)))
        }
      }
  }

  /// Returns the covariance of the means of the blocks at two positions, except for its scale.
  func covariance(_ row: Int, _ column: Int) -> Double {
    guard let law else { return row == column ? 1 : 0 }
    return (kind == .sum && row == column ? 1 : 0) + law[row, column] / density
  }

  /// Returns the logarithm of the prior probability of the model.
  func logProbability(_ prior: Prior) -> Double {
    switch kind {
    case .white: log(prior.white * share)
    case .powerLaw: log(prior.powerLaw * share)
    case .sum: log(prior.sum * share)
    }
  }

  /// Returns probabilities that sum to 1, from their logarithms plus any constant.
  static func normalized(_ logProbabilities: [Double]) -> [Double] {
    let largest = logProbabilities.max() ?? 0
    let weights = logProbabilities.map { exp($0 - largest) }
    let total = weights.reduce(0, +)
    return weights.map { $0 / total }
  }
}
