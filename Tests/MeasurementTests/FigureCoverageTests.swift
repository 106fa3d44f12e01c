import Foundation
import MusicalTime
import Testing
import _TestSupport

@testable import Measurement

/// Tests of how often the nominal 95 % intervals of figures other than those of ``CoverageTests`` contain the true value, under the five types
/// of power-law noise. The limit is 90 %. The table in <doc:Accuracy> contains the results.
@Suite struct FigureCoverageTests {
  private static let seeds = 1...UInt64(200)

  /// The tempo over time. F FM and RW FM wander; the true tempo of a window is then the tempo that the clock would have had without the noise of
  /// the window.
  @Test(arguments: PowerLawNoise.allCases) func tempoOfTheWindowsContainsTheTruth(noise: PowerLawNoise) throws {
    let (count, period) = (480, 500e6 / 24)
    let sigma: Double =
      switch noise {
      case .whitePhase, .flickerPhase: 20_000
      case .whiteFrequency, .flickerFrequency: 5_000
      case .randomWalkFrequency: 100
      }
    let isWandering = noise == .flickerFrequency || noise == .randomWalkFrequency
    // The windows of 24 and of 96 ticks.
    var coverage = [Coverage(), Coverage()]
    for seed in Self.seeds {
      let errors = Noises.phase(noise, count: count, sigma: sigma, seed: seed &* 7919)
      var clock = ClockStamps(name: "x", stamps: Clocks.stamps(period: period, errors: errors))
      try clock.number(nominalPeriod: period)
      let phase = try ClockPhase(clock, approximatePeriod: period)
      for (index, limit) in [20, 5].enumerated() {
        let curve = TempoCurve(phase, clock, ticksPerQuarter: 24, limit: limit)
        #expect(curve.window == (index == 0 ? 24 : 96) && curve.rows.count == count / curve.window)
        for (number, row) in curve.rows.enumerated() {
          var slope = 0.0
          if isWandering {
            let start = number * curve.window
            let quiet = Noises.phase(
              noise, count: start + curve.window, sigma: sigma, seed: seed &* 7919, silentFrom: start)
            for (position, value) in quiet[start...].enumerated() {
              slope += (Double(position) - Double(curve.window - 1) / 2) * value
            }
            let n = Double(curve.window)
            slope *= 12 / (n * n * n - n)
          }
          coverage[index].add(row.tempo, standardError: row.standardError, truth: 2.5e9 / (period + slope))
        }
      }
    }
    print("coverage windows \(noise.abbreviation): \(coverage)")
    for coverage in coverage {
      coverage.expectNominal("tempo of a window, \(noise.abbreviation)")
      #expect(coverage.withheld == 0)
    }
  }

  /// Two quarter notes do not show the type of the noise.
  @Test func tempoOfAShortClockHasNoStandardError() throws {
    let stamps = Clocks.stamps(period: 500e6, errors: Clocks.gaussian(16, seed: 1).map { $0 * 1e6 })
    let clock = ClockStamps(name: "x", stamps: stamps)
    let report = try ClockAnalysis(clock, ticksPerQuarter: 1, provenance: Clocks.provenance).report
    #expect(report.tempoCurve.rows.count == 2 && report.tempoCurve.rows.allSatisfy { $0.standardError == nil })
  }

  /// The density of the phase spectrum. The lowest four frequencies have no interval.
  @Test(arguments: PowerLawNoise.allCases) func densityOfTheSpectrumContainsTheTruth(noise: PowerLawNoise) throws {
    var (lowest, all) = (Coverage(), Coverage())
    for seed in Self.seeds {
      let series = PhaseSeries(Noises.phase(noise, count: 1024, sigma: 1000, seed: seed &* 613))
      let spectrum = try #require(PhaseSpectrum(of: series, period: 1e9))
      let indices = PhaseSpectrum.lowestFrequencies..<spectrum.densities.count - 1
      for index in indices {
        let frequency = Double(index + 1) / Double(spectrum.segmentTicks)
        let truth = 2 * pow(2 * sin(Double.pi * frequency), Double(noise.rawValue - 2))
        let (low, high) = (spectrum.interval.lowerBound, spectrum.interval.upperBound)
        let interval = spectrum.densities[index] * low...spectrum.densities[index] * high
        all.add(interval, truth: truth)
        if index == indices.lowerBound { lowest.add(interval, truth: truth) }
      }
    }
    print("coverage spectrum \(noise.abbreviation): lowest \(lowest), all \(all)")
    lowest.expectNominal("density of the fifth frequency, \(noise.abbreviation)")
    all.expectNominal("density, \(noise.abbreviation)")
  }

  /// The drift of the recorder and the jitter transfer of a device with a low-pass filter. The rate of RW FM wanders; the true drift is then the mean
  /// of the rates at the beginning of both parts, with the weights of the figure.
  @Test(arguments: PowerLawNoise.allCases) func driftAndTransferOfAFollowerContainTheTruth(noise: PowerLawNoise) throws
  {
    var (drift, transfer) = (Coverage(), Coverage())
    let gain = 0.1
    for seed in Self.seeds {
      let followers = try Followers(seed: seed)
      let sounds = followers.loop(gain: gain)
      // The noise of the device and of the recorder reaches about 0.6 ms.
      let greatest = Noises.phase(noise, count: sounds.count, seed: 5).map(abs).max() ?? 1
      let errors = Noises.phase(noise, count: sounds.count, sigma: 6e5 / greatest, seed: seed &* 7919)
      let played = zip(sounds, errors).map { $0 * (1 + 40e-6) + $1 }
      let analysis = try followers.analysis(played, seed: seed, hasCommonClock: false)
      let report = analysis.report
      let truth = 40 + (noise == .randomWalkFrequency ? Self.meanRate(analysis, errors) : 0)
      drift.add(try #require(report.drift).value, standardError: report.drift?.standardError, truth: truth)
      let figure = try #require(report.transfer)
      transfer.add(figure.ratio, standardError: figure.standardError, truth: (gain / (2 - gain)).squareRoot())
    }
    print("coverage follower \(noise.abbreviation): drift \(drift); transfer \(transfer)")
    drift.expectNominal("drift of the recorder, \(noise.abbreviation)")
    transfer.expectNominal("transfer, \(noise.abbreviation)")
    #expect(drift.withheld == 0)
  }

  /// Returns the mean of the rates of the phase `errors` of the sounds at the beginning of both parts, in parts per million.
  private static func meanRate(_ analysis: FollowerAnalysis, _ errors: [Double]) -> Double {
    let figures = FollowerFigures(analysis.record, analysis.placement, grid: 6)
    var (weights, sum) = (0.0, 0.0)
    for part in [FollowerStimulus.Part.steady, .jitter] {
      guard let ticks = figures.section(part)?.ticks else { continue }
      let sounds = figures.sounds(ticks.lowerBound + (part == .steady ? ticks.count / 3 : 0)..<ticks.upperBound)
      var fit = DriftFit()
      for sound in sounds { fit.append(sound.error, at: Instant(nanoseconds: Int64(sound.instant))) }
      guard let error = fit.independentError, let first = sounds.first else { continue }
      let weight = 1 / (error * error)
      // The sounds are 6 ticks apart, 125 ms.
      sum += weight * (errors[first.tick / 6] - errors[first.tick / 6 - 1]) / 125
      weights += weight
    }
    return sum / weights
  }

  /// A measurement of a network: the number of exchanges, which are 20 ms apart, the value that the noise of the remote clock reaches, and the
  /// mean of the exponential queueing time in each direction, both in nanoseconds.
  struct NetworkCondition: CustomTestStringConvertible {
    let count: Int
    let (noise, queueing): (Double, Double)
    var testDescription: String { "\(count) exchanges, noise \(noise / 1e3) us, queueing \(queueing / 1e3) us" }
  }

  /// The conditions. Two crystals have less noise than the first one. In the last one, the noise is 20 times the queueing time.
  static let networks = [
    NetworkCondition(count: 250, noise: 1000, queueing: 50_000),
    NetworkCondition(count: 500, noise: 5000, queueing: 50_000),
    NetworkCondition(count: 500, noise: 30_000, queueing: 50_000),
    NetworkCondition(count: 500, noise: 5000, queueing: 5000),
    NetworkCondition(count: 500, noise: 100_000, queueing: 5000),
    NetworkCondition(count: 30, noise: 5000, queueing: 5000),
  ]

  /// The offset of a remote clock. The interval is the offset plus and minus 1.96 standard deviations. The largest possible error is no interval: it
  /// always holds, unless the noise of the remote clock exceeds the delays. The bounds of the skew hold if the rate is constant.
  @Test(arguments: PowerLawNoise.allCases, networks)
  func offsetOfANetworkContainsTheTruth(noise: PowerLawNoise, condition: NetworkCondition) throws {
    let count = condition.count
    let greatest = Noises.phase(noise, count: count, seed: 5).map(abs).max() ?? 1
    var (offset, bound, skew, deviations) = (Coverage(), Coverage(), Coverage(), 0.0)
    for seed in Self.seeds {
      var (random, measurement) = (SplitMix(seed: seed), NetworkMeasurement(.probes))
      let clock = Noises.phase(noise, count: count, sigma: condition.noise / greatest, seed: seed &* 31)
      func remote(_ local: Double, _ index: Int) -> Double { local + 1e9 + local * 12e-6 + clock[index] }
      func instant(_ nanoseconds: Double) -> Instant { Instant(nanoseconds: Int64(nanoseconds.rounded())) }
      func delay() -> Double { 200_000 - condition.queueing * log(Double.random(in: 1e-12..<1, using: &random)) }
      for index in 0..<count {
        let sent = Double(index) * 20e6
        let left = sent + delay()
        let received = left + delay()
        measurement.requestSent()
        measurement.add(
          NetworkExchange(
            sent: instant(sent), remoteReceived: instant(remote(left, index)), remoteSent: instant(remote(left, index)),
            received: instant(received)))
      }
      let figures = try #require(
        try measurement.report(peer: "x", pending: 0, provenance: Clocks.provenance).clock)
      let last = Double(measurement.exchanges[count - 1].received.nanoseconds)
      let (value, truth) = (Double(figures.offset.count), remote(last, count - 1) - last)
      offset.add(value, standardError: figures.deviation.map { Double($0.count) }, truth: truth)
      let largest = Double(figures.uncertainty.count)
      bound.add(value - largest...value + largest, truth: truth)
      skew.add(figures.skewBounds, truth: 12)
      deviations += Double(figures.deviation?.count ?? 0) / 200
    }
    let name = "\(noise.abbreviation), \(condition.testDescription)"
    print("coverage network \(name), \(deviations.fixed(0)) ns: offset \(offset), bound \(bound), skew \(skew)")
    offset.expectNominal("offset, \(name)")
    #expect(offset.withheld == 0)
    if condition.noise < 100_000 { #expect(bound.share == 1) }
    if condition.noise == 1000 { #expect(skew.share == 1) }
  }

  /// The share of a stage in the total. The variance of a total that wanders (W FM, F FM and RW FM) has no true value, and the share has no
  /// standard error.
  @Test(arguments: PowerLawNoise.allCases, [2000])
  func shareOfAStageContainsTheTruth(noise: PowerLawNoise, count: Int) throws {
    var coverage = Coverage()
    for seed in Self.seeds {
      let first = Noises.phase(noise, count: count, sigma: 2, seed: seed &* 3)
      let second = Noises.phase(noise, count: count, seed: seed &* 5 + 100_000)
      var (jackknife, sums) = (ShareJackknife(stages: 2), (x: 0.0, t: 0.0, xt: 0.0, tt: 0.0))
      for (x, y) in zip(first, second) {
        jackknife.add([x, y], total: x + y)
        sums = (sums.x + x, sums.t + x + y, sums.xt + x * (x + y), sums.tt + (x + y) * (x + y))
      }
      let n = Double(count)
      let share = (sums.xt - sums.x * sums.t / n) / (sums.tt - sums.t * sums.t / n)
      let error = jackknife.standardError(of: 0).flatMap { $0 > PathReport.Stage.largestShareError ? nil : $0 }
      coverage.add(share, standardError: error, truth: 0.8)
    }
    print("coverage share \(noise.abbreviation) \(count): \(coverage)")
    if noise == .whitePhase || noise == .flickerPhase {
      coverage.expectNominal("share, \(noise.abbreviation), \(count) ticks")
      #expect(coverage.withheld <= 20, "\(coverage)")
    } else {
      #expect(coverage.withheld >= 190, "\(coverage)")
    }
  }
}
