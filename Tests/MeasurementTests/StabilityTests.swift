import Testing

@testable import Measurement

/// Tests of the stability statistics against published values and against the values of AllanTools 2024.06 and SciPy.
///
/// ``PhaseSeries`` returns an Allan deviation times the observation time. The NIST test suite (``Clocks/testSuite``) has one value per
/// second, so the factor is the observation time in seconds. The tests therefore multiply the expected value by the factor. The maximum
/// time interval errors belong to the factors 1, 2, 4 and so on.
///
/// The expected values of AllanTools (`pip install allantools`) were computed by `allantools.oadev(x, rate=1, data_type="phase",
/// taus=[...])`, `tdev` and `mtie`, where x is ``Clocks/testSuite``. The expected values with gaps are from `allantools.gradev`, where
/// x is ``gaps``.
@Suite struct StabilityTests {
  /// The phase values of the test suite with 92 gaps: single values at irregular distances, and a block of 40 values.
  private static let gaps = Clocks.testSuite.enumerated().map { index, value in
    index * index % 37 == 4 || (300..<340).contains(index) ? .nan : value
  }

  /// NIST SP 1065, table 31: the overlapping Allan deviation and the time deviation of the 1000-point test suite.
  @Test(arguments: [
    (1, 2.922319e-01, 1.687202e-01), (10, 9.159953e-02, 3.563623e-01), (100, 3.241343e-02, 1.253382),
  ])
  func deviationsEqualThePublishedOnes(factor: Int, allan: Double, time: Double) throws {
    let series = PhaseSeries(Clocks.testSuite)
    // Seven digits are published.
    #expect(try #require(series.allanDeviation(factor: factor)).value.isClose(to: allan * Double(factor), 3e-7))
    #expect(try #require(series.timeDeviation(factor: factor)).value.isClose(to: time, 5e-7))
  }

  @Test(arguments: [
    (1, 0.2922318781, 999, 0.1687201535, 999), (2, 0.2010160422, 997, 0.182681937, 996),
    (4, 0.1447913072, 993, 0.2489473728, 990), (8, 0.1057038501, 985, 0.3426790937, 978),
    (16, 0.06191477842, 969, 0.3822146195, 954), (32, 0.04808214262, 937, 0.6328679176, 906),
    (64, 0.03623721299, 873, 1.029846969, 810), (128, 0.02767385582, 745, 1.379678973, 618),
    (256, 0.01028221764, 489, 0.6288238994, 234),
  ])
  func deviationsEqualThoseOfAllanTools(
    factor: Int, allan: Double, allanTerms: Int, time: Double, timeTerms: Int
  ) throws {
    let series = PhaseSeries(Clocks.testSuite)
    let (a, t) = (
      try #require(series.allanDeviation(factor: factor)), try #require(series.timeDeviation(factor: factor))
    )
    #expect(a.value.isClose(to: allan * Double(factor), 1e-9) && a.terms == allanTerms)
    #expect(t.value.isClose(to: time, 1e-9) && t.terms == timeTerms)
  }

  @Test func timeIntervalErrorEqualsThatOfAllanTools() {
    let expected = [
      0.4986282401, 0.9434592318, 1.579566561, 2.379349589, 3.115810264, 4.761781713, 6.08523239, 6.463082878,
      8.622002187,
    ]
    let errors = PhaseSeries(Clocks.testSuite).maximumTimeIntervalErrors(count: expected.count)
    #expect(zip(errors, expected).allSatisfy { $0.isClose(to: $1, 1e-9) }, "\(errors)")
  }

  @Test(arguments: [
    (1, 0.2930674517, 802), (2, 0.1955186776, 826), (4, 0.1434990992, 845), (8, 0.1057523988, 781),
    (16, 0.06327253493, 750), (32, 0.04988283137, 694), (64, 0.0378818218, 629), (128, 0.0289898818, 522),
    (256, 0.01079100437, 342),
  ])
  func deviationWithGapsEqualsThatOfAllanTools(factor: Int, allan: Double, terms: Int) throws {
    let estimate = try #require(PhaseSeries(Self.gaps).allanDeviation(factor: factor))
    #expect(estimate.value.isClose(to: allan * Double(factor), 1e-9) && estimate.terms == terms, "\(estimate)")
  }

  @Test func termsWithMissingValuesAreOmitted() {
    var series = PhaseSeries([0, 1, 5, .nan, 2, 3, 7, 4, 4])
    // The terms of three adjacent values are (0, 1, 5), (2, 3, 7), (3, 7, 4) and (7, 4, 4). Their second differences are 3, 3, -7 and 3.
    // The sum of the squares is 76. The sum is divided by twice the number of terms.
    #expect(series.allanDeviation(factor: 1) == DeviationEstimate(value: (76.0 / 8).squareRoot(), terms: 4))
    #expect(series.timeDeviation(factor: 1)?.terms == 4)
    // The time deviation needs three adjacent windows of two values. After the missing value, there are only five values.
    #expect(series.timeDeviation(factor: 2) == nil)
    #expect(series.maximumTimeIntervalErrors(count: 2) == [4, 5])
    // A window of the time interval error may contain a missing value. In the phase values 5, 5, 5, missing, -9, -5, 0, 0, 0, the window
    // (5, missing, -9) has the range 14.
    (series.phase[0], series.phase[1], series.phase[4], series.phase[5]) = (5, 5, -9, -5)
    (series.phase[6], series.phase[7], series.phase[8]) = (0, 0, 0)
    #expect(series.maximumTimeIntervalErrors(count: 2) == [5, 14])
  }

  @Test func noTermCombinesTwoRuns() throws {
    let phase = Clocks.testSuite
    let one = try #require(PhaseSeries(phase).allanDeviation(factor: 8))
    // The second run has an offset that would dominate any statistic across the runs.
    let two = PhaseSeries(phase + phase.map { $0 + 1e9 }, runs: [0..<1001, 1001..<2002])
    let both = try #require(two.allanDeviation(factor: 8))
    #expect(both.terms == 2 * one.terms && both.value.isClose(to: one.value, 1e-6))
    // These values are those of one run in the tests above: for the factor 8, and for the ninth factor, 256.
    #expect(try #require(two.timeDeviation(factor: 8)).value.isClose(to: 0.3426790937, 1e-6))
    #expect(two.maximumTimeIntervalErrors(count: 9)[8].isClose(to: 8.622002187, 1e-6))
  }

  /// The expected values are from `scipy.stats.chi2.ppf`.
  @Test(arguments: [
    (1, 0.025, 0.000982069117175), (1, 0.5, 0.45493642312), (1, 0.975, 5.02388618731), (2.5, 0.025, 0.1186229421),
    (2.5, 0.5, 1.87384776778), (2.5, 0.975, 8.39229526691), (9, 0.025, 2.70038949998), (9, 0.975, 19.0227677986),
    (146.177, 0.025, 114.597376516), (146.177, 0.5, 145.510876562), (146.177, 0.975, 181.541489981),
    (4000.5, 0.025, 3827.08646259), (4000.5, 0.975, 4177.70201296), (3e6, 0.025, 2995200.98291),
    (3e6, 0.5, 2999999.33333), (3e6, 0.975, 3004802.8057),
  ])
  func quantilesEqualThoseOfSciPy(degrees: Double, probability: Double, value: Double) {
    let quantile = ChiSquared(degrees: degrees).quantile(probability)
    #expect(quantile.isClose(to: value, 1e-9), "\(quantile)")
  }

  /// The expected values are from `allantools.ci.edf_simple(1001, m, alpha)`, for the factors m = 2, 10 and 100.
  @Test(arguments: [
    (2, [499.996997, 495.9445005, 445.3951165]), (1, [531.0144193, 326.6241875, 64.97103817]),
    (0, [569.9078065, 146.1767862, 13.00237071]), (-1, [621.8973436, 121.4841174, 9.627219447]),
    (-2, [498.50301, 97.33189827, 7.422259348]),
  ])
  func degreesOfFreedomEqualThoseOfAllanTools(alpha: Int, expected: [Double]) throws {
    let noise = try #require(PowerLawNoise(rawValue: alpha))
    for (factor, value) in zip([2, 10, 100], expected) {
      let degrees = AllanConfidence(noise: noise, factor: factor, terms: 1001 - 2 * factor).degreesOfFreedom
      #expect(degrees.isClose(to: value, 1e-8))
    }
  }

  @Test func intervalFollowsFromTheQuantiles() {
    let confidence = AllanConfidence(noise: .whiteFrequency, factor: 10, terms: 981)
    let interval = confidence.interval(of: 9.159953e-02)
    // The ends are the deviation times the square roots of 146.177 / 181.541 and 146.177 / 114.597: the degrees of freedom
    // divided by the quantiles in the test above.
    #expect(interval.lowerBound.isClose(to: 0.08219488, 1e-6) && interval.upperBound.isClose(to: 0.10345357, 1e-6))
  }

  @Test func fewTermsStillHaveAnInterval() {
    for noise in PowerLawNoise.allCases {
      for (factor, terms) in [(1, 1), (4, 1), (1024, 2)] {
        let confidence = AllanConfidence(noise: noise, factor: factor, terms: terms)
        let interval = confidence.interval(of: 1)
        #expect(confidence.degreesOfFreedom >= 1 && interval.lowerBound < 1 && interval.upperBound > 1)
      }
    }
  }
}
