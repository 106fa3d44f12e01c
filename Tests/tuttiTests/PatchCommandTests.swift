import Foundation
import Testing
import _TestSupport
import _TestTraits

/// Tests of the commands of `tutti patch`.
@Suite(.ownThreads) struct PatchCommandTests {
  /// A patch in the JSON of `patch list`.
  private struct Entry: Decodable {
    var kind: String
    var name: String
    var description: String
    var parts: [Part]?
    var chords: String?

    struct Part: Decodable {
      var name: String
    }
  }

  /// The standard output of a command that succeeds.
  private func output(_ arguments: String..., in folder: TemporaryFolder) async throws -> String {
    let outcome = try await Child.tutti(["patch"] + arguments, in: folder).outcome()
    try #require(outcome.status == 0, "\(outcome.errors)")
    return outcome.output
  }

  @Test func listContainsRhythmsAndInstruments() async throws {
    let folder = try TemporaryFolder()
    let entries = try JSONDecoder().decode(
      [Entry].self, from: Data(try await output("list", "--json", in: folder).utf8))
    #expect(entries.contains { $0.kind == "rhythm" && $0.name == "street" })
    #expect(entries.contains { $0.kind == "instrument" && $0.name == "tilt-harp" })
    let style = try #require(entries.first { $0.name == "motown" })
    #expect(style.parts?.map(\.name) == ["bass", "guitar", "keys"] && style.chords?.hasPrefix("Dm7 | G7") == true)
    #expect(entries.first { $0.name == "street" }?.parts == nil)
    let lines = try await output("list", in: folder).split(separator: "\n")
    #expect(lines.count == entries.count)
    #expect(lines.contains { $0.hasPrefix("tilt-harp ") && $0.contains(" harp  ") && $0.hasSuffix(".") })
  }

  @Test func instrumentIsShown() async throws {
    let text = try await output("show", "tilt-harp", in: TemporaryFolder())
    for line in [
      "sound:      harp (orchestral harp, program 47)", "figure:     X.3x o.5x x.3. 2.x3", "density:    activity",
    ] {
      #expect(text.contains(line + "\n"), "\(text)")
    }
  }

  @Test func styleIsShownAndExported() async throws {
    let folder = try TemporaryFolder()
    let text = try await output("show", "motown", in: folder)
    for line in ["chords", "bass: bass, E1..D3, level 69%", "    root      X--- --.. x--- ...."] {
      #expect(text.contains("\n" + line + "\n"), "\(text)")
    }
    #expect(try await output("list", in: folder).contains(" Style: bass, guitar, keys.\n"))
    #expect(try await output("export", "motown", in: folder).hasPrefix("motown.mid: "))
  }

  @Test func templateOfARhythmIsValid() async throws {
    let folder = try TemporaryFolder()
    #expect(try await output("new", "mine", in: folder).contains("tutti peer --patch mine.yaml --start"))
    #expect(try await output("check", "mine.yaml", in: folder) == "mine.yaml: ok\n")
    let lines = try String(contentsOfFile: folder.path("mine.yaml"), encoding: .utf8).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 80 })
    // The first lines are those that README.md explains.
    #expect(lines.prefix(12).contains { $0.contains("kick:") } && lines.prefix(12).contains { $0.contains("hat:") })
    #expect(lines.contains { $0.contains("x normal, o soft, . rest") })
  }

  /// A rhythm needs a name, a tempo and lines. Its recording has the name of its file, not the name inside of the file.
  @Test func firstRhythmIsPlayed() async throws {
    let folder = try TemporaryFolder()
    let text = "name: Ada Boogie\ntempo: 120\nplay: { always: { kick: X... X... X... X... } }\n"
    try text.write(toFile: folder.path("my-rhythm.yaml"), atomically: true, encoding: .utf8)
    #expect(try await output("show", "my-rhythm.yaml", in: folder).hasPrefix("Ada Boogie\n4/4"))
    #expect(
      try await output("list", in: folder).split(separator: "\n").contains {
        $0.hasPrefix("my-rhythm ") && $0.hasSuffix(" BPM")
      })
    #expect(try await output("render", "./my-rhythm.yaml", "--bars", "1", in: folder).hasPrefix("my-rhythm.wav: "))
    #expect(try await output("export", "my-rhythm", in: folder).hasPrefix("my-rhythm.mid: "))
    #expect(FileManager.default.fileExists(atPath: folder.path("my-rhythm.wav")))
  }

  /// The patch has 61 errors: sixty unknown fields and the missing field `play`. The command lists 50 of them, and then the number of
  /// the others.
  @Test func checkReportsTheNumberOfOmittedErrors() async throws {
    let folder = try TemporaryFolder()
    let fields = (0..<60).map { "field\($0): 1\n" }.joined()
    try Data(("name: many\ndescription: Many errors.\ntempo: 120\n" + fields).utf8)
      .write(to: URL(fileURLWithPath: folder.path("many.yaml")))
    let outcome = try await Child.tutti(["patch", "check", "many.yaml"], in: folder).outcome()
    let lines = outcome.errors.split(separator: "\n")
    #expect(outcome.status == 65 && lines.count == 51)
    #expect(lines.last == "tutti: and 11 more errors; correct the errors above first", "\(lines.suffix(2))")
  }

  @Test func templateOfAnInstrumentIsValid() async throws {
    let folder = try TemporaryFolder()
    #expect(
      try await output("new", "my harp", "--instrument", in: folder).contains("tutti patch render 'my harp.yaml'"))
    #expect(
      try await output("check", "my harp.yaml", "shaken-kalimba", in: folder)
        == "my harp.yaml: ok\nshaken-kalimba: ok\n")
  }

  /// Two recordings with the same activity are identical. With a higher activity, the instrument plays more notes.
  @Test(arguments: ["tilt-harp", "shaken-kalimba"]) func instrumentIsRendered(name: String) async throws {
    struct Result: Decodable {
      var seconds: Double
      var notes: Int
    }
    let folder = try TemporaryFolder()
    func render(_ activity: Int, _ file: String) async throws -> Result {
      let text = try await output(
        "render", name, "--bars", "2", "--bpm", "120", "--activity", "\(activity)", "--output", file, "--json",
        in: folder)
      return try JSONDecoder().decode(Result.self, from: Data(text.utf8))
    }
    let quiet = try await render(0, "quiet.wav")
    let results = [try await render(127, "a.wav"), try await render(127, "b.wav")]
    // Two bars last four seconds, and the last notes fade for two seconds.
    #expect(results.allSatisfy { $0.seconds == 6 && $0.notes == results[0].notes })
    #expect(quiet.notes > 0 && results[0].notes >= 2 * quiet.notes, "\(quiet.notes), \(results[0].notes)")
    let files = try ["a.wav", "b.wav"].map { try Data(contentsOf: URL(fileURLWithPath: folder.path($0))) }
    // Six seconds at 48 kHz, with two channels of 16 bits, are 1 152 000 octets.
    #expect(files[0] == files[1] && files[0].count > 1_000_000)
  }
}
