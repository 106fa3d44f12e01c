import Foundation
import MusicalTime
import Testing

@testable import Measurement

/// Tests of how often the nominal 95 % intervals of `tutti measure clock` contain the true value, under the five types of power-law noise.
/// The limit is 90 %. The table in <doc:Accuracy> contains the results.
@Suite struct CoverageTests {
  /// The length of a tick at 120 BPM, nanoseconds.
  private static let period = 500e6 / 24
  private static let seeds = 1...UInt64(200)

  /// The level of the noise in nanoseconds. The slow noise must stay below half a tick, because the stamps have no tick numbers.
  private static func sigma(_ noise: PowerLawNoise) -> Double {
    switch noise {
    case .whitePhase, .flickerPhase: 20_000
    case .whiteFrequency, .flickerFrequency: 5_000
    case .randomWalkFrequency: 100
    }
  }

  @Test(arguments: PowerLawNoise.allCases, [64, 1024])
  func intervalOfTheTempoContainsTheTruth(noise: PowerLawNoise, count: Int) throws {
    var (tempo, drift, interval, sync) = (Coverage(), Coverage(), Coverage(), Coverage())
    for seed in Self.seeds {
      let errors = Noises.phase(noise, count: count, sigma: Self.sigma(noise), seed: seed &* 7919)
      let report = try Clocks.report(Clocks.stamps(period: Self.period, errors: errors), nominalBPM: 120)
      tempo.add(report.tempo.value, standardError: report.tempo.standardError, truth: 120)
      let figure = try #require(report.drift)
      drift.add(figure.value, standardError: figure.standardError, truth: 0)
      interval.add(figure.interval, truth: 0)
      #expect(report.tempo.interval?.contains(report.tempo.value) == true)
      // `measure sync`, `measure audio` and `measure follower` add their offsets to this fit.
      var fit = DriftFit()
      for (index, error) in errors.enumerated() {
        fit.append(error, at: Instant(nanoseconds: Int64(Double(index) * Self.period)))
      }
      sync.add(try #require(fit.partsPerMillion), standardError: fit.error?.standardError, truth: 0)
    }
    print("coverage tempo \(noise.abbreviation) \(count): \(tempo); interval \(interval); fit \(sync)")
    interval.expectNominal("interval of the drift, \(noise.abbreviation), \(count) ticks")
    sync.expectNominal("drift of a fit, \(noise.abbreviation), \(count) ticks")
    tempo.expectNominal("tempo, \(noise.abbreviation), \(count) ticks")
    drift.expectNominal("drift, \(noise.abbreviation), \(count) ticks")
    #expect(tempo.withheld == 0 && interval.withheld == 0 && sync.withheld == 0)
  }

  @Test(arguments: PowerLawNoise.allCases, [128, 512])
  func intervalsOfTheDeviationsContainTheTruth(noise: PowerLawNoise, count: Int) throws {
    let factors = Array(sequence(first: 1) { $0 * 2 }.prefix { 4 * $0 <= count })
    var coverage = [[Coverage]](repeating: [Coverage](repeating: Coverage(), count: 3), count: factors.count)
    var (wrong, identified, rows) = (0, 0, 0)
    let truths = factors.map { factor in
      [.allan, .modifiedAllan, .hadamard].map { Noises.deviation(noise, $0, factor: factor) }
    }
    for seed in Self.seeds {
      let series = PhaseSeries(Noises.phase(noise, count: count, seed: seed &* 104_729))
      for (index, row) in ClockStability.octaves(of: series, period: 1).prefix(factors.count).enumerated() {
        for (kind, deviation) in [row.allan, row.modifiedAllan, row.hadamard].enumerated() {
          guard let deviation else { continue }
          coverage[index][kind].add(deviation.interval, truth: truths[index][kind] / Double(row.factor))
        }
        rows += 1
        if let type = row.noise { (identified, wrong) = (identified + 1, wrong + (type == noise ? 0 : 1)) }
      }
    }
    for (index, factor) in factors.enumerated() {
      print("coverage dev \(noise.abbreviation) \(count) \(factor): \(coverage[index])")
      for (kind, name) in ["ADEV", "MDEV", "HDEV"].enumerated() {
        coverage[index][kind].expectNominal("\(name), \(noise.abbreviation), \(factor) of \(count) ticks")
      }
    }
    print("identified \(noise.abbreviation) \(count): wrong \(wrong) of \(identified) of \(rows)")
    #expect(wrong * 20 <= identified && identified * 4 >= rows * 3)
  }
}

extension CoverageTests {
  /// Sinusoidal jitter is of no noise type. Where it dominates the Allan deviation, the row has neither a type nor an interval.
  @Test(arguments: [5.3, 17, 48, 130]) func periodicJitterHasNoNoiseType(ticksPerCycle: Double) throws {
    for seed in 1...UInt64(20) {
      let errors = Clocks.gaussian(4096, seed: seed).enumerated().map { index, value in
        2_000 * value + 100_000 * sin(2 * Double.pi * (Double(index) / ticksPerCycle + Double(seed) / 20))
      }
      let report = try Clocks.report(Clocks.stamps(period: 500e6 / 24, errors: errors))
      for row in report.stability where row.factor < 1024 {
        // The Allan deviation of the white noise alone.
        let noise = 3.0.squareRoot() * 2_000 / (row.seconds * 1e9)
        guard row.allan.value > 2 * noise else { continue }
        #expect(row.noise == nil && row.allan.interval == nil, "\(row.factor) ticks, seed \(seed): \(row)")
      }
    }
  }

  /// White phase noise hides slow noise at first. The ratio is the variance of the slope by the slow noise, divided by that by the white noise.
  /// The interval allows for slow noise that the measurement cannot show.
  @Test(
    arguments: [PowerLawNoise.flickerPhase, .whiteFrequency, .flickerFrequency, .randomWalkFrequency], [1.0, 10, 100])
  func intervalOfTheTempoUnderMixedNoise(noise: PowerLawNoise, ratio: Double) throws {
    let count = 1024
    // The standard deviation of the slope of the slow noise with sigma 1, from 200 other seeds.
    let variance = (1...200).reduce(0.0) { sum, seed in
      let middle = Double(count - 1) / 2
      let phase = Noises.phase(noise, count: count, seed: UInt64(seed) &* 1_000_003)
      let slope = phase.enumerated().reduce(0) { $0 + (Double($1.offset) - middle) * $1.element }
      return sum + slope * slope / 200
    }
    // The white noise with sigma 1 has the variance count^3 / 12 of the same sum.
    let sigma = (ratio * pow(Double(count), 3) / 12 / variance).squareRoot()
    var (tempo, error) = (Coverage(), Coverage())
    for seed in 1...UInt64(200) {
      let slow = Noises.phase(noise, count: count, sigma: sigma, seed: seed &* 7919)
      let errors = zip(Clocks.gaussian(count, seed: seed &* 31), slow).map { 20_000 * ($0 + $1) }
      let report = try Clocks.report(Clocks.stamps(period: 500e6 / 24, errors: errors))
      tempo.add(report.tempo.interval, truth: 120)
      error.add(report.tempo.value, standardError: report.tempo.standardError, truth: 120)
    }
    print("coverage W PM + \(noise.abbreviation) \(ratio): interval \(tempo); error \(error)")
    tempo.expectNominal("interval of the tempo, W PM and \(noise.abbreviation), ratio \(ratio)")
  }
}
