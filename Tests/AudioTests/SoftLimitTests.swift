import Testing

@testable import Audio

/// Tests of the curve that keeps samples within full scale.
@Suite struct SoftLimitTests {
  @Test func quietSamplesAreUnchanged() {
    for sample: Float in [0, 0.1, -0.3, 0.5, -0.5] { #expect(SoftLimit.limited(sample) == sample) }
  }

  @Test func loudSamplesStayBelowTheCeiling() {
    for sample: Float in [0.51, 1, 2, 100, .greatestFiniteMagnitude, .infinity] {
      #expect(SoftLimit.limited(sample) <= SoftLimit.ceiling)
      #expect(SoftLimit.limited(-sample) == -SoftLimit.limited(sample))
    }
  }

  /// A louder sample stays louder. The curve begins to limit at the knee, the sample 0.5. The slope there is 1.
  @Test func curveRisesWithoutACorner() {
    let steps = (0..<400).map { SoftLimit.limited(Float($0) / 100) }
    for index in 1..<400 { #expect(steps[index] > steps[index - 1]) }
    #expect(abs((SoftLimit.limited(0.501) - 0.5) / 0.001 - 1) < 0.01)
  }
}
