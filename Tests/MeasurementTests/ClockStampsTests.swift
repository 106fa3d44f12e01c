import Foundation
import Measurement
import MusicalTime
import Testing
import _TestSupport

/// Tests of ``ClockStamps`` from text files: files with one stamp per line, and traces.
@Suite struct ClockStampsTests {
  /// Reads `text` from a file.
  private func read(
    _ text: String, _ source: ClockStamps.Source = .acted, onOctets: @escaping (Data) -> Void = { _ in }
  ) throws -> ClockStamps {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return try ClockStamps(contentsOf: path, source: source, onOctets: onOctets)
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
    ("{}\n", 1, "no trace header"), ("{\"tutti_trace\":2}\n", 1, "trace of format 2, but"),
    ("1\n1e5\n", 2, "\"1e5\" is not a stamp"), ("1\n-\n", 2, "not a stamp"),
    ("1\n2305843009213693952\n", 2, "73 years"),
  ])
  func invalidLineIsNamed(text: String, line: Int, reason: String) {
    let error = #expect(throws: TraceError.self) { try read(text) }
    #expect(error?.line == line && error?.reason.contains(reason) == true, "\(String(describing: error))")
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
