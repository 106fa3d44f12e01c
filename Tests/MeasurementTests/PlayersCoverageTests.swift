import Foundation
import MusicalTime
import Testing
import _TestSupport

@testable import Measurement

/// Tests that the 95 % intervals of `tutti measure players` contain the true value in at least 90 of 100 cases, over 200 seeds.
@Suite struct PlayersCoverageTests {
  /// A player with a gain of 0.4, noise of the timekeeper of 8 ms and of the movement of 4 ms. Ordinary least squares returns 0.55.
  @Test func gainWithNoiseOfTheMovementIsRecovered() {
    let fits = (UInt64(1)...200).map { seed in
      let asynchronies = Players.ensemble(
        200, grid: [0.4], gains: [[0]], timekeeper: 8e6, motor: 4e6, seed: seed)
      return try? PlayersAnalysis([Players.trace("anna", asynchronies[0])], grid: .rhythm(ticksPerLine: 6)).report
        .corrections[0]
    }
    let mean = Players.expectCoverage(of: 0.4, "gain") { seed in
      fits[Int(seed) - 1].map { Estimate($0.gains[0].gain, $0.gains[0].low...$0.gains[0].high) }
    }
    // The bias of a maximum likelihood estimate falls with the number of actions. With 200 actions it is 0.02.
    #expect(abs(mean - 0.4) < 0.04)
    let timekeeper = Players.expectCoverage(of: 8e6, "timekeeper") { fits[Int($0) - 1]?.timekeeper }
    let movement = Players.expectCoverage(of: 4e6, "movement") { fits[Int($0) - 1]?.movement }
    #expect(timekeeper.isClose(to: 8e6, 0.05) && abs(movement - 4e6) < 1e6)
  }

  /// Three players who correct towards the grid and towards each other, without and with noise of the movement.
  @Test(arguments: [0, 3e6]) func gainsOfAnEnsembleAreRecovered(motor: Double) throws {
    let gains = [[0, 0.2, 0.1], [0.3, 0, 0.05], [0.15, 0.25, 0]]
    let fits = try (UInt64(1)...200).map { seed in
      let players = Players.ensemble(
        300, grid: [0.2, 0.1, 0.15], gains: gains, timekeeper: 8e6, motor: motor, seed: seed)
      return try PlayersAnalysis(
        zip(["anna", "bert", "cleo"], players).map { Players.trace($0, $1) }, grid: .rhythm(ticksPerLine: 6)
      ).report.gains
    }
    let truth = [0.2, 0.2, 0.1, 0.1, 0.3, 0.05, 0.15, 0.15, 0.25]
    for (index, gain) in truth.enumerated() {
      let mean = Players.expectCoverage(of: gain, "gain \(index)") { seed in
        let found = fits[Int(seed) - 1][index]
        return Estimate(found.gain, found.low...found.high)
      }
      #expect(abs(mean - gain) < 0.03)
    }
  }

  /// The asynchronies have a standard deviation of 35 ms, and half the distance of two lines is 62 ms. Many actions are nearer to a wrong
  /// line, and a gain calculated from them would be 0.3 instead of 0.1.
  @Test func gainOfWidelySpreadAsynchroniesIsNotReported() throws {
    let players = Players.ensemble(300, grid: [0.1], gains: [[0]], timekeeper: 15e6, motor: 10e6, seed: 3)
    let report = try PlayersAnalysis([Players.trace("anna", players[0])], grid: .rhythm(ticksPerLine: 6)).report
    #expect(report.gains.isEmpty && report.notes.contains { $0.hasPrefix("anna: no correction gain, because") })
    let wide = try PlayersAnalysis([Players.trace("anna", players[0])], grid: .rhythm(ticksPerLine: 24)).report
    #expect(!wide.notes.contains { $0.contains("because the asynchronies spread") })
  }

  @Test(arguments: [0, 0.1, 0.2]) func periodCorrectionIsRecovered(period: Double) throws {
    let fits = try (UInt64(1)...200).map { seed in
      let asynchronies = Players.ensemble(
        400, grid: [0.4], gains: [[0]], period: period, timekeeper: 8e6, motor: 3e6, seed: seed)
      // A player who anticipates: all actions are 20 ms early.
      return try PlayersAnalysis(
        [Players.trace("anna", asynchronies[0].map { $0 - 20e6 })], grid: .rhythm(ticksPerLine: 6)
      ).report.corrections[0].periods[0]
    }
    let phase = Players.expectCoverage(of: 0.4, "phase") { fits[Int($0) - 1].phase }
    let mean = Players.expectCoverage(of: period, "period \(period)") { fits[Int($0) - 1].period }
    #expect(abs(phase - 0.4) < 0.06 && abs(mean - period) < 0.02)
  }

  /// A player who does not correct: the errors of the intervals add up.
  @Test(arguments: [(10e6, 5e6), (10e6, 0), (4e6, 8e6), (0, 5e6)])
  func wingKristoffersonSplitIsRecovered(timekeeper: Double, motor: Double) throws {
    let fits = try (UInt64(1)...200).map { seed in
      let noise = Clocks.gaussian(150, seed: seed &* 2)
      let movement = Clocks.gaussian(151, seed: seed &* 2 &+ 1)
      var clock = 0.0
      let instants = (0...150).map { index in
        if index > 0 { clock += noise[index - 1] * timekeeper }
        return Double(index) * 500e6 + clock + movement[index] * motor
      }
      let player = PlayerTrace(
        name: "anna",
        actions: instants.map { TraceAction(at: Instant(nanoseconds: Int64($0.rounded())), force: 1) })
      let report = try PlayersAnalysis([player, player], grid: .onsets(window: .milliseconds(100))).report
      return try #require(report.players[0].intervals)
    }
    let timekeeperMean = Players.expectCoverage(of: timekeeper, "timekeeper") { fits[Int($0) - 1].timekeeper }
    let motorMean = Players.expectCoverage(of: motor, "motor") { fits[Int($0) - 1].movement }
    // The estimate of a standard deviation of 0 is never negative, so its mean is positive.
    #expect(abs(timekeeperMean - timekeeper) < 1.2e6 && abs(motorMean - motor) < 1.5e6)
  }

  /// Three players with correlated asynchronies around the grid, and different mean asynchronies.
  @Test func groupAsynchronyIsRecovered() throws {
    let (gain, noise, means) = (0.5, 6e6, [0, 5e6, -8e6])
    // The variance of each player is that of a process a(n+1) = (1 - gain) a(n) + noise. The mean square of a pair is twice this variance
    // plus the square of the difference of the means.
    let variance = noise * noise / (1 - (1 - gain) * (1 - gain))
    let pairs = [(0, 1), (0, 2), (1, 2)].map { pow(means[$0] - means[$1], 2) + 2 * variance }
    let truth = (pairs.reduce(0, +) / 3).squareRoot()
    let mean = try Players.expectCoverage(of: truth, "group") { seed in
      let players = Players.ensemble(
        240, grid: [gain, gain, gain], gains: [[0, 0, 0], [0, 0, 0], [0, 0, 0]], timekeeper: noise, seed: seed)
      return try PlayersAnalysis(
        zip(["a", "b", "c"], zip(players, means)).map { name, data in
          Players.trace(name, data.0.map { $0 + data.1 })
        }, grid: .rhythm(ticksPerLine: 6)
      ).report.group?.rms
    }
    #expect(mean.isClose(to: truth, 0.02))
  }

  /// Correlated, normally distributed asynchronies with a mean of -15 ms. A line is 125 ms. Of a wrapped normal distribution with the
  /// standard deviation s in radians, the resultant length is exp(-s^2 / 2).
  @Test(arguments: [5e6, 20e6]) func circularFiguresAreRecovered(noise: Double) throws {
    let unit = Double(6 * Players.tick)
    let deviation = noise / (1 - 0.6 * 0.6).squareRoot() / unit * 2 * .pi
    let figures = try (UInt64(1)...200).map { seed in
      let asynchronies = Players.ensemble(300, grid: [0.4], gains: [[0]], timekeeper: noise, seed: seed)
      let report = try PlayersAnalysis(
        [Players.trace("anna", asynchronies[0].map { $0 - 15e6 })], grid: .rhythm(ticksPerLine: 6)
      ).report
      return try #require(report.players[0].phases)
    }
    let direction = Players.expectCoverage(of: -15e6 / unit * 360, "direction") { figures[Int($0) - 1].direction }
    let resultant = Players.expectCoverage(of: exp(-deviation * deviation / 2), "resultant") {
      figures[Int($0) - 1].resultant
    }
    #expect(
      direction.isClose(to: -15e6 / unit * 360, 0.03) && resultant.isClose(to: exp(-deviation * deviation / 2), 0.02))
    #expect(figures.allSatisfy { $0.rayleigh < 1e-4 })
  }

  /// Without a preferred angle, the Rayleigh test rejects at its level of 5 %: between 3 and 17 of 200 (a binomial probability of 99.9 %).
  @Test func rayleighTestHasItsLevel() {
    let figures = (UInt64(1)...200).compactMap { seed in
      var random = SplitMix(seed: seed)
      return CircularFigures((0..<40).map { _ in Double.random(in: -.pi ... .pi, using: &random) })
    }
    let rejected = figures.filter { $0.rayleigh < 0.05 }
    #expect(figures.count == 200 && (2...19).contains(rejected.count), "\(rejected.count)")
    #expect(
      figures.filter { $0.rayleigh >= 0.05 }.allSatisfy {
        $0.direction.interval == nil && $0.resultant.interval?.lowerBound ?? 0 == 0
      })
  }
}
