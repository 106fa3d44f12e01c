import Foundation
import Measurement
import MusicalTime
import Testing
import _TestSupport

/// Tests of ``ClockStamps`` from text files: files with one stamp per line, and traces.
@Suite struct ClockStampsTests {
  /// Reads `text` from a file.
  private func read(
    _ text: String, _ source: ClockStamps.Source = .acted, format: StampFormat = StampFormat(),
    encoding: String.Encoding = .utf8, onOctets: @escaping (Data) -> Void = { _ in }
  ) throws -> ClockStamps {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try #require(text.data(using: encoding)).write(to: URL(fileURLWithPath: path))
    return try ClockStamps(contentsOf: path, source: source, format: format, onOctets: onOctets)
  }

  /// The text of a trace. Each tick consists of its number, its due instant and its acted instant, both in nanoseconds. If `end` is not
  /// empty, it replaces the summary.
  private func trace(_ ticks: [(Int64, Int64, Int64)], end: String = "") throws -> String {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let writer = try TraceWriter(path: path, header: header("anna"))
    for (tick, due, acted) in ticks {
      try writer.append(
        TraceTick(tick: Tick(tick), due: Instant(nanoseconds: due), acted: Instant(nanoseconds: acted)))
    }
    if end.isEmpty { try writer.finish(TraceSummary(role: "master")) } else { try writer.flush() }
    return String(decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self) + end
  }

  /// If the first stamp has a decimal point, all stamps are in seconds, otherwise in nanoseconds. Only the first field of a line counts.
  /// The largest stamp is 2^61 - 1 ns.
  @Test(arguments: [
    ("1\n20\n300\n", [1, 20, 300]), ("-5\n0\n7\n", [-5, 0, 7]),
    ("0.5\n1.25\n3\n", [500_000_000, 1_250_000_000, 3_000_000_000]),
    ("-0.000000001\n0.0000000019\n12.\n", [-1, 1, 12_000_000_000]),
    ("time_ns,note\n1,a\n2,b\n", [1, 2]), ("# comment\ntime,note\n\n 10;x\r\n\t20\r\n\n30 40\n", [10, 20, 30]),
    ("2305843009213693951\n", [2_305_843_009_213_693_951]),
  ])
  func stampsAreRead(text: String, stamps: [Int64]) throws {
    let clock = try read(text)
    #expect(clock.stamps == stamps && clock.warnings.isEmpty && clock.header == nil && clock.source == nil)
  }

  /// The magnitude of a stamp must be less than 2^61 ns (73 years).
  @Test(arguments: [
    ("", 1, "is empty"), ("1\n2\nx\n", 3, "\"x\" is not a stamp"), ("a\nb\u{7}\n1\n", 2, "\"b?\" is not a stamp"),
    ("1\n2\n2.5\n", 3, "is in seconds"),
    ("1\n5\n4\n", 3, "is 1 ns earlier"), ("9223372036854775807\n", 1, "73 years"),
    ("-9223372036854775808\n", 1, "73 years"), ("1\n99999999999999999999\n", 2, "73 years"),
    ("9999999999.5\n", 1, "73 years"), ("1.5\n9223372036854775807\n", 2, "73 years"),
    ("MThd\0\0\0\u{6}\0", 1, "is a Standard MIDI File, which cannot be read from a pipe"),
    ("{}\n", 1, "no trace header"), ("{\"tutti_trace\":3}\n", 1, "trace of format 3, but"),
    ("1\n1e5\n", 2, "is in seconds"), ("1\n1e\n", 2, "\"1e\" is not a stamp"), ("1\n-\n", 2, "not a stamp"),
    ("1.5\n1e99\n", 2, "73 years"), ("\u{FEFF}a,b\n1,2\n", 1, "no column title names a time: a, b"),
    ("time_ms,onset_ms\n1,2\n", 1, "several column titles name a time: time_ms, onset_ms"),
    ("tick,time_ms\n1,2\n3\n", 3, "has no column 2"), ("tick;t\n1;x\n", 2, "\"x\" is not a stamp"),
    ("1\n2305843009213693952\n", 2, "73 years"),
  ])
  func invalidLineIsNamed(text: String, line: Int, reason: String) {
    let error = #expect(throws: TraceError.self) { try read(text) }
    #expect(error?.line == line && error?.reason.contains(reason) == true, "\(String(describing: error))")
  }

  /// A table is read by the column whose title names a time, in the unit of the title.
  @Test(arguments: [
    ("tick,time_ms\n0,0\n1,20.5\n2,41.25\n", [0, 20_500_000, 41_250_000]),
    ("Tick; Time [s]\n0; 1\n1; 2.5\n", [1_000_000_000, 2_500_000_000]),
    ("tick\ttimestamp (us)\tnote\n0\t5\tx\n\n1\t7.5\t\n", [5000, 7500]),
    ("tick onset_ns\n0  12\r\n1  13\r\n", [12, 13]),
    ("\"n\",\"t [ms]\"\n\"1\",\"2\"\n\"2\",\"4\"\n", [2_000_000, 4_000_000]),
    ("run,tick,time_ns,interval_ns,phase_ns,state\n0,0,100,,1.0,ok\n0,1,200,100,1.0,ok\n", [100, 200]),
    ("ms\n1.5\n2\n", [1_500_000, 2_000_000]), ("\u{FEFF}10\n20\n30\n", [10, 20, 30]),
    ("\u{FEFF}time_ms\n10\n20\n", [10_000_000, 20_000_000]),
    ("0.0e+00\n1.0e+03\n1.00002E3\n", [0, 1_000_000_000_000, 1_000_020_000_000]), ("1.5e-9\n25e-9\n", [1, 25]),
  ])
  func tablesAreRead(text: String, stamps: [Int64]) throws { #expect(try read(text).stamps == stamps) }

  @Test(
    arguments: [
      ("a,b\n1,2\n3,4\n", "b", "ms", [2_000_000, 4_000_000]), ("a,b\n1,2\n3,4\n", "1", "us", [1000, 3000]),
      ("time_ms,Onset_ms\n1,2\n3,4\n", "onset_ms", nil, [2_000_000, 4_000_000]),
      ("1 2\n3 4.5\n", "2", "s", [2_000_000_000, 4_500_000_000]),
      ("time_ms\n1\n3\n", nil, "us", [1000, 3000]), ("1.5\n3\n", nil, "ns", [1, 3]),
    ] as [(String, String?, String?, [Int64])])
  func columnAndUnitAreChosen(text: String, column: String?, unit: String?, stamps: [Int64]) throws {
    let format = StampFormat(column: column, unit: unit.flatMap { StampFormat.Unit(rawValue: $0) })
    #expect(try read(text, format: format).stamps == stamps)
  }

  @Test(arguments: [
    ("a,b\n1,2\n", "c", "no column \"c\"; the columns are a, b"), ("1,2\n", "c", "the file has no column titles"),
    ("1,2\n", "3", "has no column 3"), ("{\"tutti_trace\":1}\n", "1", "is a trace, which has no columns"),
  ])
  func unknownColumnIsRefused(text: String, column: String, reason: String) {
    let error = #expect(throws: TraceError.self) { try read(text, format: StampFormat(column: column)) }
    #expect(error?.line == 1 && error?.reason == reason, "\(String(describing: error))")
  }

  @Test func textInUTF16IsRefused() {
    let error = #expect(throws: TraceError.self) { try read("\u{FEFF}10\n", encoding: .utf16) }
    #expect(error?.reason == "is a text in UTF-16")
  }

  /// White jitter of 20 us, and stamps in whole milliseconds: the standard deviation of the phase errors is that of the rounding.
  @Test(arguments: UInt64(1)...3) func coarseResolutionIsReported(seed: UInt64) throws {
    let errors = Clocks.gaussian(2000, seed: seed).map { $0 * 20_000 }
    let stamps = Clocks.stamps(period: 500e6 / 24, errors: errors)
    let text = stamps.map { "\(Int((Double($0) / 1e6).rounded()))\n" }.joined()
    let report = try ClockAnalysis(read("time_ms\n" + text), provenance: Clocks.provenance).report
    #expect(
      report.resolution == 1e6 && report.phase.standardDeviation?.isClose(to: 1e6 / 12.0.squareRoot(), 0.03) == true)
    #expect(
      report.warnings.count == 1 && report.warnings[0].contains("resolution of 1000.000 us"), "\(report.warnings)")
    #expect(report.warnings[0].contains("contributes 288.675 us"))
    // The exact stamps, and stamps with a resolution that is small against their jitter.
    #expect(try Clocks.report(stamps).resolution == nil)
    let jittered = zip(stamps, Clocks.gaussian(2000, seed: seed + 9)).map {
      Int64((Double($0) / 1e5 + $1 * 10).rounded()) * 100_000
    }
    #expect(try Clocks.report(jittered.sorted()).warnings.isEmpty)
    #expect(try Clocks.report((0..<100).map { $0 * 20_000_000 }).warnings.isEmpty)
  }

  /// Ticks 20 ms apart, with a pause of 1 s after tick 99.
  @Test func sectionAndFirstTicksAreChosen() throws {
    let all = (0..<200 as Range<Int64>).map { 7_000_000_000 + $0 * 20_000_000 + ($0 > 99 ? 1_000_000_000 : 0) }
    func report(_ from: Double?, _ to: Double?, skipping: Int = 0) throws -> ClockReport {
      var clock = ClockStamps(name: "x", stamps: all)
      try clock.keep(from: from, to: to)
      return try ClockAnalysis(clock, skipping: skipping, provenance: Clocks.provenance).report
    }
    #expect(try report(1, nil).ticks == 150 && report(nil, 1).ticks == 51 && report(0.5, 1.5).ticks == 51)
    let skipped = try report(nil, nil, skipping: 10)
    #expect(skipped.ticks == 180 && skipped.runs == 2 && skipped.lost == 0)
    #expect(try report(1.9, nil, skipping: 10).ticks == 90)
    for (from, to, skip, reason) in [
      (5, 6, 0, "fewer than 3 stamps"), (nil, nil, 100, "no run has more than 100 ticks"),
    ] as [(Double?, Double?, Int, String)] {
      let error = #expect(throws: ReportError.self) { try report(from, to, skipping: skip) }
      #expect(error?.reason.contains(reason) == true, "\(String(describing: error))")
    }
  }

  @Test func lastLineWithoutNewlineIsIgnoredWithAWarning() throws {
    #expect(try read("1\n20\n1.").warnings.count == 1 && read("1\n20\n30\n").warnings.isEmpty)
    let clock = try read("1\n20\n3")
    #expect(clock.stamps == [1, 20] && clock.warnings.count == 1 && clock.warnings[0].contains(":3: the last line"))
  }

  @Test func missingFileIsNamed() {
    let error = #expect(throws: TraceError.self) { try ClockStamps(contentsOf: "/nowhere/at.all") }
    #expect(error?.line == nil && error?.file == "/nowhere/at.all")
    #expect(throws: TraceError.self) { try ClockStamps(contentsOf: "/tmp") }
  }

  @Test func traceContainsTheChosenInstants() throws {
    let text = try trace([(0, 0, 100), (1, 20_000_000, 20_000_200), (2, 40_000_000, 40_000_300)])
    let (acted, due) = (try read(text), try read(text, .due))
    #expect(acted.stamps == [100, 20_000_200, 40_000_300] && due.stamps == [0, 20_000_000, 40_000_000])
    #expect(acted.header?.name == "anna" && acted.duePeriod == 20_000_000 && acted.source == .acted)
    let report = try ClockAnalysis(acted, provenance: Clocks.provenance).report
    #expect(report.nominalTempo == 125 && report.nominalSource == "due instants")
    // The ticks are acted on 100, 200 and 300 ns after their due instants. A period is therefore 100 ns longer than 20 ms, or 5 ppm.
    #expect(try #require(report.drift).value.isClose(to: -5, 1e-4))
    // The due instants are not compared with themselves.
    #expect(try ClockAnalysis(due, provenance: Clocks.provenance).report.drift == nil)
  }

  @Test func traceCutInALineIsReadWithAWarning() throws {
    let ticks = (0..<10 as Range<Int64>).map { ($0, $0 * 20_000_000, $0 * 20_000_000) }
    let clock = try read(trace(ticks, end: "{\"tick\":10,\"due\":20"))
    #expect(clock.stamps.count == 10 && clock.warnings.count == 1)
    #expect(throws: TraceError.self) { try read(trace(ticks, end: "{\"tick\":10,\"due\":20\n")) }
  }

  @Test func tickNumbersOfATraceShowLostDoubledAndRestartedTicks() throws {
    let period: Int64 = 20_000_000
    var ticks: [(Int64, Int64, Int64)] = []
    // Run 1 lacks the ticks 3, 4 and 9, and has tick 6 twice. Run 2 begins again at tick 0. Run 3 continues with tick 5 after a
    // stop of 2 s.
    for tick in [0, 1, 2, 5, 6, 6, 7, 8, 10] as [Int64] { ticks.append((tick, tick * period, tick * period + 500)) }
    for tick in 0..<5 as Range<Int64> { ticks.append((tick, (tick + 20) * period, (tick + 20) * period + 500)) }
    for tick in 5..<9 as Range<Int64> { ticks.append((tick, (tick + 120) * period, (tick + 120) * period + 500)) }
    let report = try ClockAnalysis(read(trace(ticks)), provenance: Clocks.provenance).report
    #expect(report.ticks == 17 && report.lost == 3 && report.doubled == 1 && report.runs == 3 && report.late == 0)
    #expect(report.phaseMagnitude.maximum == 0)
  }

  /// Each of the first four lines is a run. The second line has a number far ahead, the third line has the same number again, and the
  /// fourth line has a lower number. A line with the number of the line before it is a doubled tick only if the due instants of both
  /// lines are less than 2.4 ms apart. The shortest tick, at 999 BPM, takes 2.5 ms. The last three lines are one run, which begins with
  /// an instant before the instant of the fourth line.
  @Test func implausibleTickNumbersOfATraceBeginNewRuns() throws {
    let limit: Int64 = (1 << 61) - 1
    let clock = try read(
      trace([
        (-limit, 0, 0), (limit, 20_000_000, 20_000_000), (limit, 40_000_000, 40_000_000), (0, limit, limit),
        (1, -limit, -limit), (2, 20_000_000 - limit, 20_000_000 - limit), (3, 40_000_000 - limit, 40_000_000 - limit),
      ]))
    let report = try ClockAnalysis(clock, provenance: Clocks.provenance).report
    #expect(report.runs == 5 && report.lost == 0 && report.ticks == 7)
  }

  @Test func allOctetsAreReportedInOrder() throws {
    let text = (0..<60_000).map { "\($0 * 1_000_000)\n" }.joined()
    var octets = Data()
    let clock = try read(text) { octets.append($0) }
    #expect(octets == Data(text.utf8) && clock.stamps.count == 60_000)
  }

  @Test(arguments: UInt64(1)...300) func damagedFileNeverTraps(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let ticks = (0..<8 as Range<Int64>).map { ($0, $0 * 20_000_000, $0 * 20_000_000 + 7) }
    var bytes = Array((seed % 2 == 0 ? try trace(ticks) : "1000\n2000.5\n3000\n4000\n5000\n7000\n").utf8)
    for _ in 0..<random.integer(in: 1...4) {
      let at = Int(random.integer(in: 0...Int64(bytes.count - 1)))
      switch random.integer(in: 0...2) {
      case 0: bytes[at] = UInt8(random.integer(in: 32...126))
      case 1: bytes.remove(at: at)
      default: bytes.insert(contentsOf: Array("9\n{}-,.99999".utf8)[Int(random.integer(in: 0...9))...], at: at)
      }
    }
    do {
      _ = try ClockAnalysis(read(String(decoding: bytes, as: UTF8.self)), provenance: Clocks.provenance).report
        .description
    } catch let error as TraceError {
      #expect(!error.remedy.isEmpty)
    } catch { #expect(error is ReportError, "seed \(seed)") }
  }
}
