import Foundation
import Testing

@testable import Measurement

/// Reproducible power-law noise, and its true deviations.
///
/// The noise is white noise that a filter has integrated to a fractional order (N. J. Kasdin, Proc. IEEE 83 (5), 1995). It begins with the
/// first value, so the true slope of its phase is 0.
enum Noises {
  /// Returns the phase of noise of the type `noise`.
  ///
  /// - Parameters:
  ///   - sigma: the standard deviation of the white noise, from which the phase is made.
  ///   - silentFrom: the index from which on the white noise is 0. The phase then shows only the effect of the earlier noise.
  static func phase(
    _ noise: PowerLawNoise, count: Int, sigma: Double = 1, seed: UInt64, silentFrom: Int? = nil
  ) -> [Double] {
    phase(exponent: Double(2 - noise.rawValue), count: count, sigma: sigma, seed: seed, silentFrom: silentFrom)
  }

  /// Returns noise with the spectral density f^-exponent.
  static func phase(
    exponent: Double, count: Int, sigma: Double = 1, seed: UInt64, silentFrom: Int? = nil
  ) -> [Double] {
    var values = Clocks.gaussian(count, seed: seed).map { $0 * sigma }
    if let silentFrom { for index in silentFrom..<count { values[index] = 0 } }
    var left = exponent
    // A whole order of integration is a sum, which is exact and fast.
    while left >= 2 {
      for index in values.indices.dropFirst() { values[index] += values[index - 1] }
      left -= 2
    }
    guard left > 0 else { return values }
    var response = [1.0]
    for k in 1..<count { response.append(response[k - 1] * (Double(k) - 1 + left / 2) / Double(k)) }
    return values.indices.map { index in
      var sum = 0.0
      for k in 0...index { sum += response[k] * values[index - k] }
      return sum
    }
  }

  /// Returns the true overlapping Allan, modified Allan or Hadamard deviation of the noise with a white noise of 1, multiplied by the
  /// observation time of `factor` values. It is the integral of the spectral density of the phase, |2 sin(pi f)|^-exponent, times the
  /// transfer function of the differences (NIST SP 1065, section 3.6).
  static func deviation(_ noise: PowerLawNoise, _ variance: StabilityConfidence.Variance, factor: Int) -> Double {
    let exponent = Double(2 - noise.rawValue)
    let (m, steps) = (Double(factor), max(4096, 512 * factor))
    var sum = 0.0
    for step in 0..<steps {
      // The frequencies are denser near 0, where the density of steep noise is largest: f = u^4 / 2.
      let u = (Double(step) + 0.5) / Double(steps)
      let (f, width) = (u * u * u * u / 2, 2 * u * u * u / Double(steps))
      let density = pow(2 * sin(Double.pi * f), -exponent)
      let difference = pow(2 * sin(Double.pi * m * f), 2 * Double(variance.order))
      let mean = variance == .modifiedAllan ? pow(sin(Double.pi * m * f) / (m * sin(Double.pi * f)), 2) : 1
      sum += 2 * density * difference * mean * width
    }
    return (sum / (variance == .hadamard ? 6 : 2)).squareRoot()
  }
}

/// The count of how often nominal 95 % intervals contain the true value.
struct Coverage: CustomStringConvertible {
  /// The number of intervals, and the number of those that contain the true value.
  private(set) var (intervals, covered) = (0, 0)
  /// The number of cases in which the interval is withheld.
  private(set) var withheld = 0

  /// Adds an interval; nil if it is withheld.
  mutating func add(_ interval: ClosedRange<Double>?, truth: Double) {
    guard let interval else {
      withheld += 1
      return
    }
    intervals += 1
    if interval.contains(truth) { covered += 1 }
  }

  /// Adds the interval of 1.96 standard errors; nil if the standard error is withheld.
  mutating func add(_ value: Double, standardError: Double?, truth: Double) {
    let half = standardError.map { 1.959964 * $0 }
    add(half.map { value - $0...value + $0 }, truth: truth)
  }

  /// The share of the intervals that contain the true value; 1 without an interval.
  var share: Double { intervals == 0 ? 1 : Double(covered) / Double(intervals) }

  /// Expects that at least 90 % of the intervals contain the true value. The limit is lowered by two standard deviations of the count
  /// for fewer than 200 intervals.
  func expectNominal(_ comment: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let tolerance = intervals < 200 ? 2 * (0.09 / Double(max(intervals, 1))).squareRoot() : 0
    #expect(share >= 0.9 - tolerance, "\(comment): \(self)", sourceLocation: sourceLocation)
  }

  var description: String {
    "\((100 * share).fixed(1)) % of \(intervals)" + (withheld > 0 ? ", \(withheld) withheld" : "")
  }
}
