import Audio
import Foundation
import Measurement
import Testing
import _TestSupport
import _TestTraits

/// Tests of `tutti score render`.
@Suite(.ownThreads) struct ScoreRenderTests {
  /// The JSON of the command.
  private struct Result: Decodable {
    var seconds: Double
    var notes: Int
    var droppedNotes: Int
    var clippedSamples: Int

    enum CodingKeys: String, CodingKey {
      case seconds, notes
      case droppedNotes = "dropped_notes"
      case clippedSamples = "clipped_samples"
    }
  }

  /// A score with two parts: claves, whose sound is a click, in three bars of 4/4 at 120, 90 and 90 BPM, and a flute with a whole note in each
  /// bar. Bar 2 repeats. Its claves are quarter note triplets.
  private func score(in folder: TemporaryFolder) throws -> String {
    func clave(_ duration: Int, _ time: String = "") -> String {
      "<note><unpitched><display-step>E</display-step><display-octave>4</display-octave></unpitched>"
        + "<duration>\(duration)</duration><instrument id=\"P1-I1\"/><voice>1</voice>\(time)</note>"
    }
    func tempo(_ bpm: Int) -> String {
      "<direction><direction-type><words/></direction-type><sound tempo=\"\(bpm)\"/></direction>"
    }
    let triplet =
      "<type>quarter</type><time-modification><actual-notes>3</actual-notes><normal-notes>2</normal-notes></time-modification>"
    let flute =
      "<note><pitch><step>A</step><octave>5</octave></pitch><duration>12</duration><voice>1</voice><type>whole</type></note>"
    let attributes =
      "<attributes><divisions>3</divisions><time><beats>4</beats><beat-type>4</beat-type></time></attributes>"
    let repeats = "<barline location=\"right\"><repeat direction=\"backward\"/></barline>"
    let begins = "<barline location=\"left\"><repeat direction=\"forward\"/></barline>"
    let text = """
      <score-partwise version="4.0"><part-list>
      <score-part id="P1"><part-name>Claves</part-name>
      <score-instrument id="P1-I1"><instrument-name>Claves</instrument-name></score-instrument>
      <midi-instrument id="P1-I1"><midi-channel>10</midi-channel><midi-unpitched>76</midi-unpitched></midi-instrument>
      </score-part>
      <score-part id="P2"><part-name>Flute</part-name></score-part>
      </part-list>
      <part id="P1">
      <measure number="1">\(attributes)\(tempo(120))\(clave(3))\(clave(3))\(clave(3))\(clave(3))</measure>
      <measure number="2">\(begins)\(tempo(90))\((0..<6).map { _ in clave(2, triplet) }.joined())\(repeats)</measure>
      <measure number="3">\(clave(6))\(clave(6))</measure>
      </part>
      <part id="P2">
      <measure number="1">\(attributes)\(flute)</measure><measure number="2">\(begins)\(flute)\(repeats)</measure>
      <measure number="3">\(flute)</measure>
      </part>
      </score-partwise>
      """
    let path = folder.path("claves.musicxml")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  private func render(_ arguments: String..., in folder: TemporaryFolder) async throws -> Result {
    let outcome = try await Child.tutti(["score", "render"] + arguments + ["--json"], in: folder).outcome()
    try #require(outcome.status == 0, "\(outcome.errors)")
    return try JSONDecoder().decode(Result.self, from: Data(outcome.output.utf8))
  }

  /// The claves sound on their frames. The first bar lasts 2 s, and each later bar 8/3 s.
  @Test func onsetsAreThoseOfTheScore() async throws {
    let folder = try TemporaryFolder()
    let result = try await render(score(in: folder), "--part", "claves", in: folder)
    var expected: [Double] = [0, 0.5, 1, 1.5]
    let third: Double = 4 / 9
    for clave in 0..<12 { expected.append(2 + Double(clave) * third) }
    expected += [22.0 / 3, 26.0 / 3]
    #expect(result.notes == 18 && result.droppedNotes == 0 && result.clippedSamples == 0)
    // Two seconds follow the last bar.
    #expect(abs(result.seconds - 12) < 0.001)
    let file = try SoundFile(path: folder.path("claves.wav"))
    let onsets = OnsetDetector(rate: file.rate).onsets(in: file.samples)
    try #require(onsets.count == expected.count, "\(onsets)")
    // The sound begins with some frames below the threshold of the detector, less than 10 ms and always the same number.
    let delays = zip(onsets, expected).map { onset, instant in Double(onset) - instant * Double(file.rate) }
    let (least, greatest) = (delays.min() ?? 0, delays.max() ?? 0)
    #expect(greatest - least < 1 && least >= 0 && greatest < 480, "\(delays)")
  }

  /// The file has all parts, or the named one. All parts are as loud as their sum, and silent at the end.
  @Test func partsAreSelected() async throws {
    let folder = try TemporaryFolder()
    let path = try score(in: folder)
    let all = try await render(path, "--output", "all.wav", in: folder)
    let flute = try await render(path, "--part", "FLUTE", "--output", "flute.wav", in: folder)
    #expect(all.notes == 22 && flute.notes == 4)
    let sounds = try ["all", "flute"].map { try SoundFile(path: folder.path("\($0).wav")).samples }
    #expect(sounds.allSatisfy { $0.contains { abs($0) > 0.01 } } && sounds[0] != sounds[1])
    // Every note has ended.
    for sound in sounds { #expect(sound.suffix(1_000).allSatisfy { abs($0) < 0.001 }) }
  }

  @Test func errorsStateTheRemedy() async throws {
    let folder = try TemporaryFolder()
    let path = try score(in: folder)
    let outcome = try await Child.tutti(["score", "render", path, "--part", "Oboe"], in: folder).outcome()
    #expect(outcome.status == 69 && outcome.errors.contains("has no part Oboe; give --part one of: Claves, Flute"))
    // An existing file is not replaced without --output.
    try Data().write(to: URL(fileURLWithPath: folder.path("claves.wav")))
    let second = try await Child.tutti(["score", "render", path], in: folder).outcome()
    #expect(second.status == 69 && second.errors.contains("claves.wav: already exists"))
  }
}
