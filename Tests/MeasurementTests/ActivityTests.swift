import Foundation
import MusicalTime
import Testing
import _TestSupport

@testable import Measurement

/// Tests of the activity in traces, and of its figures (`tutti measure activity`).
@Suite struct ActivityTests {
  /// The instant of the first line in nanoseconds.
  private static let origin: Int64 = 4_000_000_000_000
  /// The length of a tick at 125 BPM in nanoseconds.
  private static let tick: Int64 = 20_000_000

  /// A slow random activity with a mean of 60, sampled every 100 ms: a low-pass filter with a time constant of 2 s.
  private func activity(_ count: Int, seed: UInt64) -> [Double] {
    var value = 0.0
    return Clocks.gaussian(count, seed: seed).map { noise in
      value = value * 0.951 + noise * 6
      return min(max(60 + value, 0), 127)
    }
  }

  /// Writes a trace whose players have these energies, and reads it.
  ///
  /// - Parameters:
  ///   - energies: the energies of each player, every 100 ms.
  ///   - total: the total activity at each beat of 480 ms; empty: no rhythm plays.
  ///   - clock: is added to all instants, in nanoseconds.
  private func trace(
    _ energies: [[Double]], total: [UInt8] = [], clock: Int64 = 0, named name: String = "anna", path: String? = nil
  ) throws -> ActivityTrace {
    let folder = try TemporaryFolder()
    let path = path ?? folder.path("a.trace")
    let writer = try TraceWriter(path: path, header: header(name))
    for (number, _) in energies.enumerated() {
      try writer.append(
        TraceParticipant(
          number: number, player: .init(identity: "00000000000000a\(number)", name: "player \(number)"),
          peer: "00c0ffee12345678"))
    }
    for index in energies[0].indices {
      let instant = Instant(nanoseconds: Self.origin + clock + Int64(index) * 100_000_000)
      for (number, energies) in energies.enumerated() {
        try writer.append(TraceEnergy(at: instant, of: number, UInt8(energies[index].rounded())))
      }
    }
    var layers: [String] = []
    for (beat, total) in total.enumerated() {
      for part in 0..<24 {
        let index = Int64(beat * 24 + part)
        let due = Instant(nanoseconds: Self.origin + clock + index * Self.tick)
        if part == 0, case let new = total >= 64 ? ["always", "from 64"] : ["always"], new != layers {
          layers = new
          try writer.append(TraceLayers(at: due, new))
        }
        try writer.append(TraceTick(tick: Tick(index), due: due, acted: due, activity: total))
      }
    }
    try writer.finish(TraceSummary(role: "master"))
    return try ActivityTrace(contentsOf: path)
  }

  // MARK: Lines

  @Test func activityIsReadAsWritten() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.trace")
    let writer = try TraceWriter(path: path, header: header("anna"))
    let participant = TraceParticipant(
      number: 3, player: .init(identity: "00000000000000aa", name: "Ben \"b\""), peer: "00c0ffee12345678")
    try writer.append(participant)
    try writer.append(TraceEnergy(at: Instant(nanoseconds: 7), of: 3, 127))
    try writer.append(TraceEnergy(at: Instant(nanoseconds: -8), of: 3, nil))
    try writer.append(TraceMotion(at: Instant(nanoseconds: 9), of: 3, 0))
    try writer.append(TraceLayers(at: Instant(nanoseconds: 10), ["always", "from 40"]))
    try writer.finish(TraceSummary(role: "master"))
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    #expect(lines[0].hasPrefix("{\"tutti_trace\":2,"))
    #expect(lines[2] == "{\"energy\":127,\"who\":3,\"at\":7}" && lines[3] == "{\"energy\":null,\"who\":3,\"at\":-8}")
    #expect(lines[4] == "{\"motion\":0,\"who\":3,\"at\":9}")
    #expect(lines[5] == "{\"at\":10,\"layers\":[\"always\",\"from 40\"]}")
    var reader = try TraceReader(path: path) { _ in }
    var read: [String] = []
    while let line = try reader.next() { read.append("\(line)") }
    let expected: [TraceLine] = [
      .participant(participant), .energy(TraceEnergy(at: Instant(nanoseconds: 7), of: 3, 127)),
      .energy(TraceEnergy(at: Instant(nanoseconds: -8), of: 3, nil)),
      .motion(TraceMotion(at: Instant(nanoseconds: 9), of: 3, 0)),
      .layers(TraceLayers(at: Instant(nanoseconds: 10), ["always", "from 40"])),
    ]
    #expect(read == expected.map { "\($0)" })
    // The ticks of a trace with activity are read as before.
    #expect(try Trace(contentsOf: path).ticks.isEmpty)
  }

  @Test(arguments: [
    ("{\"energy\":128,\"who\":0,\"at\":1}", "energy 128 is not 0...127"),
    ("{\"motion\":-1,\"who\":0,\"at\":1}", "motion -1 is not 0...127"),
    ("{\"energy\":1,\"at\":1}", "without the number of a player"),
    ("{\"energy\":1,\"who\":-1,\"at\":1}", "without the number of a player"),
    ("{\"energy\":1,\"who\":0}", "not a complete"),
    ("{\"energy\":1,\"who\":0,\"at\":9223372036854775807}", "out of range"),
  ])
  func invalidActivityIsRefused(line: String, reason: String) throws {
    let folder = try TemporaryFolder()
    let writer = try TraceWriter(path: folder.path("a.trace"), header: header("anna"))
    try writer.flush()
    let text = try String(contentsOfFile: folder.path("a.trace"), encoding: .utf8) + line + "\n"
    let error = #expect(throws: TraceError.self) { try Trace(bytes: Array(text.utf8), file: "t") }
    #expect(error?.line == 2)
    if reason != "out of range" { #expect(error?.reason.contains(reason) == true, "\(String(describing: error))") }
  }

  /// A trace of format 1 is still read, but has no activity.
  @Test func traceOfFormat1HasNoActivity() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.trace")
    let writer = try TraceWriter(path: path, header: header("anna"))
    let due = Instant(nanoseconds: 5)
    try writer.append(TraceTick(tick: Tick(0), due: due, acted: due, activity: 60))
    try writer.finish(TraceSummary(role: "master"))
    let text = try String(contentsOfFile: path, encoding: .utf8).replacing(
      "\"tutti_trace\":2", with: "\"tutti_trace\":1")
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    #expect(try Trace(contentsOf: path).ticks.count == 1)
    let error = #expect(throws: TraceError.self) { try ActivityTrace(contentsOf: path) }
    #expect(error?.reason == "contains no activity of a player")
  }

  // MARK: Figures

  /// The second player does what the first did 1.3 s before, plus something of its own. The interval of the lag contains 1.3 s in at least
  /// 90 % of 200 seeds, and the interval of the share contains the true share.
  @Test func lagAndShareAreRecovered() throws {
    let reports = try (UInt64(1)...200).map { seed in
      let (first, own) = (activity(1513, seed: seed * 2), activity(1500, seed: seed * 2 + 1))
      let second = (0..<1500).map { 0.35 * first[$0] + 0.15 * own[$0] }
      return try ActivityAnalysis([trace([Array(first[13...]), second])]).report
    }
    let lag = Players.expectCoverage(of: 1.3, "lag") { reports[Int($0) - 1].pairs[0].lag }
    #expect(abs(lag - 1.3) < 0.05)
    // The means of the energies are 60 and 30.
    let share = Players.expectCoverage(of: 1.0 / 3, "share") { reports[Int($0) - 1].players[1].share }
    #expect(abs(share - 1.0 / 3) < 0.01)
    let report = reports[0]
    #expect(report.pairs.count == 3 && report.total == nil && report.notes == ["no total: no rhythm played"])
    #expect(report.description.contains("player 0  player 1"))
  }

  /// Independent players have a lag in at most 5 % of 200 cases, and the interval of their correlation contains 0.
  @Test func independentPlayersHaveNoLag() throws {
    let reports = try (UInt64(1)...200).map { seed in
      try ActivityAnalysis([trace([activity(1500, seed: seed * 2 + 1000), activity(1500, seed: seed * 2 + 1001)])])
        .report
    }
    let lags = reports.count { $0.pairs[0].lag != nil }
    #expect(lags <= 10, "\(lags)")
    Players.expectCoverage(of: 0, "correlation") { reports[Int($0) - 1].pairs[0].simultaneous }
  }

  /// The total rises to 90 and falls to 30 every 8 beats (3.84 s). The first player rises by 20 from one second after each rise until the
  /// next fall. The second player has random energies.
  @Test func responseToLayersIsRecovered() throws {
    let beats = 400
    let total = (0..<beats).map { UInt8($0 / 8 % 2 == 0 ? 30 : 90) }
    func isUp(_ second: Double) -> Bool { second >= 0 && Int(second / 0.48) / 8 % 2 == 1 }
    let samples = Int(Double(beats) * 4.8)
    let reports = try (UInt64(1)...200).map { seed in
      let noise = Clocks.gaussian(2 * samples, seed: seed)
      let first = (0..<samples).map { (isUp(Double($0) / 10 - 0.4) ? 60.0 : 40) + noise[$0] * 3 }
      let second = (0..<samples).map { min(max(60 + noise[samples + $0] * 10, 0), 127) }
      return try ActivityAnalysis([trace([first, second], total: total)]).report
    }
    Players.expectCoverage(of: 20, "response") { reports[Int($0) - 1].players[0].response }
    Players.expectCoverage(of: 0, "no response") { reports[Int($0) - 1].players[1].response }
    let report = reports[0]
    #expect(report.layers.changes == 49 && report.layers.rises == 25)
    #expect(try #require(report.total).mean.isClose(to: 60, 0.02))
    // The first player follows the total, so the total, as the second series, is earlier: the lag is negative.
    #expect(try #require(report.pairs[1].lag).value < -0.2)
  }

  /// The second trace is by a clock that is a day ahead. Its peer has the player 0, so the player is taken from this trace.
  @Test func playerIsTakenFromItsOwnPeer() throws {
    let day: Int64 = 86_400_000_000_000
    let first = try trace([[Double](repeating: 10, count: 300), [Double](repeating: 20, count: 300)])
    let second = try trace([[Double](repeating: 10, count: 300)], clock: day)
    let analysis = try ActivityAnalysis([first, second], clockOffsets: [.zero, Nanoseconds(day)])
    #expect(analysis.report.players.map(\.energy?.mean) == [10, 20])
    #expect(analysis.report.pairs[0].simultaneous == nil && analysis.report.pairs[0].lag == nil)
    #expect(try #require(analysis.report.players[0].share).value.isClose(to: 1.0 / 3, 1e-9))
    let error = #expect(throws: ReportError.self) { try ActivityAnalysis([first, second]) }
    #expect(error?.description.contains("less than 5 s of activity in common") == true)
    var rows: [String] = []
    analysis.writeRows { rows.append($0) }
    #expect(rows[0] == "time_s,player 0,player 1,total" && rows[1] == "0.0,10,20," && rows.count > 290)
    #expect(analysis.plot(PlotPicture(file: "x.svg", format: .svg)).components(separatedBy: "\nplot ").count == 3)
  }
}
