import Foundation
import Testing
import _TestSupport
import _TestTraits

/// Tests of `tutti score engrave`.
@Suite(.ownThreads) struct ScoreEngraveTests {
  /// The JSON of the command.
  private struct Result: Decodable {
    var part: String
    var bars: Int
    var systems: Int
    var pages: Int?
    var missing: [String: Int]
  }

  /// A score of a flute and a bass, each with a whole note in 12 bars.
  private func score(in folder: TemporaryFolder) throws -> String {
    func part(_ id: String, _ octave: Int) -> String {
      let attributes =
        "<attributes><divisions>1</divisions><time><beats>4</beats><beat-type>4</beat-type></time></attributes>"
      let note =
        "<note><pitch><step>A</step><octave>\(octave)</octave></pitch><duration>4</duration><type>whole</type></note>"
      let bars = (1...12).map { "<measure number=\"\($0)\">\($0 == 1 ? attributes : "")\(note)</measure>" }
      return "<part id=\"\(id)\">\(bars.joined())</part>"
    }
    let text = """
      <score-partwise version="4.0"><part-list><score-part id="P1"><part-name>Flute</part-name></score-part>
      <score-part id="P2"><part-name>Bass</part-name></score-part></part-list>\(part("P1", 5))\(part("P2", 3))
      </score-partwise>
      """
    let path = folder.path("song.musicxml")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  private func engrave(_ arguments: String..., in folder: TemporaryFolder) async throws -> Result {
    let outcome = try await Child.tutti(["score", "engrave"] + arguments + ["--json"], in: folder).outcome()
    try #require(outcome.status == 0, "\(outcome.errors)")
    return try JSONDecoder().decode(Result.self, from: Data(outcome.output.utf8))
  }

  @Test func partsAreDrawnAtTheirWidths() async throws {
    let folder = try TemporaryFolder()
    let path = try score(in: folder)
    let wide = try await engrave(path, "--output", "wide.svg", in: folder)
    let narrow = try await engrave(path, "--part", "flute", "--width", "50", "--output", "narrow.svg", in: folder)
    let bass = try await engrave(path, "--part", "2", "--output", "bass.svg", in: folder)
    #expect(wide.part == "Flute" && narrow.part == "Flute" && bass.part == "Bass")
    #expect(wide.bars == 12 && wide.missing.isEmpty && narrow.systems > wide.systems)
    let texts = try ["wide", "bass"].map { try String(contentsOfFile: folder.path("\($0).svg"), encoding: .utf8) }
    for text in texts { #expect(text.hasPrefix("<svg") && text.contains("width=\"210mm\"")) }
    #expect(texts[0].contains("aria-label=\"Bar 12\"") && texts[0] != texts[1])
  }

  @Test func pagesArePrinted() async throws {
    let folder = try TemporaryFolder()
    let result = try await engrave(score(in: folder), "--output", "song.pdf", in: folder)
    #expect(result.pages == 1)
    let octets = try Data(contentsOf: URL(fileURLWithPath: folder.path("song.pdf")))
    #expect(octets.starts(with: Array("%PDF".utf8)))
  }

  @Test func transpositionMovesTheNotes() async throws {
    let folder = try TemporaryFolder()
    _ = try await engrave(score(in: folder), "--transpose", "-2", "--output", "song.svg", in: folder)
    let text = try String(contentsOfFile: folder.path("song.svg"), encoding: .utf8)
    #expect(text.contains("aria-label=\"G5 whole") && !text.contains("aria-label=\"A5 whole"))
  }

  /// Each list of options with the exit status and a part of the error.
  @Test(arguments: [
    (["--part", "Oboe"], 69, "has no part Oboe; give --part one of: 1 Flute, 2 Bass"),
    (["--output", "song.png"], 64, "song.png: is no kind of file that can be drawn; end it with .svg or .pdf"),
    (["--width", "5"], 64, "--width 5.0: out of range; give 25 to 5000 mm"),
    (["--music-font", "nothing.otf"], 69, "font nothing.otf: cannot be read; check the path and the permissions"),
  ])
  func errorsStateTheRemedy(options: [String], status: Int32, reason: String) async throws {
    let folder = try TemporaryFolder()
    let path = try score(in: folder)
    let outcome = try await Child.tutti(["score", "engrave", path] + options, in: folder).outcome()
    #expect(outcome.status == status && outcome.errors.contains(reason), "\(outcome.errors)")
  }
}
