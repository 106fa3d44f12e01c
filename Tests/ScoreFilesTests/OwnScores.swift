import Foundation
import ScoreFiles
import Scores
import Testing

/// The scores that the program ships.
enum OwnScores {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
    "../../Patches/scores")

  static let names: [String] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(".musicxml") }.map { String($0.dropLast(9)) }.sorted()
  }()

  static func octets(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appendingPathComponent(name + ".musicxml")))
  }

  static func read(_ name: String) throws -> ScoreImport { try ScoreImport(octets: octets(name), file: name) }
}

@Suite struct OwnScoresTests {
  /// What each score is for.
  static let expectations: [(String, @Sendable (Score) throws -> Bool)] = [
    ("morning-round", { $0.bars.contains { $0.repeatEnd != nil } && $0.bars.allSatisfy { $0.ending.isEmpty } }),
    ("two-endings", { $0.bars.contains { !$0.ending.isEmpty } }),
    ("homeward", { score in try Route(score).bars.map { $0.bar + 1 }.suffix(6) == [3, 4, 5, 6, 9, 10] }),
    ("ferry-waltz", { try Route($0).padding == Fraction(2) }),
    (
      "evening",
      { $0.tempoMarks.contains { $0.content == .ritardando } && $0.tempoMarks.contains { $0.content == .aTempo } }
    ),
    ("seven-steps", { $0.metres.map(\.description).contains("7/8") && $0.metres.map(\.description).contains("3/4") }),
    (
      "threes-and-fives",
      { score in score.parts[0].bars.flatMap(\.voices).flatMap(\.chords).contains { $0.ratio?.actual == 5 } }
    ),
    ("ornament", { score in score.parts[0].bars.flatMap(\.voices).flatMap(\.chords).contains { $0.grace != nil } }),
    (
      "clarinet-song",
      { score in
        score.parts[0].bars[0].changes.contains { $0.content == .transposition(Interval(steps: -1, semitones: -2)!) }
      }
    ),
    ("lead-sheet", { score in score.parts[0].bars.flatMap(\.symbols).count >= 12 }),
    (
      "evening-hymn",
      { score in
        score.parts.count == 4
          && score.parts[0].bars.flatMap(\.voices).flatMap(\.chords).contains { !$0.lyrics.isEmpty }
      }
    ),
    ("drum-groove", { $0.parts[0].isPercussion }),
    ("two-voices", { score in score.parts[0].staves == 2 && score.parts[0].bars.contains { $0.voices.count == 4 } }),
  ]

  @Test func aDozenScoresAreShipped() {
    #expect(Set(Self.expectations.map(\.0)) == Set(OwnScores.names))
  }

  @Test(arguments: expectations.indices) func eachShowsItsSubject(index: Int) throws {
    let (name, isSatisfied) = Self.expectations[index]
    let score = try OwnScores.read(name).score
    #expect(try isSatisfied(score), "\(name)")
    // Musical: it lasts between 10 seconds and two minutes, every part plays, and no note leaves the range of its instrument.
    let route = try Route(score)
    let table = EventTable(score, along: route)
    #expect(Set(table.events.map(\.part)).count == score.parts.count, "\(name)")
    #expect(route.end > Fraction(16) && route.end < Fraction(200), "\(name)")
    #expect(table.events.allSatisfy { (28...100).contains($0.key) }, "\(name)")
  }

  /// The parts of a bar have equal lengths: a wrong duration would show as a bar that is longer than its metre.
  @Test(arguments: OwnScores.names) func barsAreFull(name: String) throws {
    let score = try OwnScores.read(name).score
    for (index, (bar, metre)) in zip(score.bars, score.metres).enumerated() where !bar.isImplicit {
      #expect(bar.length == metre.length, "\(name), bar \(index + 1)")
      for part in score.parts {
        #expect(!part.bars[index].voices.isEmpty, "\(name), bar \(index + 1), part \(part.name)")
        for voice in part.bars[index].voices {
          let sum = try voice.chords.reduce(Fraction.zero) { try $0 + $1.length }
          #expect(sum == bar.length, "\(name), bar \(index + 1), part \(part.name), voice \(voice.number)")
        }
      }
    }
  }
}
