import Foundation
import MusicalTime
import Testing

@testable import Measurement

/// Simulated players with known correction gains and noise, and their traces. The grid has a line on each sixteenth note, which is six
/// ticks or 125 ms.
enum Players {
  /// The length of a tick at 120 BPM in nanoseconds.
  static let tick: Int64 = 20_833_333
  /// The instant of tick 0 in nanoseconds.
  static let origin: Int64 = 7_000_000_000_000

  /// The ticks of a run, from line 0 to line `lines` + 1. The actions are on the lines 1 to `lines` (``actions(_:clock:)``). `clock` is
  /// added to all instants, in nanoseconds.
  static func ticks(_ lines: Int, clock: Int64 = 0) -> [TraceTick] {
    (0..<lines * 6 + 7).map { index in
      let due = Instant(nanoseconds: Self.origin + clock + Int64(index) * Self.tick)
      return TraceTick(tick: Tick(Int64(index)), due: due, acted: due)
    }
  }

  /// The actions of a player in a run. The first asynchrony is that of the action on line 1, the next one that of the action on line 2,
  /// and so on. Asynchronies are in nanoseconds. If an asynchrony is nil, there is no action on its line.
  static func actions(_ asynchronies: [Double?], clock: Int64 = 0) -> [TraceAction] {
    asynchronies.enumerated().compactMap { index, asynchrony in
      asynchrony.map {
        let instant = Self.origin + clock + Int64(index + 1) * 6 * Self.tick + Int64($0.rounded())
        return TraceAction(at: Instant(nanoseconds: instant), force: 100)
      }
    }
  }

  /// A trace of one run.
  static func trace(_ name: String, _ asynchronies: [Double?], clock: Int64 = 0) -> PlayerTrace {
    PlayerTrace(
      Trace(
        header: header(name), ticks: ticks(asynchronies.count, clock: clock),
        actions: actions(asynchronies, clock: clock)))
  }

  /// The asynchronies of simulated players (Wing et al. 2014, equation 1, with noise of the movement). With each action, a player corrects
  /// a share of the asynchrony to the grid, and of the asynchrony to each other player. Normally distributed noise is added.
  ///
  /// - Parameters:
  ///   - count: the number of actions of each player.
  ///   - grid: the share that each player corrects towards the grid.
  ///   - gains: the correction towards other players. `gains[a][b]` is the share that player `a` corrects towards player `b`.
  ///   - period: the share by which the asynchrony to the grid changes the period of each player.
  ///   - timekeeper: the standard deviation of the noise of the timekeeper in nanoseconds.
  ///   - motor: the standard deviation of the noise of the movement in nanoseconds.
  static func ensemble(
    _ count: Int, grid: [Double], gains: [[Double]], period: Double = 0, timekeeper: Double, motor: Double = 0,
    seed: UInt64
  ) -> [[Double]] {
    let noise = grid.indices.map { Clocks.gaussian(count, seed: seed &* 100 &+ UInt64($0)).map { $0 * timekeeper } }
    let movement = grid.indices.map {
      Clocks.gaussian(count, seed: seed &* 100 &+ 50 &+ UInt64($0)).map { $0 * motor }
    }
    var asynchronies = movement.map { [$0[0]] }
    var periods = grid.map { _ in 0.0 }
    for event in 1..<count {
      let last = asynchronies.map { $0[event - 1] }
      for player in grid.indices {
        periods[player] -= period * last[player]
        var next =
          last[player] * (1 - grid[player]) + periods[player] + noise[player][event]
          + movement[player][event] - movement[player][event - 1]
        for other in grid.indices where other != player { next -= gains[player][other] * (last[player] - last[other]) }
        asynchronies[player].append(next)
      }
    }
    return asynchronies
  }

  /// Expects that at least 90 % of 200 intervals contain the true value. Returns the mean of the estimates.
  @discardableResult
  static func expectCoverage(
    of truth: Double, _ name: Comment, seeds: ClosedRange<UInt64> = 1...200, _ estimate: (UInt64) throws -> Estimate?
  ) rethrows -> Double {
    var (covered, sum) = (0, 0.0)
    for seed in seeds {
      guard let figure = try estimate(seed) else {
        Issue.record("\(name): no figure, seed \(seed)")
        return .nan
      }
      if figure.interval?.contains(truth) == true { covered += 1 }
      sum += figure.value / Double(seeds.count)
    }

    #expect(covered * 10 >= seeds.count * 9, "\(name): \(covered) of \(seeds.count), mean \(sum)")
    return sum
  }
}
