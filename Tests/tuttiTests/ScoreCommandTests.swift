import Foundation
import MIDI
import ScoreFiles
import Scores
import Testing
import _TestSupport
import _TestTraits

/// Tests of the commands of `tutti score`.
@Suite(.ownThreads) struct ScoreCommandTests {
  /// A score in the JSON of `score list` and `score show`.
  private struct Entry: Decodable {
    struct Part: Decodable {
      var name: String
      var program: Int?
      var drums: Bool
      var notes: Int
      var playedNotes: Int
    }
    struct Bar: Decodable, Equatable {
      var tick: Int
      var bar: String
      var pass: Int
      var metre: String
      var bpm: Double
      var seconds: Double
    }
    struct Metre: Decodable, Equatable {
      var bar: String
      var metre: String
    }

    var name: String
    var bars: Int
    var playedBars: Int
    var metres: [Metre]
    var seconds: Double
    var route: String
    var findings: Int
    var parts: [Part]
    var order: [Bar]?
  }

  /// The standard output of a command that succeeds.
  private func output(_ arguments: String..., in folder: TemporaryFolder) async throws -> String {
    let outcome = try await Child.tutti(["score"] + arguments, in: folder).outcome()
    try #require(outcome.status == 0, "\(outcome.errors)")
    return outcome.output
  }

  private func show(_ arguments: String..., in folder: TemporaryFolder) async throws -> Entry {
    let outcome = try await Child.tutti(["score", "show", "--json"] + arguments, in: folder).outcome()
    try #require(outcome.status == 0, "\(outcome.errors)")
    return try JSONDecoder().decode(Entry.self, from: Data(outcome.output.utf8))
  }

  /// A MusicXML file with one part and the given measures.
  private func write(_ name: String, _ measures: [String], in folder: TemporaryFolder) throws {
    let text = """
      <score-partwise version="4.0"><part-list><score-part id="P1"><part-name>Flute</part-name></score-part></part-list>
      <part id="P1">
      \(measures.enumerated().map { "<measure number=\"\($0 + 1)\">\($1)</measure>" }.joined(separator: "\n"))
      </part></score-partwise>
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(name)))
  }

  private static let attributes =
    "<attributes><divisions>1</divisions><time><beats>4</beats><beat-type>4</beat-type></time></attributes>"
  private static func note(_ length: Int, _ more: String = "") -> String {
    "<note><pitch><step>C</step><octave>4</octave></pitch><duration>\(length)</duration>\(more)</note>"
  }

  @Test func listContainsTheOwnScores() async throws {
    let folder = try TemporaryFolder()
    let entries = try JSONDecoder().decode(
      [Entry].self, from: Data(try await output("list", "--json", in: folder).utf8))
    #expect(entries.count >= 12 && entries.map(\.name) == entries.map(\.name).sorted())
    #expect(entries.allSatisfy { $0.seconds > 10 && $0.findings == 0 && !$0.parts.isEmpty })
    let drums = try #require(entries.first { $0.name == "drum-groove" })
    #expect(drums.parts.contains { $0.drums && $0.program == nil })
    let lines = try await output("list", in: folder).split(separator: "\n")
    #expect(lines.count == entries.count && lines.contains { $0.hasPrefix("ferry-waltz ") && $0.contains(" 3/4 ") })
  }

  /// The file is written by hand: at 120 BPM, then 60, a bar of 3/4, and a repeat with two endings.
  @Test func orderAndTimesAreShown() async throws {
    let folder = try TemporaryFolder()
    try write(
      "song.musicxml",
      [
        Self.attributes + #"<sound tempo="120"/>"# + Self.note(4),
        #"<barline location="left"><ending number="1" type="start"/></barline>"# + Self.note(4)
          + #"<barline location="right"><ending number="1" type="stop"/><repeat direction="backward"/></barline>"#,
        #"<barline location="left"><ending number="2" type="start"/></barline><attributes><time><beats>3</beats>"#
          + #"<beat-type>4</beat-type></time></attributes><sound tempo="60"/>"# + Self.note(3)
          + #"<barline location="right"><ending number="2" type="discontinue"/></barline>"#,
      ], in: folder)
    let entry = try await show("song.musicxml", "--bars", in: folder)
    #expect(entry.bars == 3 && entry.playedBars == 4 && entry.route == "1-2 1 3" && entry.seconds == 9)
    #expect(entry.metres == [.init(bar: "1", metre: "4/4"), .init(bar: "3", metre: "3/4")])
    #expect(entry.parts[0].notes == 3 && entry.parts[0].playedNotes == 4)
    #expect(
      entry.order == [
        .init(tick: 0, bar: "1", pass: 1, metre: "4/4", bpm: 120, seconds: 0),
        .init(tick: 96, bar: "2", pass: 1, metre: "4/4", bpm: 120, seconds: 2),
        .init(tick: 192, bar: "1", pass: 2, metre: "4/4", bpm: 120, seconds: 4),
        .init(tick: 288, bar: "3", pass: 2, metre: "3/4", bpm: 60, seconds: 6),
      ])
    let text = try await output("show", "song.musicxml", "--bars", in: folder)
    for line in [
      "bars:   3 written, 4 played", "metre:  4/4, 3/4 from bar 3", "length: 0:09", "route:  1-2 1 3",
      "tempo:  120.0 BPM at the beginning, 60.0 to 120.0 BPM", " 288    3     2    3/4   60.0  0:06.000",
    ] {
      #expect(text.contains(line + "\n"), "\(text)")
    }
    #expect(try await show("ferry-waltz", in: folder).order == nil)
  }

  @Test func checkListsEverything() async throws {
    let folder = try TemporaryFolder()
    try write("good.xml", [Self.attributes + Self.note(4)], in: folder)
    try write(
      "odd.xml",
      [
        Self.attributes + "<print/>" + Self.note(4),
        Self.note(5) + "<madness/><madness/>" + #"<note><rest/><duration>-1</duration></note>"#, Self.note(4),
      ], in: folder)
    #expect(try await output("check", "good.xml", in: folder) == "good.xml: ok\n")
    let lines = try await output("check", "good.xml", "odd.xml", "evening", in: folder).split(separator: "\n")
    #expect(
      lines == [
        "good.xml: ok", "odd.xml:4: bar 2 of part Flute: a duration that is not positive; it is left out",
        "odd.xml:4: bar 2: it lasts 5 quarter notes, not 4 (4/4); it is played with this length",
        "odd.xml: madness is not supported: 2 times", "odd.xml: print is not supported: 1 time",
        "odd.xml: ok, 2 findings", "evening: ok",
      ])
  }

  /// One file that is refused decides the exit status. The others are checked.
  @Test func refusedFilesDecideTheStatus() async throws {
    struct Result: Decodable {
      struct Finding: Decodable {
        var line: Int
      }
      var file: String
      var ok: Bool
      var findings: [Finding]
      var error: String?
    }
    let folder = try TemporaryFolder()
    try write("good.xml", [Self.attributes + Self.note(4)], in: folder)
    try write("bad.xml", ["<attributes><divisions>0</divisions></attributes>" + Self.note(4)], in: folder)
    let arguments = ["score", "check", "missing.xml", "bad.xml", "good.xml"]
    let outcome = try await Child.tutti(arguments, in: folder).outcome()
    #expect(outcome.status == 65 && outcome.output == "good.xml: ok\n")
    #expect(
      outcome.errors.split(separator: "\n") == [
        "tutti: score missing.xml: no such file; check the path or give a name from `tutti score list`",
        "tutti: bad.xml:3: divisions 0: is not a positive number; export the file again",
      ])
    let json = try await Child.tutti(arguments + ["--json"], in: folder).outcome()
    let results = try JSONDecoder().decode([Result].self, from: Data(json.output.utf8))
    #expect(json.status == 65 && results.map(\.ok) == [false, false, true])
    #expect(results.map { $0.error == nil } == [false, false, true])
    #expect(try await Child.tutti(["score", "check", "missing.xml"], in: folder).outcome().status == 69)
  }

  /// A route that is too long is refused with the name of the file.
  @Test func longRoutesAreRefused() async throws {
    let folder = try TemporaryFolder()
    let bars = (0..<1200).map { index in
      (index == 0 ? Self.attributes : "") + Self.note(4)
        + #"<barline location="right"><repeat direction="backward" times="100"/></barline>"#
    }
    try write("long.xml", bars, in: folder)
    for command in ["check", "show", "export"] {
      let outcome = try await Child.tutti(["score", command, "long.xml"], in: folder).outcome()
      #expect(outcome.status == 65 && outcome.errors.hasPrefix("tutti: long.xml: the route: more than 100000 bars"))
    }
  }

  /// Exported as MusicXML, a score is the same. Exported as MIDI and imported, it has the same parts and notes.
  @Test func scoresAreExportedAndImported() async throws {
    let folder = try TemporaryFolder()
    #expect(try await output("export", "evening", "--output", "copy.musicxml", in: folder).hasPrefix("copy.musicxml: "))
    func read(_ path: String) throws -> Score {
      try ScoreImport(octets: Array(Data(contentsOf: URL(fileURLWithPath: path))), file: path).score
    }
    let original = try read(Program.patches + "/scores/evening.musicxml")
    #expect(try read(folder.path("copy.musicxml")) == original)
    #expect(try await output("export", "evening", in: folder).hasPrefix("evening.mid: "))
    #expect(try await output("import", "evening.mid", in: folder).hasPrefix("evening.musicxml: "))
    let imported = try read(folder.path("evening.musicxml"))
    let events = EventTable(original, along: try Route(original)).events
    #expect(imported.parts.count == original.parts.count)
    #expect(EventTable(imported, along: try Route(imported)).events.count == events.count)
  }

  /// Without --output, an existing file is kept. With it, the file is replaced.
  @Test func existingFilesAreKept() async throws {
    let folder = try TemporaryFolder()
    let existing = Data("existing".utf8)
    for (arguments, file) in [(["export", "evening"], "evening.mid"), (["import", "song.mid"], "song.musicxml")] {
      if arguments[0] == "import" { _ = try await output("export", "evening", "--output", "song.mid", in: folder) }
      let url = URL(fileURLWithPath: folder.path(file))
      try existing.write(to: url)
      let outcome = try await Child.tutti(["score"] + arguments, in: folder).outcome()
      #expect(outcome.status == 69 && outcome.errors.contains("\(file): already exists; give `--output \(file)`"))
      #expect(try Data(contentsOf: url) == existing)
      let replaced = try await Child.tutti(["score"] + arguments + ["--output", file], in: folder).outcome()
      #expect(replaced.status == 0)
      #expect(try Data(contentsOf: url) != existing)
    }
  }

  /// A MIDI file of a few hundred octets with thousands of bars in 64 parts would be too large as MusicXML.
  @Test func filesThatCannotBeReadAgainAreNotWritten() async throws {
    let folder = try TemporaryFolder()
    let tracks = (0..<60).map { track in
      let channel = Channel(track % 9 + 1)!
      return StandardMIDIFile.Track([
        .init(tick: 0, .meta(.init(trackName: String(repeating: "n", count: 20)))),
        .init(tick: 0, .message(.noteOn(channel, key: 60, velocity: 64))),
        .init(tick: 1, .message(.noteOff(channel, key: 60, velocity: 64))),
        .init(tick: 35_999, .message(.noteOn(channel, key: 60, velocity: 64))),
        .init(tick: 36_000, .message(.noteOff(channel, key: 60, velocity: 64))),
      ])
    }
    let file = StandardMIDIFile(format: .simultaneousTracks, division: .ticksPerQuarter(1), tracks: tracks)
    try Data(file.bytes()).write(to: URL(fileURLWithPath: folder.path("long.mid")))
    let outcome = try await Child.tutti(["score", "import", "long.mid"], in: folder).outcome()
    #expect(outcome.status == 65 && outcome.errors.contains("long.musicxml: would have "), "\(outcome.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("long.musicxml")))
  }

  @Test(arguments: [
    ("export evening --output x.mxl", "--output x.mxl: is no kind of file that can be written; end it with .mid"),
    ("export evening --output x", "--output x: is no kind of file that can be written; end it with .mid or .musicxml"),
    ("import song.mid --output x.mid", "--output x.mid: is no name of a MusicXML file; end it with .musicxml"),
  ])
  func otherSuffixesAreUsageErrors(command: String, message: String) async throws {
    let arguments = ["score"] + command.split(separator: " ").map(String.init)
    let outcome = try await Child.tutti(arguments, in: TemporaryFolder()).outcome()
    #expect(outcome.status == 64 && outcome.errors.contains(message), "\(outcome.errors)")
  }
}
