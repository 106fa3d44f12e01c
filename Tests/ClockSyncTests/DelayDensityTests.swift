import Testing
import _TestSupport

@testable import ClockSync

/// Tests of the corrections that are learned from the delays of packets.
@Suite struct DelayDensityTests {
  /// Residuals with mean 0 and standard deviation 1 ms, in nanoseconds: normally distributed, or the sum of three exponential numbers.
  private static func residuals(_ shape: DelayModel.Shape, count: Int, seed: UInt64) -> [Double] {
    let route = VirtualRoute(DelayModel(shape, deviation: .milliseconds(1)))
    let packets = route.measurements(seconds: 60, seed: seed).lazy.map(\.transit).filter { $0.direction == .out }
    return packets.prefix(count).map { Double($0.difference.count) - 5_000_000 }
  }

  private static func density(of residuals: [Double]) -> DelayDensity {
    var density = DelayDensity()
    density.learn(residuals.count, scale: 1_000_000, at: 0) { residuals[$0] }
    return density
  }

  @Test func correctionByANormalDelayIsTheDelay() throws {
    let density = Self.density(of: Self.residuals(.normal, count: 4000, seed: 1))
    for residual in stride(from: -1_500_000.0, through: 1_500_000, by: 250_000) {
      #expect(abs(density.correction(by: residual) - residual) < 200_000, "\(residual)")
    }
    #expect(try (0.9e12...1.15e12).contains(#require(density.variance)))
  }

  @Test func packetsAtTheEdgeCorrectMost() throws {
    let residuals = Self.residuals(.gamma3, count: 4000, seed: 1)
    let density = Self.density(of: residuals)
    // The Fisher information of this distribution is three times that of a normal one. The kernel makes the edge less steep.
    #expect(try #require(density.variance) < 0.55e12)
    #expect(density.correction(by: -1_400_000) < -1_500_000)
    #expect(abs(density.correction(by: 2_000_000)) < 1_000_000)
    // A packet that is faster than all others corrects as much as one at the edge.
    #expect(density.correction(by: -50_000_000) <= density.correction(by: -1_500_000))
    // The corrections by all packets have the mean 0, except for the interpolation between bins.
    #expect(abs(residuals.reduce(0) { $0 + density.correction(by: $1) } / 4000) < 10_000)
  }

  @Test func correctionsWithTheLearnedVarianceHaveThisVariance() throws {
    for shape in DelayModel.Shape.allCases where !shape.isHard && shape != .twostate {
      let density = Self.density(of: Self.residuals(shape, count: 2000, seed: 1))
      let learned = try #require(density.variance)
      // Other packets of the same network, with the delay expected 100 us too short: the mean of the corrections is 100 us.
      let residuals = Self.residuals(shape, count: 8000, seed: 2)
      let mean = residuals.reduce(0.0) { $0 + density.correction(by: $1 + 100_000) } / 8000
      let tolerance = 4 * (learned / 2000 + learned / 8000).squareRoot()
      #expect(abs(mean - 100_000) < tolerance, "\(shape): \(mean)")
      let squares = residuals.reduce(0.0) { $0 + density.correction(by: $1) * density.correction(by: $1) }
      #expect((0.8...1.25).contains(squares / 8000 / learned), "\(shape): \(squares / 8000), \(learned)")
    }
  }

  /// The histogram follows slow changes of the network, and reports sudden ones.
  @Test func suddenChangeIsReported() {
    let residuals = Self.residuals(.gamma4, count: 8000, seed: 3)
    var density = Self.density(of: Array(residuals.prefix(100)))
    for (n, residual) in residuals.enumerated() {
      // The scatter grows by the factor of five.
      density.add(residual * (1 + Double(n) / 2000), at: Double(n) / 100)
      #expect(!density.hasChanged, "\(n)")
    }
    for residual in residuals.prefix(100) { density.add(residual + 100_000_000, at: 80) }
    #expect(density.hasChanged)
  }

  @Test(arguments: [0.0, 5, -1e18, 1e18, .infinity, .nan]) func equalResidualsAreHarmless(residual: Double) {
    var density = Self.density(of: Array(repeating: residual, count: 50))
    for n in 0..<500 { density.add(residual, at: Double(n)) }
    if let variance = density.variance { #expect(variance.isFinite && density.correction(by: residual).isFinite) }
  }
}
