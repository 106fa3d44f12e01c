import Foundation
import Measurement
import MusicalTime
import Testing
import _TestSupport

/// Tests of reading and writing trace files, complete and damaged.
@Suite struct TraceTests {
  /// The path of a new temporary file.
  private func path() -> String {
    FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + ".trace").path
  }

  /// Random ticks. With an even seed, they have no clock offset. With a seed that is divisible by 3, they have no activity.
  private func ticks(_ count: Int, seed: UInt64) -> [TraceTick] {
    var random = SplitMix(seed: seed)
    return (0..<count).map { index in
      let due = random.integer(in: -1_000_000_000_000...1_000_000_000_000_000_000)
      return TraceTick(
        tick: Tick(Int64(index) - 3), due: Instant(nanoseconds: due),
        acted: Instant(nanoseconds: due + random.integer(in: -1_000...5_000_000)),
        offset: seed % 2 == 0 ? nil : Nanoseconds(random.integer(in: -10_000_000_000...10_000_000_000)),
        uncertainty: seed % 2 == 0 ? nil : Nanoseconds(random.integer(in: 0...1_000_000)),
        activity: seed % 3 == 0 ? nil : UInt8(random.integer(in: 0...127)))
    }
  }

  /// Writes `trace` to a file. Returns the contents of the file.
  private func written(_ trace: Trace) throws -> [UInt8] {
    let path = path()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let writer = try TraceWriter(path: path, header: trace.header)
    for tick in trace.ticks { try writer.append(tick) }
    if let summary = trace.summary { try writer.finish(summary) } else { try writer.flush() }
    return [UInt8](try #require(FileManager.default.contents(atPath: path)))
  }

  /// A complete trace: a header with an audio file, `count` ticks, and a summary.
  private func example(seed: UInt64 = 1, count: Int = 3) -> Trace {
    let audio = TraceHeader.Audio(
      file: "anna.wav", rate: 48_000, firstFrame: 4_800_256, firstInstant: Instant(nanoseconds: 100_005_333_333))
    var summary = TraceSummary(role: "follower")
    (summary.ticksExpected, summary.ticksReceived, summary.ticksLost, summary.hits) = (96, 95, 1, 48)
    (summary.lateHits, summary.droppedHits, summary.underruns) = (2, 3, 4)
    summary.others = ["ring_drops": 7]
    return Trace(
      header: header("Ann \"a\" Müller", audio: audio), ticks: ticks(count, seed: seed), summary: summary)
  }

  @Test(arguments: UInt64(1)...6) func traceIsReadAsWritten(seed: UInt64) throws {
    let trace = example(seed: seed, count: 1_000)
    #expect(try Trace(bytes: written(trace), file: "t") == trace, "seed \(seed)")
  }

  @Test func fileFormatIsAsDocumented() throws {
    var trace = example()
    trace.ticks = [
      TraceTick(tick: Tick(0), due: Instant(nanoseconds: 5), acted: Instant(nanoseconds: 17)),
      TraceTick(
        tick: Tick(-6), due: Instant(nanoseconds: .min), acted: Instant(nanoseconds: .max),
        offset: Nanoseconds(-10), uncertainty: Nanoseconds(200), activity: 64),
    ]
    let lines = String(decoding: try written(trace), as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines[0].hasPrefix("{\"tutti_trace\":2,\""))
    for member in [
      "\"identity\":\"00c0ffee12345678\"", "\"memory_locked\":true", "\"clock\":\"CLOCK_MONOTONIC\"",
      "\"first_frame\":4800256", "\"first_instant_ns\":100005333333",
    ] {
      #expect(lines[0].contains(member))
    }
    #expect(lines[1] == "{\"tick\":0,\"due\":5,\"acted\":17,\"offset\":null,\"uncertainty\":null}")
    let ends = "\"due\":-9223372036854775808,\"acted\":9223372036854775807"
    #expect(lines[2] == "{\"tick\":-6,\(ends),\"offset\":-10,\"uncertainty\":200,\"activity\":64}")
    #expect(lines[3].hasPrefix("{\"summary\":{") && lines[3].contains("\"late_hits\":2"))
  }

  @Test func fileCutAfterTheHeaderIsAccepted() throws {
    let trace = example()
    let bytes = try written(trace)
    // The length of the header with its newline.
    let end = try #require(bytes.firstIndex(of: UInt8(ascii: "\n"))) + 1
    for length in 0..<end - 1 {
      #expect(throws: TraceError.self) { try Trace(bytes: Array(bytes[..<length]), file: "t") }
    }
    for length in end - 1..<bytes.count {
      let cut = try Trace(bytes: Array(bytes[..<length]), file: "t")
      #expect(cut.header == trace.header)
      let lines = bytes[end..<max(end, length)].filter { $0 == UInt8(ascii: "\n") }.count
      // If the last line lacks only its newline, the reader accepts the line as complete.
      #expect(cut.ticks.count == lines || (cut.ticks.count == lines + 1 && !cut.isCutOff))
      #expect(cut.ticks == Array(trace.ticks[..<cut.ticks.count]))
      // The summary is read only if no more than its newline is missing.
      #expect(cut.summary == nil || length == bytes.count - 1)
    }
    #expect(try Trace(bytes: Array(bytes.dropLast(20)), file: "t").isCutOff)
    #expect(try !Trace(bytes: bytes, file: "t").isCutOff)
  }

  @Test(arguments: UInt64(1)...300) func damagedFileNeverTraps(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var bytes = Self.whole
    for _ in 0..<random.integer(in: 1...4) {
      let at = Int(random.integer(in: 0...Int64(bytes.count - 1)))
      switch random.integer(in: 0...2) {
      case 0: bytes[at] = UInt8(random.integer(in: 0...255))
      case 1: bytes.remove(at: at)
      // Inserts the last 1 to 10 octets of this text.
      default: bytes.insert(contentsOf: Array("9\n{}-,null".utf8)[Int(random.integer(in: 0...9))...], at: at)
      }
    }
    do { _ = try Trace(bytes: bytes, file: "t") } catch { #expect(error.description.hasPrefix("t:"), "seed \(seed)") }
  }

  /// The file of the example: header, three ticks, summary.
  private static let whole: [UInt8] = (try? TraceTests().written(TraceTests().example())) ?? []

  @Test(arguments: [
    ("{\"tick\":1,\"due\":2}", "not a complete tick"),
    ("{\"tick\":1,\"due\":2,\"acted\":3.5}", "not an integer"),
    ("{\"tick\":1,\"due\":2,\"acted\":3,\"activity\":128}", "activity 128 is not 0...127"),
    ("{\"tick\":1,\"due\":2,\"acted\":\"x\"}", "acted"),
    (
      "{\"tick\":1,\"due\":2,\"acted\":9223372036854775807}",
      "acted is 9223372036854775807, but its magnitude must be less than 2^61 ns (73 years)"
    ),
    ("{\"tick\":1,\"due\":-9223372036854775808,\"acted\":3}", "due is -9223372036854775808, but its magnitude"),
    ("{\"tick\":2305843009213693952,\"due\":2,\"acted\":3}", "tick is 2305843009213693952, but its magnitude"),
    ("{\"tick\":1,\"due\":2,\"acted\":99999999999999999999}", "not an integer"),
    ("{\"tick\":1,\"due\":2,\"acted\":3}}", "not JSON"), ("nonsense", "not JSON"), ("", "not JSON"),
    ("{\"summary\":{}}", "role"), ("[1,2]", "array"),
  ])
  func errorNamesTheDamagedLineAndTheReason(line: String, reason: String) throws {
    let text = String(decoding: Self.whole, as: UTF8.self).split(separator: "\n")
    let bytes = [UInt8]((text[0] + "\n" + text[1] + "\n" + line + "\n" + text[2] + "\n").utf8)
    let error = #expect(throws: TraceError.self) { try Trace(bytes: bytes, file: "b.trace") }
    #expect(error?.line == 3 && error?.reason.contains(reason) == true, "\(String(describing: error))")
    #expect(error?.description.hasPrefix("b.trace:3: ") == true)
  }

  @Test func ticksWrittenByOtherProgramsAreRead() throws {
    let text = String(decoding: Self.whole, as: UTF8.self).split(separator: "\n")[0]
    let lines = " { \"acted\" : 3, \"due\": 2,\"note\":\"x\", \"tick\":1 }\r\n{\"acted\":5,\"due\":4,\"tick\":2}"
    let trace = try Trace(bytes: [UInt8]((text + "\n" + lines).utf8), file: "t")
    #expect(trace.ticks.map(\.tick) == [Tick(1), Tick(2)] && trace.ticks.map(\.acted.nanoseconds) == [3, 5])
    #expect(!trace.isCutOff && trace.ticks[0].offset == nil)
  }

  @Test func invalidHeaderIsRejected() {
    let whole = String(decoding: Self.whole, as: UTF8.self)
    for (old, new, reason) in [
      (
        "\"tutti_trace\":2", "\"tutti_trace\":3",
        "format 3, but this program reads formats 1 to 2; use the version of Tutti"
      ),
      ("\"tutti_trace\":2,", "", "no trace header (missing key tutti_trace); give a trace written by"),
      ("00c0ffee12345678", "00c0ffee1234567g", "identity"), ("\"activity\":64", "\"activity\":128", "activity"),
      ("\"kernel\"", "\"colonel\"", "damaged trace header (missing key kernel); record the trace again"),
    ] {
      let error = #expect(throws: TraceError.self) {
        try Trace(bytes: [UInt8](whole.replacing(old, with: new).utf8), file: "t")
      }
      #expect(error?.line == 1 && error?.description.contains(reason) == true, "\(String(describing: error))")
    }
    #expect(throws: TraceError.self) { try Trace(bytes: [], file: "t") }
  }

  @Test func lineAfterTheSummaryIsRejected() throws {
    let bytes = Self.whole + [UInt8]("{\"tick\":1,\"due\":2,\"acted\":3}\n".utf8)
    let error = #expect(throws: TraceError.self) { try Trace(bytes: bytes, file: "t") }
    #expect(error?.line == 6, "the line after header, three ticks and summary")
  }

  @Test func missingFileIsNamed() throws {
    let missing = path()
    let error = #expect(throws: TraceError.self) { try Trace(contentsOf: missing) }
    #expect(error?.description.hasPrefix(missing + ": cannot be read (") == true)
    #expect(throws: TraceError.self) { try TraceWriter(path: "/nowhere/at/all.trace", header: header("anna")) }
    #expect(throws: TraceError.self) { try Trace(contentsOf: FileManager.default.temporaryDirectory.path) }
  }

  @Test func existingFileIsReplaced() throws {
    let path = path()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(repeating: 0x78, count: 100_000).write(to: URL(fileURLWithPath: path))
    let writer = try TraceWriter(path: path, header: header("anna"))
    try writer.append(TraceTick(tick: Tick(0), due: Instant(nanoseconds: 1), acted: Instant(nanoseconds: 2)))
    #expect(try Trace(contentsOf: path).ticks.isEmpty, "not flushed yet")
    try writer.flush()
    #expect(try Trace(contentsOf: path).ticks.count == 1)
    try writer.finish(TraceSummary(role: "master"))
    // A tick after `finish` is ignored.
    try writer.append(TraceTick(tick: Tick(1), due: Instant(nanoseconds: 1), acted: Instant(nanoseconds: 2)))
    try writer.flush()
    let trace = try Trace(contentsOf: path)
    #expect(trace.ticks.count == 1 && trace.summary == TraceSummary(role: "master"))
  }

  @Test func fullDiskIsAnError() throws {
    // Writing to /dev/full fails with ENOSPC.
    guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
    #expect(throws: TraceError.self) { try TraceWriter(path: "/dev/full", header: header("anna")) }
  }

  @Test func runBeginsWhereTheTickNumberDoesNotIncrease() {
    /// The runs of a trace with ticks of these numbers, as ranges of indices.
    func runs(_ ticks: [Int64]) -> [Range<Int>] {
      let ticks = ticks.map { TraceTick(tick: Tick($0), due: Instant(nanoseconds: 0), acted: Instant(nanoseconds: 0)) }
      return Trace(header: header("anna"), ticks: ticks).runs
    }
    #expect(runs([]) == [])
    #expect(runs([5]) == [0..<1])
    #expect(runs([0, 1, 2, 5, 6]) == [0..<5])
    #expect(runs([0, 1, 0, 0, 1, 2, 96, 90]) == [0..<2, 2..<3, 3..<7, 7..<8])
  }

  /// A run begins at a tick that comes so late that a tempo change cannot explain the delay.
  @Test func runBeginsAfterAPause() {
    /// The runs of a trace with ticks of these numbers, due after these milliseconds.
    func runs(_ ticks: [(Int64, Int64)]) -> [Range<Int>] {
      let ticks = ticks.map { tick, milliseconds in
        let due = Instant(nanoseconds: milliseconds * 1_000_000)
        return TraceTick(tick: Tick(tick), due: due, acted: due)
      }
      return Trace(header: header("anna"), ticks: ticks).runs
    }
    // At 20 BPM, the slowest tempo, a tick takes 125 ms. The ticks 3...11 are missing, but tick 12 comes when it is due, so there
    // is no pause.
    #expect(runs([(0, 0), (1, 125), (2, 250), (12, 1500)]) == [0..<4])
    // Tick 2 follows tick 1 after 380 ms, which is longer than a tick at 20 BPM.
    #expect(runs([(0, 0), (1, 20), (2, 400), (3, 420)]) == [0..<2, 2..<4])
  }
}
