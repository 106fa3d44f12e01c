import Foundation
import Measurement
import Testing
import _TestSupport

/// Tests of the report on a clock (`tutti measure clock`): the figures of synthetic clocks with known errors.
@Suite struct ClockReportTests {
  /// The length of a tick at 120 BPM, nanoseconds.
  private static let period = 500e6 / 24

  /// White phase noise of standard deviation sigma. The second difference x - 2 y + z of three errors has the variance
  /// 6 sigma^2. The Allan variance is half the mean square of the second difference, divided by tau^2. Therefore the Allan
  /// deviation is sqrt(3) sigma / tau. The time deviation over n ticks is the standard deviation of the mean of n errors,
  /// sigma / sqrt(n).
  @Test(arguments: UInt64(1)...40) func whitePhaseNoiseIsRecovered(seed: UInt64) throws {
    let sigma = pow(10, 3 + Double(seed % 4))
    let errors = Clocks.gaussian(4000, seed: seed).map { $0 * sigma }
    let report = try Clocks.report(Clocks.stamps(period: Self.period, errors: errors), nominalBPM: 120)
    #expect(report.ticks == 4000 && report.runs == 1 && report.lost == 0 && report.doubled == 0 && report.late == 0)
    // A standard deviation that is computed from 4000 values has a relative standard error of 1.1 % (1 / sqrt(2 * 4000)). With 1500
    // degrees of freedom, the error is 1.8 %. The tolerances of the standard deviations and of the Allan deviation are at least four
    // standard errors.
    #expect(try #require(report.phase.standardDeviation).isClose(to: sigma, 0.05))
    #expect(try #require(report.interval?.standardDeviation).isClose(to: 2.0.squareRoot() * sigma, 0.06))
    for row in report.stability.prefix(5) {
      let expected = 3.0.squareRoot() * sigma / (Double(row.factor) * Self.period)
      #expect(row.allan.value.isClose(to: expected, 0.09), "tau \(row.factor), seed \(seed)")
      #expect(row.noise == .whitePhase && row.allan.degreesOfFreedom.map { $0 > 1500 } == true)
      let time = try #require(row.time?.value)
      #expect(time.isClose(to: sigma / Double(row.factor).squareRoot(), 0.25), "tau \(row.factor), seed \(seed)")
    }
    // The slope of a line through n points with white errors has the standard error sigma sqrt(12 / n^3). One of a million
    // values deviates by more than five standard errors.
    let expectedError = sigma * (12 / pow(4000, 3)).squareRoot() / Self.period
    let tempoError = try #require(report.tempo.standardError)
    #expect(tempoError.isClose(to: 120 * expectedError, 0.06))
    #expect(abs(report.tempo.value - 120) < 5 * tempoError + 1e-9)
    let drift = try #require(report.drift)
    #expect(abs(drift.value) < 5 * expectedError * 1e6 + 1e-5)
    #expect(try #require(drift.standardError).isClose(to: expectedError * 1e6, 0.06))
  }

  /// White frequency noise. The mean frequency over n ticks has the standard deviation of the frequency of one tick, divided by
  /// sqrt(n). The Allan deviation has the same value.
  @Test(arguments: UInt64(1)...40) func whiteFrequencyNoiseIsRecovered(seed: UInt64) throws {
    var sum = 0.0
    let errors = Clocks.gaussian(4000, seed: seed).map { value in
      sum += value * 10_000
      return sum
    }
    let report = try Clocks.report(Clocks.stamps(period: Self.period, errors: errors))
    var covered = 0
    for row in report.stability.prefix(6) {
      let expected = 10_000 / Self.period / Double(row.factor).squareRoot()
      #expect(row.allan.value.isClose(to: expected, 0.25), "tau \(row.factor), seed \(seed)")
      #expect(row.noise == .whiteFrequency)
      if let interval = row.allan.interval, interval.contains(expected) { covered += 1 }
    }
    // This limit is weak. `intervalContainsTheTrueDeviation` tests how often an interval contains the true value.
    #expect(covered >= 2)
    #expect(report.nominalTempo == nil && report.drift == nil)
  }

  /// The 95 % interval contains the true deviation in 95 of 100 cases. Of 300 cases, 285 are expected, with a standard deviation
  /// of 3.8. The limits are more than three standard deviations away.
  @Test(arguments: [true, false]) func intervalContainsTheTrueDeviation(isPhaseNoise: Bool) throws {
    let factors = [1, 4, 16]
    var covered = [0, 0, 0]
    for seed in 1...UInt64(300) {
      var errors = Clocks.gaussian(256, seed: seed &* 977).map { $0 * 20_000 }
      if !isPhaseNoise { for index in errors.indices.dropFirst() { errors[index] += errors[index - 1] } }
      let report = try Clocks.report(Clocks.stamps(period: Self.period, errors: errors))
      for (index, factor) in factors.enumerated() {
        let row = try #require(report.stability.first { $0.factor == factor })
        let one = 20_000 / (Double(factor) * Self.period)
        let expected = one * (isPhaseNoise ? 3 : Double(factor)).squareRoot()
        if try #require(row.allan.interval).contains(expected) { covered[index] += 1 }
      }
    }
    #expect(covered.allSatisfy { (270...297).contains($0) }, "\(covered) of 300")
  }

  /// A clock with a constant error of the tempo.
  @Test(arguments: [-5000, -120.5, -1, 0, 0.02, 3, 77, 9999]) func driftIsRecovered(ppm: Double) throws {
    let period = Self.period / (1 + ppm / 1e6)
    let report = try Clocks.report(
      Clocks.stamps(period: period, errors: [Double](repeating: 0, count: 10_000)), nominalBPM: 120)
    // The stamps are rounded to whole nanoseconds. Over 208 s, the rounding changes the slope by less than 1e-11.
    #expect(abs(try #require(report.drift).value - ppm) < 1e-5)
    #expect(report.tempo.value.isClose(to: 120 * (1 + ppm / 1e6), 1e-11))
    #expect(report.phase.maximum < 1.1 && report.phase.minimum > -1.1)
  }

  /// A frequency that changes by d per second. The mean frequencies of two adjacent intervals of length tau differ by d tau.
  /// Therefore the Allan deviation is d tau / sqrt(2).
  @Test(arguments: [1e-6, 1e-5, -1e-4]) func linearFrequencyDriftIsRecovered(drift: Double) throws {
    let errors = (0..<4000).map { index in
      let time = Double(index) * Self.period / 1e9
      return drift * time * time / 2 * 1e9
    }
    let report = try Clocks.report(Clocks.stamps(period: Self.period, errors: errors))
    for row in report.stability where row.factor >= 64 {
      #expect(row.allan.value.isClose(to: abs(drift) * row.seconds / 2.0.squareRoot(), 0.01), "\(row)")
    }
  }

  /// Lost and doubled ticks at random places, in stamps without numbers.
  @Test(arguments: UInt64(1)...100) func lostAndDoubledTicksAreCounted(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let errors = Clocks.gaussian(2000, seed: seed).map { $0 * 200_000 }
    let all = Clocks.stamps(period: Self.period, errors: errors)
    var (stamps, lost, doubled): ([Int64], Int, Int) = ([], 0, 0)
    var wasLost = true
    for (index, stamp) in all.enumerated() {
      // The first and the last tick are never lost, because a clock report cannot know of ticks outside them. A tick after a
      // lost tick is not doubled, because the report would take its second stamp for the lost tick, which came late.
      let choice = index == 0 || index == all.count - 1 ? 99 : random.integer(in: 0...99)
      if choice < 3 {
        lost += 1
        wasLost = true
        continue
      }
      stamps.append(stamp)
      if choice < 6, !wasLost {
        stamps.append(stamp + random.integer(in: 0...1_000_000))
        doubled += 1
      }
      wasLost = false
    }
    let report = try Clocks.report(stamps, nominalBPM: 120)
    #expect(report.lost == lost && report.doubled == doubled && report.runs == 1, "seed \(seed)")
    #expect(report.ticks == 2000 - lost && report.late == 0)
    // The gaps of the lost ticks do not change the Allan deviation.
    let expected = 3.0.squareRoot() * 200_000 / Self.period
    #expect(report.stability[0].allan.value.isClose(to: expected, 0.1))
  }

  /// Most ticks are lost, up to 22 in succession. The tempo is 125 BPM. The nominal tempo is not exact, or it is not given.
  @Test(arguments: [nil, 122, 128]) func manyLostTicksAreCounted(nominal: Double?) throws {
    var random = SplitMix(seed: 7)
    var (stamps, tick): ([Int64], Int64) = ([], 0)
    for _ in 0..<5000 {
      stamps.append(tick * 20_000_000 + random.integer(in: 0...3_000_000))
      tick += random.integer(in: 0...9) < 7 ? 1 : random.integer(in: 1...23)
    }
    let report = try Clocks.report(stamps, nominalBPM: nominal)
    // The number of all ticks, from the rounded time between the first and the last stamp, minus the 5000 ticks with stamps.
    let lost = Int((stamps[4999] - stamps[0] + 10_000_000) / 20_000_000) + 1 - 5000
    #expect(report.lost == lost && report.doubled == 0 && report.late == 0 && report.runs == 1)
    #expect(report.warnings.contains { $0.contains("more than a tenth of the ticks") })
    #expect(report.tempo.value.isClose(to: 125, 1e-5))
  }

  @Test func lateTicksAreNeitherLostNorDoubled() throws {
    var stamps = Clocks.stamps(period: 20e6, errors: [Double](repeating: 0, count: 500))
    // Ticks 100 to 103 come together, 10.1 ms after the due time of tick 103. Tick 100 is therefore 70.1 ms late.
    for index in 100...103 { stamps[index] = stamps[103] + 10_000_000 + Int64(index) * 1000 }
    let report = try Clocks.report(stamps)
    // A tick is late if it is more than half a tick, 10 ms, after the best-fit line. Tick 103 comes 10.1 ms after its due time. It is not
    // late, because the four ticks have moved the line towards them.
    #expect(report.lost == 0 && report.doubled == 0 && report.late == 3 && report.ticks == 500)
    #expect(report.phase.maximum.isClose(to: 70e6, 0.02))
  }

  @Test func stopBeginsANewRun() throws {
    let first = Clocks.stamps(period: 20e6, errors: Clocks.gaussian(1000, seed: 1).map { $0 * 1000 })
    let second = first.map { $0 + 1000 * 20_000_000 + 3_607_000_000 }
    let (one, two) = (try Clocks.report(first, nominalBPM: 125), try Clocks.report(first + second, nominalBPM: 125))
    #expect(two.runs == 2 && two.lost == 0 && two.ticks == 2000)
    // From the last tick of the first run to the first tick of the second run: 3.607 s and one tick of 20 ms.
    #expect(two.warnings.count == 1 && two.warnings[0].contains("stopped once, for 3.627 s"))
    #expect(two.stability.count == one.stability.count)
    for (a, b) in zip(two.stability, one.stability) { #expect(a.allan.value.isClose(to: b.allan.value, 1e-3)) }
    #expect(two.peakToPeak < 10_000)
  }

  @Test func changeOfTempoIsReported() throws {
    // From tick 500 on, a tick takes 22 ms instead of 20 ms.
    let errors = (0..<1000).map { $0 < 500 ? 0 : Double($0 - 500) * 2e6 }
    let report = try Clocks.report(Clocks.stamps(period: 20e6, errors: errors))
    #expect(report.warnings.contains { $0.contains("the tempo is not constant") })
  }

  @Test func clockWithoutErrorsHasNoDeviation() throws {
    let report = try Clocks.report((0..<100).map { $0 * 20_000_000 })
    #expect(report.stability.allSatisfy { $0.allan.value == 0 && $0.allan.interval == nil && $0.noise == nil })
    #expect(report.tempo.value == 125 && report.tempo.standardError == 0 && report.phase.maximum == 0)
  }

  @Test(
    arguments: [
      ([], "fewer than 3 ticks"), ([1], "fewer than 3 ticks"), ([1, 20_000_000], "fewer than 3 ticks"),
      ([5, 5, 5, 5], "do not differ"), ([0, 0, 0, 0, 20, 40], "do not differ"),
      // Two ticks, a stop, two ticks.
      ([0, 20, 4_000, 4_020], "fewer than 3 ticks"),
      // Three stamps with the largest permitted distances.
      ([1 - (1 << 61), 0, (1 << 61) - 1], "the tempo is 1.1e-09 BPM"),
    ] as [([Int64], String)])
  func clockThatCannotBeMeasuredIsRejected(stamps: [Int64], reason: String) throws {
    let error = #expect(throws: ReportError.self) { try Clocks.report(stamps) }
    #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
  }

  @Test func textAndJSONOmitUnknownFigures() throws {
    let report = try Clocks.report([0, 20_000_000, 40_000_000, 60_000_001])
    let json = String(decoding: try JSONEncoder().encode(report), as: UTF8.self)
    #expect(!json.contains("drift_ppm") && !json.contains("adev_low") && !json.contains("null"))
    #expect(report.description.contains("Drift unknown: no nominal tempo; give it with --nominal"))
    #expect(report.description.contains("sha256: 00"))
  }
}
