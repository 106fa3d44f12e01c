import Foundation
import Measurement
import _TestSupport

/// Reproducible stamps of clocks with known errors, and the random numbers for them.
enum Clocks {
  /// Returns `count` values of the normal distribution with mean 0 and standard deviation 1 (G. Box and M. Muller,
  /// 1958).
  static func gaussian(_ count: Int, seed: UInt64) -> [Double] {
    var random = SplitMix(seed: seed)
    return (0..<count).map { _ in
      let radius = (-2 * log(Double.random(in: Double.ulpOfOne..<1, using: &random))).squareRoot()
      return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
    }
  }

  /// Returns one stamp for each error: `first`, plus the index times `period`, plus the error. All values are in nanoseconds. The
  /// stamps are rounded.
  static func stamps(period: Double, errors: [Double], first: Int64 = 5_000_000_000) -> [Int64] {
    errors.enumerated().map { index, error in first + Int64((Double(index) * period + error).rounded()) }
  }

  /// Measures `stamps`.
  static func report(_ stamps: [Int64], nominalBPM: Double? = nil) throws -> ClockReport {
    try ClockAnalysis(ClockStamps(name: "x", stamps: stamps), nominalBPM: nominalBPM, provenance: provenance).report
  }

  /// The provenance in the reports of the tests.
  static let provenance = Provenance(
    version: "1", command: "test", inputs: [Provenance.Input(file: "x", sha256: "00")])

  /// The phase values of the 1000-point test suite of NIST SP 1065, section 12.4. The suite has 1000 random fractional
  /// frequencies between 0 and 1. The first phase is 0. Each further phase is the sum of the frequencies so far, with 0.5
  /// subtracted from each.
  static let testSuite: [Double] = {
    var number = 1_234_567_890
    var phase = [0.0]
    for _ in 0..<1000 {
      phase.append(phase[phase.count - 1] + Double(number) / 2_147_483_647 - 0.5)
      number = 16_807 * number % 2_147_483_647
    }
    return phase
  }()
}

extension Double {
  /// Whether the number differs from `other` by at most the fraction `tolerance` of `other`.
  func isClose(to other: Double, _ tolerance: Double) -> Bool { abs(self - other) <= tolerance * abs(other) }
}
