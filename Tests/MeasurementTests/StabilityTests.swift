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

  /// The expected values are from `allantools.ci.edf_greenhall(alpha, d, m, N, overlapping=True, modified=...)`, for N = 1001 and the factors
  /// m = 1, 2, 10 and 100, and for N = 100 000 and the factors 4, 1000 and 20 000.
  @Test(
    arguments: [
      (.allan, 2, [514.03605, 513.27238, 507.17312, 440.20652, 51425.51512, 50665.88511, 37241.37931]),
      (.allan, 1, [635.46591, 532.29091, 247.30683, 53.8738, 39080.42031, 1200.73515, 84.58465]),
      (.allan, 0, [782.0303, 540.68119, 135.07141, 12.81493, 30762.00876, 147.75385, 5.3958]),
      (.allan, -1, [895.24736, 538.66051, 114.66868, 9.94804, 28383.59497, 115.5424, 4.12458]),
      (.allan, -2, [762.29049, 438.24586, 91.03844, 7.75368, 22836.86903, 91.14203, 3.13807]),
      (.modifiedAllan, 2, [514.03605, 466.20945, 123.94023, 9.93556, 29385.25656, 125.54762, 3.77038]),
      (.modifiedAllan, 1, [635.46591, 475.63041, 98.11649, 7.72064, 24944.44748, 97.91656, 2.89684]),
      (.modifiedAllan, 0, [782.0303, 478.99615, 94.63426, 7.41654, 24183.38281, 94.47453, 2.73868]),
      (.modifiedAllan, -1, [895.24736, 475.65458, 93.27298, 7.22273, 23863.92861, 93.04698, 2.54114]),
      (.modifiedAllan, -2, [762.29049, 382.70054, 74.95713, 5.72692, 19195.98271, 74.81847, 1.9333]),
      (.hadamard, 2, [432.31592, 431.29887, 423.17629, 334.44338, 43285.97293, 42274.34066]),
      (.hadamard, 1, [508.61292, 443.51262, 207.94799, 41.83288, 32867.0718, 1031.04562, 59.64687]),
      (.hadamard, 0, [608.54867, 451.67172, 113.69891, 9.92284, 25888.3038, 125.54633, 3.77032]),
      (.hadamard, -1, [716.14791, 459.06193, 97.02852, 7.71192, 24157.38538, 97.91658, 2.8968]),
      (.hadamard, -2, [798.27682, 463.64257, 94.32383, 7.40694, 23902.47527, 94.47356, 2.73864]),
    ] as [(StabilityConfidence.Variance, Int, [Double])])
  func degreesOfFreedomEqualThoseOfAllanTools(
    variance: StabilityConfidence.Variance, alpha: Int, expected: [Double]
  ) throws {
    let noise = try #require(PowerLawNoise(rawValue: alpha))
    let cases = [(1001, 1), (1001, 2), (1001, 10), (1001, 100), (100_000, 4), (100_000, 1000), (100_000, 20_000)]
    for ((count, factor), value) in zip(cases, expected) {
      let terms = variance == .modifiedAllan ? count - 3 * factor + 1 : count - variance.order * factor
      let degrees = StabilityConfidence(variance, noise: noise, factor: factor, terms: terms).degreesOfFreedom
      #expect(degrees.isClose(to: value, 1e-4), "\(count), \(factor): \(degrees)")
    }
  }

  /// The expected values are from `scipy.stats.t.cdf`: 2 cdf(t, n) - 1.
  @Test(arguments: [
    (0.5, 1, 0.295167235301), (12.706, 1, 0.949999197642), (2, 3, 0.860674031441), (1.2, 16, 0.75239320994),
    (2.12, 16, 0.950009071287), (1.96, 62, 0.945505850836), (0.01, 62, 0.00794660442996), (4, 4000, 0.999935512684),
    (1.96, 1000000.0, 0.950003932415),
  ])
  func studentProbabilitiesEqualThoseOfSciPy(t: Double, degrees: Double, probability: Double) {
    #expect(StudentMixture.probability(within: t, degrees: degrees).isClose(to: probability, 1e-9))
  }

  /// The expected values are from `scipy.stats.beta.cdf`.
  @Test(arguments: [
    (1, 30, 0.1, 0.957608841725), (16, 480, 0.05, 0.977733854477), (16, 480, 0.02, 0.0436656986447),
    (0.5, 3, 0.9, 0.999675025321), (2, 2, 0.5, 0.5), (400, 0.5, 0.999, 0.371123205319),
  ])
  func betaProbabilitiesEqualThoseOfSciPy(a: Double, b: Double, x: Double, probability: Double) {
    #expect(BetaDistribution(a: a, b: b).probability(below: x).isClose(to: probability, 1e-9))
  }

  /// The expected values are from `allantools.ohdev` and `allantools.mdev`, as above.
  @Test(arguments: [
    (1, 0.2943883291, 998, 0.2922318781), (2, 0.2012483296, 995, 0.1582071983), (8, 0.1098722637, 977, 0.07419220013),
    (64, 0.03382370898, 809, 0.02787105115), (256, 0.01013781915, 233, 0.004254511495),
  ])
  func otherDeviationsEqualThoseOfAllanTools(factor: Int, hadamard: Double, terms: Int, modified: Double) throws {
    let series = PhaseSeries(Clocks.testSuite)
    let estimate = try #require(series.hadamardDeviation(factor: factor))
    #expect(estimate.value.isClose(to: hadamard * Double(factor), 1e-9) && estimate.terms == terms)
    let row = try #require(ClockStability.octaves(of: series, period: 1e9).first { $0.factor == factor })
    // The period is one second, so the phase values count as nanoseconds.
    #expect(try #require(row.modifiedAllan).value.isClose(to: modified * 1e-9, 1e-9))
  }

  @Test func intervalFollowsFromTheQuantiles() {
    let confidence = StabilityConfidence(noise: .whiteFrequency, factor: 10, terms: 981)
    let interval = confidence.interval(of: 9.159953e-02)
    // The ends are the deviation times the square roots of 135.071 / 169.136 and 135.071 / 104.791: the degrees of freedom
    // divided by their quantiles (`scipy.stats.chi2.ppf`).
    #expect(interval.lowerBound.isClose(to: 0.08185722, 1e-6) && interval.upperBound.isClose(to: 0.1039949, 1e-6))
  }

  @Test func fewTermsStillHaveAnInterval() {
    for (noise, variance) in PowerLawNoise.allCases.flatMap({ noise in
      [StabilityConfidence.Variance.allan, .modifiedAllan, .hadamard].map { (noise, $0) }
    }) {
      for (factor, terms) in [(1, 1), (4, 1), (1024, 2)] {
        let confidence = StabilityConfidence(variance, noise: noise, factor: factor, terms: terms)
        let interval = confidence.interval(of: 1)
        #expect(confidence.degreesOfFreedom >= 1 && interval.lowerBound < 1 && interval.upperBound > 1)
      }
    }
  }
}
