import Foundation
import MusicalTime
import Testing
import _TestSupport

@testable import Measurement

/// Tests of the report on players (`tutti measure players`), on simulated players with known correction gains. An asynchrony is
/// the instant of an action minus the instant of the nearest line of the grid. The grid has a line on each sixteenth note, which
/// is six ticks or 125 ms.
@Suite struct PlayersTests {
  @Test(arguments: UInt64(1)...20) func correctionGainsAreRecovered(seed: UInt64) throws {
    let (grid, gains) = ([0.3, 0.1], [[0, 0.25], [0.5, 0]])
    let players = Players.ensemble(2000, grid: grid, gains: gains, timekeeper: 10e6, seed: seed)
    let report = try PlayersAnalysis(
      [Players.trace("anna", players[0]), Players.trace("bert", players[1])], grid: .rhythm(ticksPerLine: 6)
    ).report
    let found = report.gains.map(\.gain)
    // A gain is the share that a player corrects towards the grid (nil) or towards the named player.
    #expect(report.gains.map(\.to) == [nil, "bert", nil, "anna"])
    for (gain, expected) in zip(report.gains, [0.3, 0.25, 0.1, 0.5]) {
      // The tolerance is five standard errors. A standard error is about 0.02.
      #expect(abs(gain.gain - expected) < 5 * gain.standardError && gain.standardError < 0.04, "\(found)")
    }
    let pair = report.pairs[0]
    let difference = try #require(pair.asynchrony)
    let expected = zip(players[0], players[1]).map { $0 - $1 }
    #expect(difference.count == 2000 && difference.mean.isClose(to: expected.reduce(0, +) / 2000, 0.001))
    for (player, asynchronies) in zip(report.players, players) {
      let figures = try #require(player.asynchrony)
      // The instants in the trace are rounded to whole nanoseconds.
      #expect(figures.count == 2000 && abs(figures.mean - asynchronies.reduce(0, +) / 2000) < 2)
      // The interval between two actions is the distance of two lines plus the difference of the asynchronies.
      let steps = zip(asynchronies.dropFirst(), asynchronies).map { $0 - $1 }
      let intervals = try #require(player.intervals)
      #expect(intervals.lines == 1 && intervals.length.count == 1999)
      let mean = steps.reduce(0, +) / 1999
      let deviation = (steps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 1998).squareRoot()
      #expect(try #require(intervals.length.standardDeviation).isClose(to: deviation, 1e-4))
    }
  }

  /// The first series is eleven times 0.1. Because of rounding, its calculated mean is not 0.1, so the calculated deviations from the
  /// mean are not 0. The series must still count as constant.
  @Test func constantSeriesHasNoCorrelation() {
    let pairs = (0..<11).map { (0.1, Double($0)) }
    #expect(Correlation.coefficient(pairs) == nil && Correlation.coefficient(pairs.map { ($0.1, $0.0) }) == nil)
    #expect(Correlation.coefficient(pairs.map { ($0.1, 2 * $0.1) })!.isClose(to: 1, 1e-12))
  }

  /// The second player copies each interval of the first player one action later.
  @Test func crossCorrelationShowsWhoFollows() throws {
    let first = Clocks.gaussian(500, seed: 3).map { $0 * 10e6 }
    let second = [0] + first.dropLast()
    let pair = try PlayersAnalysis(
      [Players.trace("anna", first), Players.trace("bert", Array(second))], grid: .rhythm(ticksPerLine: 6)
    ).report.pairs[
      0]
    let values = pair.crossCorrelation.map { $0 ?? .nan }
    // The values are those of the lags -4...4. The index of lag 1 is 5.
    #expect(values.count == 9 && values[5] > 0.99)
    // The expected values at the lags 0 and 2 are -0.5: the lag 1 autocorrelation of the intervals (see the next test). At all other lags,
    // the expected value is 0.
    #expect(values.enumerated().allSatisfy { $0.offset == 5 || abs($0.element) < 0.7 })
  }

  /// The intervals of independent asynchronies around the grid have a lag 1 autocorrelation of -0.5 (A. Wing and A.
  /// Kristofferson, 1973).
  @Test func independentAsynchroniesHaveNegativeAutocorrelation() throws {
    let player = try PlayersAnalysis(
      [Players.trace("anna", Clocks.gaussian(3000, seed: 4).map { $0 * 5e6 })], grid: .rhythm(ticksPerLine: 6)
    ).report.players[0]
    #expect(abs(try #require(player.intervals?.autocorrelation) + 0.5) < 0.05)
    #expect(abs(try #require(player.asynchronyAutocorrelation)) < 0.06)
    #expect(try #require(player.asynchrony?.standardDeviation).isClose(to: 5e6, 0.05))
    // An interval is 125 ms plus the difference of two asynchronies, which have standard deviations of 5 ms.
    #expect(try #require(player.intervals?.variation).isClose(to: 5e6 * 2.0.squareRoot() / 125e6, 0.05))
  }

  /// The peers are on different machines, whose clocks are a day apart. Each action of Bert is 1 ms later than that of Anna, so the
  /// asynchrony of Anna minus that of Bert is -1 ms.
  @Test func clocksOfThePeersNeedNotBeRelated() throws {
    let asynchronies = Clocks.gaussian(200, seed: 5).map { $0 * 5e6 }
    let report = try PlayersAnalysis(
      [
        Players.trace("anna", asynchronies),
        Players.trace("bert", asynchronies.map { $0 + 1e6 }, clock: 86_400_000_000_000),
      ],
      grid: .rhythm(ticksPerLine: 6)
    ).report
    let difference = try #require(report.pairs[0].asynchrony)
    #expect(difference.count == 200 && abs(difference.minimum + 1e6) < 3 && abs(difference.maximum + 1e6) < 3)
  }

  /// Anna has played one run. Bert and Cleo have each played a second run, 100 s and 500 s after the first one. No other
  /// player has a run at these times, so only the three lines of the first run are compared.
  @Test func runsWithoutPartnerAreNotCompared() throws {
    func withSecondRun(_ name: String, after pause: Int64) -> PlayerTrace {
      PlayerTrace(
        Trace(
          header: header(name), ticks: Players.ticks(3) + Players.ticks(3, clock: pause),
          actions: Players.actions([0, 1e6, 2e6]) + Players.actions([5e6, 6e6, 7e6], clock: pause)))
    }
    let report = try PlayersAnalysis(
      [
        Players.trace("anna", [0, 1e6, 2e6]), withSecondRun("bert", after: 100_000_000_000),
        withSecondRun("cleo", after: 500_000_000_000),
      ], grid: .rhythm(ticksPerLine: 6)
    ).report
    #expect(report.pairs.map { $0.asynchrony?.count } == [3, 3, 3])
    #expect(report.notes.contains { $0.hasPrefix("bert: 2 starts of the rhythm, but anna has 1,") })
  }

  @Test func actionsOutsideTheRhythmAndDoubleActionsAreCounted() throws {
    var trace = Trace(header: header("anna"), ticks: [], actions: [])
    trace.ticks = (0..<37).map {
      let due = Instant(nanoseconds: Players.origin + Int64($0) * Players.tick)
      return TraceTick(tick: Tick(Int64($0)), due: due, acted: due)
    }
    // One action before the rhythm, two actions that are 5 ms apart (a flam), and one action long after the rhythm.
    let first = Players.origin + 6 * Players.tick
    trace.actions = [-1_000_000_000, 0, 5_000_000, 60_000_000_000].map {
      TraceAction(at: Instant(nanoseconds: first + $0), force: 1)
    }
    let figures = try PlayersAnalysis([PlayerTrace(trace)], grid: .rhythm(ticksPerLine: 6)).report.players[0]
    #expect(figures.actions == 4 && figures.outside == 2 && figures.double == 1 && figures.asynchrony?.count == 1)
    let error = #expect(throws: ReportError.self) {
      try PlayersAnalysis([Players.trace("bert", [nil, nil])], grid: .rhythm(ticksPerLine: 6))
    }
    #expect(error?.description.contains("none of them contains an action") == true)
  }

  @Test func traceWithActionsIsReadAsWritten() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + ".trace").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let due = Instant(nanoseconds: 5)
    let writer = try TraceWriter(path: path, header: header("anna"))
    try writer.append(TraceTick(tick: Tick(0), due: due, acted: due))
    try writer.append(TraceAction(at: Instant(nanoseconds: -7), force: 127))
    try writer.finish(TraceSummary(role: "master"))
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    #expect(lines[2] == "{\"action\":-7,\"force\":127}")
    let trace = try Trace(contentsOf: path)
    #expect(trace.actions == [TraceAction(at: Instant(nanoseconds: -7), force: 127)] && trace.ticks.count == 1)
    // A missing force, a force of 0, and an instant whose magnitude is 2^61 ns (73 years) or more.
    for bad in ["{\"action\":1}", "{\"action\":1,\"force\":0}", "{\"action\":9223372036854775807,\"force\":1}"] {
      let text = lines[0] + "\n" + bad + "\n"
      let error = #expect(throws: TraceError.self) { try Trace(bytes: Array(text.utf8), file: "t") }
      #expect(error?.line == 2)
    }
  }

  /// Half of the actions are 1 ms late, and half are 9 ms late. The bins between them are empty.
  @Test func emptyBinsOfTheHistogramAreZero() throws {
    let asynchronies = (0..<40).map { $0 % 2 == 0 ? 1e6 : 9e6 }
    let analysis = try PlayersAnalysis([Players.trace("anna", asynchronies)], grid: .rhythm(ticksPerLine: 6))
    let script = analysis.plot(PlotPicture(file: "x.svg", format: .svg))
    let bins = ["-1.0 0", "1.0 20", "3.0 0", "5.0 0", "7.0 0", "9.0 20", "11.0 0"]
    #expect(script.contains("$histogram0 << END_OF_DATA\n\(bins.joined(separator: "\n"))\nEND_OF_DATA"))
  }

  @Test func textAndPlotShowTheFigures() throws {
    let players = Players.ensemble(100, grid: [0.3, 0.1], gains: [[0, 0.25], [0.5, 0]], timekeeper: 10e6, seed: 1)
    let analysis = try PlayersAnalysis(
      [Players.trace("anna", players[0]), Players.trace("bert", players[1])], grid: .rhythm(ticksPerLine: 6))
    let text = analysis.report.description
    #expect(text.contains("anna    the grid") && text.contains("Cross-correlation of the intervals"))
    var rows: [String] = []
    analysis.writeRows { rows.append($0) }
    // The titles, and a row for each of the 100 actions of both players. The columns are the player, the run, the line, the asynchrony
    // and the distance of two lines: six ticks of 20 833 333 ns.
    #expect(rows.count == 201 && rows[1].hasPrefix("anna,0,1,0.0,124999998"))
    // The script has two plot commands, so it has three components.
    #expect(analysis.plot(PlotPicture(file: "x.svg", format: .svg)).components(separatedBy: "\nplot ").count == 3)
  }
}
