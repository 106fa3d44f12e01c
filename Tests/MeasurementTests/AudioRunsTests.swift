import Foundation
import MusicalTime
import Testing
import _TestSupport

@testable import Measurement

/// Tests of recordings with different sample rates, of figures over several runs, and of the coverage of the stated intervals.
@Suite struct AudioRunsTests {
  private static let pattern: [PartialDrums.Sound] = [.snare, .hat, .kick, .hat]

  /// A recording with hits every 160 ms, `delays` seconds late.
  private func recording(
    _ name: String, delays: [Double], rate: Int = 48_000, sounds: [PartialDrums.Sound] = pattern
  ) -> Recording {
    let positions = delays.enumerated().map { (0.1 + 0.16 * Double($0) + $1) * Double(rate) }
    return PartialDrums(seed: 3, rate: rate).recording(name, positions: positions, sounds: sounds)
  }

  /// The other recording is 1300 us late. It is resampled to the rate of the reference.
  @Test(arguments: [(44_100, 48_000), (48_000, 44_100), (48_000, 96_000), (96_000, 48_000), (48_000, 47_999)])
  func recordingsMayHaveDifferentSampleRates(first: Int, second: Int) throws {
    let zeros = [Double](repeating: 0, count: 16)
    let report = try AudioReport(recordings: [
      recording("a", delays: zeros, rate: first), recording("b", delays: zeros.map { _ in 1.3e-3 }, rate: second),
    ])
    let comparison = report.comparisons[0]
    #expect(report.rate == first && report.tracks.map(\.rate) == [first, second])
    #expect(abs(report.tracks[1].seconds - report.tracks[0].seconds) < 0.005)
    #expect(comparison.matched >= 15 && comparison.correlated == comparison.matched, "\(comparison)")
    let difference = try #require(comparison.difference)
    // A hundredth of a frame at 48 kHz is 208 ns.
    #expect(abs(difference.mean - 1.3e6) < 208, "\(difference.mean)")
    #expect(max(difference.maximum - 1.3e6, 1.3e6 - difference.minimum) < 2_083, "\(difference)")
  }

  /// Resampling keeps the instants and the levels of a tone at 1 kHz, and removes a tone above half of the new rate.
  @Test func resamplingIsBandLimited() {
    func tone(_ frequency: Double, rate: Int) -> [Float] {
      (0..<rate / 10).map { Float(0.5 * sin(2 * .pi * frequency * Double($0) / Double(rate))) }
    }
    for (from, to) in [(44_100, 48_000), (48_000, 44_100), (96_000, 48_000), (8_000, 48_000)] {
      let old = Recording(
        name: "x", samples: tone(1_000, rate: from), rate: from, firstInstant: Instant(nanoseconds: 5))
      let new = old.resampled(to: to)
      #expect(new.rate == to && new.firstInstant == old.firstInstant)
      // The ends are left out, because the tone begins and ends abruptly there.
      let errors = zip(new.samples, tone(1_000, rate: to)).map { abs($0 - $1) }[to / 50..<to / 10 - to / 50]
      #expect(errors.max()! < 1e-4, "\(from) to \(to): \(errors.max()!)")
    }
    let high = Recording(
      name: "x", samples: tone(30_000, rate: 96_000), rate: 96_000, firstInstant: Instant(nanoseconds: 0))
    #expect(high.resampled(to: 48_000).samples[960..<3_840].allSatisfy { abs($0) < 1e-4 })
  }

  /// Seven runs. The delay of each run is constant, and the median over the runs is that of the fourth largest delay.
  @Test func runsHaveMediansWithIntervals() throws {
    let delays = [0.3, -0.1, 0.5, 0.2, 0.9, 0.4, 0.1]
    let runs = try delays.enumerated().map { index, delay in
      try AudioAnalysis(recordings: [
        recording("\(index)/a", delays: [0, 0, 0, 0]),
        recording("\(index)/b", delays: [Double](repeating: delay * 1e-3, count: 4)),
      ])
    }
    let analysis = try AudioAnalysis(runs: runs)
    let (report, figures) = (analysis.report, try #require(analysis.report.runs))
    #expect(report.comparisons.map(\.reference) == (0..<7).map { "\($0)/a" } && report.tracks.count == 14)
    #expect(figures.mean.runs == 7 && abs(figures.mean.median - 0.3e6) < 200, "\(figures.mean)")
    let interval = try #require(figures.mean.interval)
    #expect(interval.lowerBound > -0.2e6 && interval.contains(0.3e6) && interval.upperBound < 1e6)
    #expect(abs(figures.p50.median - 0.3e6) < 200 && figures.standardDeviation?.runs == 7)
    #expect(analysis.hits.count == 28 && analysis.hits.last?.recording == "6/b")
    #expect(report.description.contains("Median of runs: difference, us [95 % interval]"))
    #expect(report.description.contains("Difference from the reference of each run"))
    #expect(report.description.hasPrefix("0/b: 4 of 4 hits of 0/a matched, on average 0.300 ms late ("))
    let json = try JSONEncoder().encode(report)
    #expect(try JSONDecoder().decode(AudioReport.self, from: json).runs?.mean.runs == 7)
    let few = try AudioAnalysis(runs: Array(runs.prefix(4))).report
    #expect(few.runs?.mean.interval == nil && few.description.contains("needs 5 runs"))
    #expect(throws: ReportError.self) { () throws(ReportError) in try AudioAnalysis(runs: []) }
  }

  /// The interval of the median over nine runs contains the true delay in 90 to 99 of 100 cases. The delay of a run is normally distributed
  /// around 1 ms, and its hits around this delay.
  @Test func intervalOfRunsContainsTheTrueDelay() throws {
    let covered = try (UInt64(1)...400).count { seed in
      let noise = Clocks.gaussian(9 * 21, seed: seed &* 104_729)
      let comparisons = (0..<9).map { run in
        var comparison = AudioReport.Comparison(name: "\(run)")
        let delay = 1e6 + 3e5 * noise[run * 21]
        let differences = (1...20).map { delay + 1e5 * noise[run * 21 + $0] }
        (comparison.difference, comparison.magnitude) = (
          Distribution(differences), Distribution(differences.map { abs($0) })
        )
        return comparison
      }
      return try #require(AudioRuns(comparisons)?.mean.interval).contains(1e6)
    }
    #expect((360...396).contains(covered), "\(covered) of 400")
  }

  /// The drift of recordings whose hits have independent errors: the true drift, 0, is within the standard error times the quantile of the t
  /// distribution with 30 degrees of freedom, 2.042, in at least 90 of 100 cases.
  @Test func driftIsWithinItsStandardError() throws {
    let count = CalibrationTests.seeds(200).upperBound
    var covered = 0
    for seed in UInt64(1)...count {
      let jitter = Clocks.gaussian(32, seed: seed &* 7_919).map { $0 * 0.4e-3 }
      let comparison = try AudioReport(recordings: [
        recording("a", delays: [Double](repeating: 0, count: 32), sounds: [.kick, .kick, .kick, .hat]),
        recording("b", delays: jitter, sounds: [.kick, .kick, .kick, .hat]),
      ]).comparisons[0]
      let (drift, error) = (try #require(comparison.drift), try #require(comparison.driftError))
      if abs(drift) <= 2.042 * error { covered += 1 }
    }
    #if !DEBUG
      #expect((180...200).contains(covered), "\(covered) of \(count)")
    #endif
  }
}
