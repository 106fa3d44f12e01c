import Cryptography
import Foundation
import Testing
import _TestSupport
import _TestTraits

/// Tests of the outputs of `tutti measure clock`.
@Suite(.ownThreads) struct ClockCommandTests {
  /// The members of the JSON report that are tested.
  fileprivate struct Report: Decodable {
    struct Input: Decodable { var file, sha256: String }
    struct Provenance: Decodable {
      var schema: Int
      var version, command: String
      var inputs: [Input]
    }
    struct Row: Decodable { var ticks: Int, adev: Double }
    var provenance: Provenance
    var ticks, lost: Int
    var driftPpm: Double
    var stability: [Row]
  }

  /// Writes ``stamps`` to a file, and runs the command on this file.
  private func run(
    _ arguments: String..., environment: [String: String] = [:], in folder: TemporaryFolder
  ) async throws -> Child.Outcome {
    try Data(Self.stamps.utf8).write(to: folder.url.appendingPathComponent("stamps.txt"))
    let command = ["measure", "clock", "stamps.txt", "--nominal", "125"] + arguments
    return try await Child.tutti(command, environment: environment, in: folder).outcome()
  }

  /// The stamps of 1000 ticks at 125 BPM, 20 ms apart, in nanoseconds. Tick 10 is missing, and every second tick is 1 us late.
  private static let stamps = (0..<1000).filter { $0 != 10 }.map { "\($0 * 20_000_000 + $0 % 2 * 1000)\n" }.joined()

  @Test func jsonContainsTheFiguresAndTheirProvenance() async throws {
    let outcome = try await run("--json", in: TemporaryFolder())
    #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors)")
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let report = try decoder.decode(Report.self, from: Data(outcome.output.utf8))
    #expect(report.ticks == 999 && report.lost == 1 && abs(report.driftPpm) < 0.01)
    // Every second tick is 1 us late, so the magnitude d of each second difference is 2 us. For an observation time of one tick, 20 ms,
    // the Allan deviation is sqrt(d^2 / 2) / 20 ms = 7.0711e-5.
    #expect(report.stability[0].ticks == 1 && abs(report.stability[0].adev / 7.0711e-5 - 1) < 1e-3)
    let digest = SHA256.hash(of: Array(Self.stamps.utf8)).map { String(format: "%02x", $0) }.joined()
    let inputs = report.provenance.inputs
    #expect(inputs.map(\.sha256) == [digest] && inputs.map(\.file) == ["stamps.txt"] && report.provenance.schema == 1)
    #expect(report.provenance.command.hasSuffix("measure clock stamps.txt --nominal 125 --json"))
  }

  @Test func allFormsHaveTheProvenance() async throws {
    for arguments in [[], ["--csv"], ["--tempo"], ["--histogram", "10"], ["--spectrum"]] {
      let folder = try TemporaryFolder()
      try Data(Self.stamps.utf8).write(to: folder.url.appendingPathComponent("stamps.txt"))
      let outcome = try await Child.tutti(["measure", "clock", "stamps.txt"] + arguments, in: folder).outcome()
      #expect(outcome.status == 0 && outcome.output.contains("sha256: "), "\(arguments)")
    }
  }

  /// The last line of the file is incomplete: it has no line end.
  @Test func cutFileGivesAWarning() async throws {
    let folder = try TemporaryFolder()
    try Data("10000000\n30000000\n50000000\n70".utf8).write(to: folder.url.appendingPathComponent("cut.txt"))
    let outcome = try await Child.tutti(["measure", "clock", "cut.txt"], in: folder).outcome()
    #expect(outcome.status == 0 && outcome.output.contains("ticks 3,"))
    #expect(
      outcome.errors == "tutti: warning: cut.txt:4: the last line has no line end and is ignored; "
        + "record again if the end of the file matters\n")
  }

  /// A table of ticks at 125 BPM in milliseconds. The ticks before 1 s are 5 ms late.
  @Test func sectionOfATableIsMeasured() async throws {
    let folder = try TemporaryFolder()
    let rows = (0..<200).map { "\($0),x,\(Double($0) * 20 + ($0 < 50 ? 5 : 0))\n" }.joined()
    try Data(("\u{FEFF}tick,note,Onset\n" + rows).utf8).write(to: folder.url.appendingPathComponent("table.csv"))
    let command = [
      "measure", "clock", "table.csv", "--column", "onset", "--unit", "ms", "--from", "0.995", "--nominal", "125",
    ]
    let outcome = try await Child.tutti(command + ["--skip", "10", "--to", "2.995"], in: folder).outcome()
    #expect(outcome.status == 0 && outcome.output.contains("ticks 91, runs 1, lost 0"), "\(outcome.output)")
    #expect(outcome.output.contains("Tempo 125.000000 BPM") && outcome.errors.isEmpty, "\(outcome.errors)")
    let refused = try await Child.tutti(["measure", "clock", "table.csv"], in: folder).outcome()
    // Numbers with a point and without a unit are seconds.
    #expect(refused.status != 0 && refused.errors.contains("outside 20 to 1040 BPM"), "\(refused.errors)")
  }

  @Test func midiFileCannotBeReadFromAPipe() async throws {
    let prefix = ["sh", "-c", "printf MThd | \"$0\" \"$@\""]
    let arguments = ["measure", "clock", "/dev/stdin"]
    let outcome = try await Child.tutti(arguments, prefix: prefix, in: TemporaryFolder()).outcome()
    #expect(outcome.status == 65)
    #expect(
      outcome.errors == "tutti: /dev/stdin:1: is a Standard MIDI File, which cannot be read from a pipe; "
        + "give the path of the file\n")
  }

  @Test func missingGnuplotIsReported() async throws {
    // The search path contains only the folder of the test, which contains no programs. `tutti` is started by its path.
    let folder = try TemporaryFolder()
    let outcome = try await run("--plot", "x.svg", environment: ["PATH": folder.url.path], in: folder)
    #expect(outcome.status == 69)
    #expect(
      outcome.errors == "tutti: --plot: gnuplot is not installed; install the package gnuplot-nox, or omit --plot\n")
    #expect(!FileManager.default.fileExists(atPath: folder.url.appendingPathComponent("x.svg").path))
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/gnuplot"), "gnuplot is not installed"))
  func plotIsWritten() async throws {
    let folder = try TemporaryFolder()
    // The first octet of a PNG file, 0x89, is not UTF-8. It is decoded as U+FFFD.
    for (file, start) in [("x.svg", "<?xml"), ("x.png", "\u{FFFD}PNG"), ("x.pdf", "%PDF-")] {
      let outcome = try await run("--plot", file, in: folder)
      #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors)")
      let picture = try Data(contentsOf: folder.url.appendingPathComponent(file))
      #expect(String(decoding: picture.prefix(5), as: UTF8.self).hasPrefix(start))
    }
    let sized = try await run("--plot", "y.svg", "--size", "900x500", in: folder)
    let text = try String(contentsOfFile: folder.path("y.svg"), encoding: .utf8)
    #expect(sized.status == 0 && text.contains("viewBox=\"0 0 900 500\""), "\(text.prefix(300))")
    for (arguments, reason) in [
      (["--plot", "x.gif"], "--plot x.gif: not a supported"), (["--size", "900x600"], "there is no plot"),
      (["--plot", "x.svg", "--size", "9x9"], "--size 9x9: not a size"),
      (["--plot", "x.svg", "--size", "a"], "not a size"),
    ] {
      let outcome = try await Child.tutti(["measure", "clock", "stamps.txt"] + arguments, in: folder).outcome()
      #expect(outcome.status == 64 && outcome.errors.contains(reason), "\(outcome.errors)")
    }
    let outcome = try await run("--plot", "none/x.svg", in: folder)
    #expect(outcome.status == 69 && outcome.errors.contains("none/x.svg: cannot be written"))
  }
}
