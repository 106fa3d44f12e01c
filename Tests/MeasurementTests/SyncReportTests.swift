import Foundation
import Measurement
import MusicalTime
import Testing
import _TestSupport

/// The report on traces with known offsets, drift and lateness. The first trace is the reference.
@Suite struct SyncReportTests {
  private static let origin = Instant(nanoseconds: 5_000_000_000_000)

  /// A run of `count` ticks from tick `first` on. Tick 0 is due at `start`, the next ticks every 20 833 333 ns (120 BPM). The
  /// tick at `index` in the run is shifted by `offset(index)` nanoseconds. The peer acts on this tick `late(index)`
  /// nanoseconds after it is due.
  private func run(
    _ count: Int, from first: Int64 = 0, start: Instant = origin,
    offset: (Int) -> Int64 = { _ in 0 }, late: (Int) -> Int64 = { _ in 8_000 }
  ) -> [TraceTick] {
    (0..<count).map { index in
      let due = start + Nanoseconds((first + Int64(index)) * 20_833_333 + offset(index))
      return TraceTick(tick: Tick(first + Int64(index)), due: due, acted: due + Nanoseconds(late(index)))
    }
  }

  /// A trace without a summary.
  private func trace(_ name: String, _ ticks: [TraceTick]) -> Trace { Trace(header: header(name), ticks: ticks) }

  @Test func constantOffsetIsMeasuredExactly() throws {
    let report = try SyncReport(traces: [
      trace("anna", run(2_880)), trace("bert", run(2_880, offset: { _ in -1_500 })),
      trace("cleo", run(2_880, offset: { _ in 0 })),
    ])
    let bert = report.comparisons[0]
    #expect(bert.name == "bert" && bert.common == 2_880 && bert.missing == 0 && bert.extra == 0 && bert.runs == 1)
    #expect(bert.offset.minimum == Nanoseconds(-1_500) && bert.offset.mean == Nanoseconds(-1_500))
    #expect(bert.magnitude.p50 == Nanoseconds(1_500) && bert.magnitude.maximum == Nanoseconds(1_500))
    #expect(bert.drift == 0)
    #expect(report.comparisons[1].magnitude.maximum == .zero)
    #expect(report.peers.map(\.header.name) == ["anna", "bert", "cleo"])
    #expect(report.peers[0].lateness.p50.count == 8_000)
  }

  @Test(arguments: [-120.0, -3.5, 0.02, 20, 900]) func driftIsTheSlopeOfTheOffsets(ppm: Double) throws {
    let other = run(6_000, offset: { Int64((Double($0) * 20_833_333 * ppm / 1e6).rounded()) })
    let report = try SyncReport(traces: [trace("anna", run(6_000)), trace("bert", other)])
    let drift = try #require(report.comparisons[0].drift)
    #expect(abs(drift - ppm) < 1e-4)
  }

  @Test(arguments: UInt64(1)...6) func jitterAppearsInThePercentiles(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let offsets = (0..<3_000).map { _ in random.integer(in: -300_000...200_000) }
    let late = (0..<3_000).map { _ in random.integer(in: -500...90_000) }
    let report = try SyncReport(traces: [
      trace("anna", run(3_000)), trace("bert", run(3_000, offset: { offsets[$0] }, late: { late[$0] })),
    ])
    #expect(report.comparisons[0].offset == Figures(signed: offsets.map { Nanoseconds($0) }), "seed \(seed)")
    #expect(report.comparisons[0].magnitude == Figures(absolute: offsets.map { Nanoseconds($0) }), "seed \(seed)")
    #expect(report.peers[1].lateness == Figures(signed: late.map { Nanoseconds($0) }), "seed \(seed)")
    // A uniform jitter with a width of 500 us (a standard deviation of 144 us) over 62 s has a slope below 0.5 ppm, except for one of 10^8 seeds.
    #expect(abs(try #require(report.comparisons[0].drift)) < 0.5, "seed \(seed)")
  }

  @Test func clockOffsetsAreSubtracted() throws {
    let clockOffsets: [Nanoseconds] = [.seconds(-70_000), .seconds(123_456_789), Nanoseconds(-1)]
    let traces = zip(["anna", "bert", "cleo"], clockOffsets).map { name, clockOffset in
      trace(name, run(100, start: Self.origin + clockOffset, offset: { _ in name == "bert" ? 250 : 0 }))
    }
    let report = try SyncReport(traces: traces, clockOffsets: clockOffsets)
    #expect(report.comparisons[0].offset.minimum == Nanoseconds(250))
    #expect(report.comparisons[0].offset.maximum == Nanoseconds(250))
    #expect(report.comparisons[1].magnitude.maximum == .zero)
  }

  @Test func ticksMissingAtTheStartOrInBetweenAreCounted() throws {
    // The reference has the ticks 0..<500, the other trace 100..<700 without four of them: 100 ticks are missing at the start,
    // four are skipped in between, and 200 are extra at the end.
    var other = run(600, from: 100)
    other.removeSubrange(50..<53)
    other.remove(at: 10)
    let report = try SyncReport(traces: [trace("anna", run(500)), trace("bert", other)])
    let bert = report.comparisons[0]
    #expect(bert.common == 396 && bert.missing == 104 && bert.skipped == 4 && bert.extra == 200)
    #expect(bert.magnitude.maximum == .zero)
  }

  @Test func runsAreMatchedInOrder() throws {
    let starts = (0..<4).map { Self.origin + .seconds($0 * 60) }
    let reference = starts.flatMap { run(200, start: $0) }
    // The same number of runs: matched in order, regardless of the instants.
    let far = try SyncReport(traces: [
      trace("anna", reference), trace("bert", starts.flatMap { run(150, start: $0 + .seconds(600)) }),
    ]).comparisons[0]
    #expect(far.runs == 4 && far.common == 600 && far.missing == 200 && far.skipped == 0)
    #expect(far.offset.minimum == .seconds(600) && far.offset.maximum == .seconds(600))
    // Fewer runs: matched with the nearest. The peer missed the first and the third run and joined the last one late.
    let ticks =
      run(200, start: starts[1], offset: { _ in 7 }) + run(100, from: 100, start: starts[3], offset: { _ in 7 })
    let some = try SyncReport(traces: [trace("anna", reference), trace("bert", ticks)]).comparisons[0]
    #expect(some.runs == 2 && some.common == 300 && some.missing == 500 && some.skipped == 0 && some.extra == 0)
    #expect(some.offset.minimum == Nanoseconds(7) && some.offset.maximum == Nanoseconds(7))
    // More runs than the reference.
    let more = try SyncReport(traces: [trace("anna", ticks), trace("bert", reference)]).comparisons[0]
    #expect(more.runs == 2 && more.common == 300 && more.extra == 500 && more.magnitude.maximum == Nanoseconds(7))
  }

  /// The clocks differ by more than the recordings are long. The second peer missed the first and the third of four runs.
  @Test(arguments: [Int64(3_600), -3_600]) func runsOfDistantClocksAreMatchedByTheirTrueTimes(clockAhead: Int64) throws
  {
    let starts = (0..<4).map { Self.origin + .seconds($0 * 60) }
    let reference = trace("anna", starts.flatMap { run(200, start: $0) })
    let other = trace(
      "bert", [1, 3].flatMap { run(200, start: starts[$0] + .seconds(clockAhead), offset: { _ in 7 }) })
    for isReversed in [false, true] {
      let (traces, offsets) = ([reference, other], [Nanoseconds.zero, .seconds(clockAhead)])
      let comparison = try SyncReport(
        traces: isReversed ? traces.reversed() : traces, clockOffsets: isReversed ? offsets.reversed() : offsets
      ).comparisons[0]
      #expect(comparison.runs == 2 && comparison.common == 400)
      #expect(comparison.offset.minimum == Nanoseconds(isReversed ? -7 : 7))
      #expect(comparison.offset.maximum == Nanoseconds(isReversed ? -7 : 7))
    }
  }

  @Test func tracesWithoutCommonTicksGiveAnEmptyComparison() throws {
    let report = try SyncReport(traces: [trace("anna", run(10)), trace("bert", run(10, from: 50)), trace("cleo", [])])
    for comparison in report.comparisons {
      #expect(comparison.common == 0 && comparison.missing == 10 && comparison.drift == nil && comparison.runs == 0)
      #expect(comparison.offset.count == 0)
    }
    #expect(report.description.contains("bert      0       10"))
  }

  /// The traces, the clock offsets, and a text that the error contains.
  @Test func invalidArgumentsAreNamed() {
    let one = trace("anna", run(3))
    let many = trace("zoe", (0..<1_001).flatMap { _ in run(1) })
    let cases: [([Trace], [Nanoseconds], String)] = [
      ([], [], "0 traces"), ([one], [], "1 trace to"), ([one, one], [.zero], "--clock-ahead: 1 value for 2 traces"),
      ([trace("bert", []), one], [], "bert: the reference has no ticks"),
      ([one, many], [], "zoe: 1001 runs"),
      ([one, one], [.zero, Nanoseconds(.min)], "anna: its --clock-ahead"),
    ]
    for (traces, clocks, text) in cases {
      let error = #expect(throws: ReportError.self) { try SyncReport(traces: traces, clockOffsets: clocks) }
      #expect(error?.description.contains(text) == true, "\(String(describing: error))")
    }
  }

  @Test func extremeInstantsDoNotTrap() throws {
    let limit = Int64(1) << 61
    /// Two ticks that are due at one end of the range and acted on at the other end.
    func extreme(_ sign: Int64) -> [TraceTick] {
      [0, 1].map {
        TraceTick(
          tick: Tick($0), due: Instant(nanoseconds: sign * limit), acted: Instant(nanoseconds: -sign * limit))
      }
    }
    let report = try SyncReport(
      traces: [trace("anna", extreme(1)), trace("bert", extreme(-1))],
      clockOffsets: [Nanoseconds(-limit), Nanoseconds(limit)])
    #expect(report.comparisons[0].common == 2)
    #expect(!report.description.isEmpty)
  }

  @Test func textAndJSONShowTheFigures() throws {
    var killed = trace("bert", run(96, offset: { _ in 20_833 }))
    killed.isCutOff = true
    var anna = trace("anna", run(96))
    var summary = TraceSummary(role: "master")
    (summary.ticksExpected, summary.hits) = (96, 48)
    anna.summary = summary
    let report = try SyncReport(traces: [anna, killed])
    let lines = report.description.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(lines[0] == "Offset from anna (master, 96 ticks), us")
    #expect(lines[1] == "      ticks  missing  skipped  extra  |p50|  |p99|  |max|  mean  drift ppm")
    #expect(lines[2] == "bert     96        0        0      0   20.8   20.8   20.8  20.8       0.00")
    #expect(lines.contains("anna     1        96         0     0    48     0        0          0"))
    #expect(lines.contains("bert: no counts, because the end of its trace is incomplete"))
    let json = try JSONEncoder().encode(report)
    #expect(try JSONDecoder().decode(SyncReport.self, from: json) == report)
    let object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    let comparison = try #require((object["comparisons"] as? [[String: Any]])?.first)
    #expect(comparison["ticks_common"] as? Int == 96 && comparison["drift_ppm"] as? Double == 0)
    #expect((comparison["magnitude"] as? [String: Double])?["p99_us"] == 20.833)
    let header = try #require(((object["peers"] as? [[String: Any]])?.first)?["header"] as? [String: Any])
    #expect(header["scheduler"] as? String == "SCHED_FIFO 70 / SCHED_FIFO 65 / SCHED_FIFO 60")
  }
}
