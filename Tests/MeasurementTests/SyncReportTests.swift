import Foundation
import Measurement
import MusicalTime
import Testing
import _TestSupport

/// Tests of the report on traces (`tutti measure sync`), with known offsets, drift and lateness. The first trace is the reference
/// unless a test states another reference.
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

  /// 2880 ticks are one minute.
  @Test func constantOffsetIsMeasuredExactly() throws {
    let report = try SyncReport(traces: [
      trace("anna", run(2_880)), trace("bert", run(2_880, offset: { _ in -1_500 })),
      trace("cleo", run(2_880, offset: { _ in 0 })),
    ])
    let bert = report.comparisons[0]
    #expect(bert.name == "bert" && bert.common == 2_880 && bert.missing == 0 && bert.extra == 0 && bert.runs == 1)
    #expect(bert.offset?.minimum == -1_500 && bert.offset?.mean == -1_500)
    #expect(bert.magnitude?.p50 == 1_500 && bert.magnitude?.maximum == 1_500)
    #expect(bert.drift == 0)
    #expect(report.comparisons[1].magnitude?.maximum == 0)
    #expect(report.peers.map(\.header.name) == ["anna", "bert", "cleo"])
    #expect(report.peers[0].lateness?.p50 == 8_000)
  }

  @Test(arguments: [-120.0, -3.5, 0.02, 20, 900]) func driftIsTheSlopeOfTheOffsets(ppm: Double) throws {
    let other = run(6_000, offset: { Int64((Double($0) * 20_833_333 * ppm / 1e6).rounded()) })
    let report = try SyncReport(traces: [trace("anna", run(6_000)), trace("bert", other)])
    let drift = try #require(report.comparisons[0].drift)
    #expect(abs(drift - ppm) < 1e-4)
  }

  /// In the second run, the peer is 50 ms later than in the first run. Only the offsets within a run show a drift.
  @Test func differenceBetweenRunsIsNoDrift() throws {
    let later = Self.origin + .seconds(100)
    let other =
      run(1_000, offset: { Int64($0) * 417 }) + run(1_000, start: later, offset: { 50_000_000 + Int64($0) * 417 })
    let report = try SyncReport(traces: [trace("anna", run(1_000) + run(1_000, start: later)), trace("bert", other)])
    #expect(report.comparisons[0].runs == 2)
    // The offset grows by 417 ns per tick of 20 833 333 ns, which is 20.016 ppm.
    #expect(abs(try #require(report.comparisons[0].drift) - 20.016) < 1e-3)
  }

  @Test(arguments: UInt64(1)...6) func jitterAppearsInThePercentiles(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let offsets = (0..<3_000).map { _ in random.integer(in: -300_000...200_000) }
    let late = (0..<3_000).map { _ in random.integer(in: -500...90_000) }
    let report = try SyncReport(traces: [
      trace("anna", run(3_000)), trace("bert", run(3_000, offset: { offsets[$0] }, late: { late[$0] })),
    ])
    #expect(report.comparisons[0].offset == Distribution(offsets.map(Double.init)), "seed \(seed)")
    #expect(report.comparisons[0].magnitude == Distribution(offsets.map { Double($0.magnitude) }), "seed \(seed)")
    #expect(report.peers[1].lateness == Distribution(late.map(Double.init)), "seed \(seed)")
    // A uniform jitter with a width of 500 us has a standard deviation of 144 us. The slope through 3000 ticks in 62 s then has a standard
    // deviation of 0.15 ppm. Fewer than one of a thousand seeds exceed 0.5 ppm.
    #expect(abs(try #require(report.comparisons[0].drift)) < 0.5, "seed \(seed)")
  }

  @Test func clockOffsetsAreSubtracted() throws {
    let clockOffsets: [Nanoseconds] = [.seconds(-70_000), .seconds(123_456_789), Nanoseconds(-1)]
    let traces = zip(["anna", "bert", "cleo"], clockOffsets).map { name, clockOffset in
      trace(name, run(100, start: Self.origin + clockOffset, offset: { _ in name == "bert" ? 250 : 0 }))
    }
    let report = try SyncReport(traces: traces, clockOffsets: clockOffsets)
    #expect(report.comparisons[0].offset?.minimum == 250)
    #expect(report.comparisons[0].offset?.maximum == 250)
    #expect(report.comparisons[1].magnitude?.maximum == 0)
  }

  @Test func ticksMissingAtTheStartOrInBetweenAreCounted() throws {
    // The reference has the ticks 0..<500. The other trace has the ticks 100..<700 without four of them. In the other trace, 100
    // ticks are missing at the start, four ticks are skipped in between, and 200 ticks are extra at the end.
    var other = run(600, from: 100)
    other.removeSubrange(50..<53)
    other.remove(at: 10)
    let report = try SyncReport(traces: [trace("anna", run(500)), trace("bert", other)])
    let bert = report.comparisons[0]
    #expect(bert.common == 396 && bert.missing == 104 && bert.skipped == 4 && bert.extra == 200)
    #expect(bert.magnitude?.maximum == 0)
  }

  @Test func runsAreMatchedInOrderOrByTheirInstants() throws {
    let starts = (0..<4).map { Self.origin + .seconds($0 * 60) }
    let reference = starts.flatMap { run(200, start: $0) }
    // The same number of runs: matched in order, regardless of the instants.
    let far = try SyncReport(traces: [
      trace("anna", reference), trace("bert", starts.flatMap { run(150, start: $0 + .seconds(600)) }),
    ]).comparisons[0]
    #expect(far.runs == 4 && far.common == 600 && far.missing == 200 && far.skipped == 0)
    #expect(far.offset?.minimum == 600e9 && far.offset?.maximum == 600e9)
    // Fewer runs: each is matched with the nearest run of the reference. The peer missed the first and the third run, and joined
    // the last run late.
    let ticks =
      run(200, start: starts[1], offset: { _ in 7 }) + run(100, from: 100, start: starts[3], offset: { _ in 7 })
    let some = try SyncReport(traces: [trace("anna", reference), trace("bert", ticks)]).comparisons[0]
    #expect(some.runs == 2 && some.common == 300 && some.missing == 500 && some.skipped == 0 && some.extra == 0)
    #expect(some.offset?.minimum == 7 && some.offset?.maximum == 7)
    // More runs than the reference.
    let more = try SyncReport(traces: [trace("anna", ticks), trace("bert", reference)]).comparisons[0]
    #expect(more.runs == 2 && more.common == 300 && more.extra == 500 && more.magnitude?.maximum == 7)
  }

  /// The clocks differ by more than the length of the traces. The second peer missed the first and the third of four runs.
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
      #expect(comparison.offset?.minimum == (isReversed ? -7 : 7))
      #expect(comparison.offset?.maximum == (isReversed ? -7 : 7))
    }
  }

  @Test func tracesWithoutCommonTicksGiveAnEmptyComparison() throws {
    let report = try SyncReport(traces: [trace("anna", run(10)), trace("bert", run(10, from: 50)), trace("cleo", [])])
    for comparison in report.comparisons {
      #expect(comparison.common == 0 && comparison.missing == 10 && comparison.drift == nil && comparison.runs == 0)
      #expect(comparison.offset == nil && comparison.magnitude == nil && comparison.overTime.isEmpty)
    }
    #expect(report.description.contains("bert      0       10"))
    #expect(report.description.contains("Median of runs: none, because no run has at least 24 ticks that a peer"))
  }

  @Test func invalidArgumentsAreNamed() {
    let one = trace("anna", run(3))
    let many = trace("zoe", (0..<1_001).flatMap { _ in run(1) })
    // The traces, the clock offsets, and a text that the error contains.
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
    // The largest instant that a trace file can contain, in nanoseconds: 73 years.
    let limit = (Int64(1) << 61) - 1
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
    let columns = [
      "ticks", "missing", "skipped", "extra", "|p50|", "|p95|", "|p99|", "|max|", "mean", "sd", "drift", "ppm",
    ]
    #expect(lines[1].split(separator: " ").map(String.init) == columns)
    let cells = ["bert", "96", "0", "0", "0", "20.833", "20.833", "20.833", "20.833", "20.833", "0.000", "0.000"]
    #expect(lines[2].split(separator: " ").map(String.init) == cells)
    #expect(lines.contains("bert: no interval, because it needs 5 runs of the rhythm, and there is 1"))
    // The counts: runs; expected, received and lost ticks; hits, late hits and dropped hits; underruns.
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

  /// The offsets of twenty runs have standard deviations of 100, 200, ... 2000 us. The median over the runs lies between the
  /// figures of the two middle runs, 1000 and 1100 us. The median over all ticks is larger, because the noisy runs are longer.
  @Test func figuresOverRunsWeightEachRunEqually() throws {
    var (reference, other): ([TraceTick], [TraceTick]) = ([], [])
    for number in 0..<20 {
      let start = Self.origin + .seconds(Int64(number) * 30)
      // The noisy runs are ten times as long.
      let errors = Clocks.gaussian(number < 10 ? 100 : 1000, seed: UInt64(number + 1)).map {
        Int64($0 * 100_000 * Double(number + 1))
      }
      reference += run(errors.count, start: start)
      other += run(errors.count, start: start, offset: { errors[$0] })
    }
    let comparison = try SyncReport(traces: [trace("anna", reference), trace("bert", other)]).comparisons[0]
    let runs = try #require(comparison.perRun)
    #expect(runs.magnitudes.count == 20 && runs.p50.runs == 20)
    // The median of the magnitude of a normal distribution is 0.6745 standard deviations.
    #expect(runs.p50.median.isClose(to: 0.6745 * 1_050_000, 0.15))
    let interval = try #require(runs.p50.interval)
    // The expected medians of successive runs are 67 us apart. The interval spans more than two of them.
    #expect(interval.contains(runs.p50.median) && interval.lowerBound < 700_000 && interval.upperBound > 800_000)
    // Ten of eleven ticks belong to the noisy runs, whose medians are 0.6745 times 1100 to 2000 us: 742 to 1349 us.
    #expect(try #require(comparison.magnitude).p50 > 900_000)
  }

  /// The offset grows by 1 us per second. The mean of an interval of 100 s is therefore the offset in the middle of the interval. The
  /// 36 000 ticks take 750 s, so the eighth interval is shorter.
  @Test func offsetOverTimeIsInIntervals() throws {
    let count = 36_000
    let other = run(count, offset: { Int64(Double($0) * 20_833_333 / 1e6) })
    let intervals = try SyncReport(traces: [trace("anna", run(count)), trace("bert", other)]).comparisons[0].overTime
    #expect(intervals.count == 8)
    #expect(intervals.reduce(0) { $0 + $1.magnitude.count } == count)
    for (index, interval) in intervals.enumerated() where index < 7 {
      #expect(interval.start == Double(index) * 100 && interval.end == Double(index + 1) * 100)
      // The start and the end are in seconds, the mean is in microseconds, and the magnitude is in nanoseconds.
      #expect(abs(interval.mean - (interval.start + 50)) < 0.1)
      #expect(interval.magnitude.maximum.isClose(to: interval.end * 1e3, 0.001))
    }
  }

  /// Of three timelines, one is steady and two deviate in opposite directions. The median timeline equals the steady one, except
  /// at the first 100 ticks, which only two peers have.
  @Test func medianTimelineEqualsTheSteadyTimeline() throws {
    let traces = [
      trace("anna", run(1_000, offset: { Int64($0) * 1_000 })), trace("bert", run(1_000)),
      trace("cleo", run(900, from: 100, offset: { Int64($0 + 100) * -1_000 })),
    ]
    let report = try SyncReport(traces: traces, reference: .median)
    #expect(report.comparisons.map(\.name) == ["anna", "bert", "cleo"] && report.peers.count == 3)
    #expect(report.comparisons.map(\.common) == [1_000, 1_000, 900])
    // Without cleo, the median is halfway between anna and bert. At tick 99, anna is 99 us later than bert, so bert is 49.5 us earlier
    // than the median.
    #expect(report.comparisons[1].offset?.minimum == -49_500 && report.comparisons[1].offset?.maximum == 0)
    #expect(report.comparisons[0].offset?.maximum == 999_000 && report.comparisons[2].offset?.minimum == -999_000)
    #expect(report.description.contains("Offset from the median timeline of all traces"))
  }

  /// A trace that is read from a file gives the same figures as the same trace in memory, and a row for each common tick.
  @Test func filesAreComparedAsTracesInMemory() throws {
    let errors = Clocks.gaussian(500, seed: 3).map { Int64($0 * 50_000) }
    let traces = [trace("anna", run(500) + run(300)), trace("be,rt", run(500, offset: { errors[$0] }) + run(300))]
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let paths = ["a.trace", "b.trace"].map { folder.appendingPathComponent($0).path }
    for (path, trace) in zip(paths, traces) {
      let writer = try TraceWriter(path: path, header: trace.header)
      for tick in trace.ticks { try writer.append(tick) }
      try writer.flush()
    }
    var rows: [SyncRow] = []
    let analysis = try SyncAnalysis(
      names: paths, onRow: { rows.append($0) }, load: { try SyncTrace(contentsOf: paths[$0]) })
    #expect(try analysis.report == SyncReport(traces: traces))
    #expect(rows.count == 800 && rows[7].offset == errors[7] && rows[7].tick == 7 && rows[500].run == 1)
    #expect(rows[7].text == "\"be,rt\",0,7,\(rows[7].due),\(errors[7])")
    // The script has two plot commands, so it has three components.
    let script = analysis.plot(PlotPicture(file: "x.svg", format: .svg))
    #expect(script.components(separatedBy: "\nplot ").count == 3 && script.contains("$histogram0 << END_OF_DATA"))
  }
}
