import Foundation
import Testing

@testable import Rhythm

/// The examples in the documentation of rhythms.
@Suite struct DocumentationTests {
  /// The text of a page of the module's documentation; empty if the page cannot be read.
  static func text(of page: String) -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let path = "Sources/Rhythm/Rhythm.docc/\(page).md"
    return (try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)) ?? ""
  }

  /// The blocks of a page that are marked as YAML.
  static func examples(in page: String) -> [String] {
    page.components(separatedBy: "```yaml\n").dropFirst().map { $0.components(separatedBy: "\n```")[0] }
  }

  /// The page "Writing a rhythm".
  static let page = text(of: "Patches")
  static let examples = examples(in: page)

  /// If the page were not found, the test of the examples would have no cases.
  @Test func pageHasExamples() { #expect(Self.examples.count >= 6) }

  @Test(arguments: examples) func exampleIsAValidPatch(text: String) { #expect(faults(text) == []) }

  /// The page lists all drums in rows of two names and the note: | name | General MIDI name | note |.
  @Test func pageNamesAllDrums() throws {
    for note in UInt8(35)...81 {
      let name = try #require(DrumNames.name(of: note))
      let row = Self.page.components(separatedBy: "\n").first {
        $0.hasPrefix("| \(name) | ") && $0.hasSuffix(" | \(note) |")
      }
      // The second name also stands for the note.
      let standard = try #require(row).components(separatedBy: " | ")[1]
      #expect(DrumNames.note(named: standard) == note, "\(name)")
    }
  }

  /// The page lists the names of all kinds of chords with their notes, and all tones.
  @Test func pageNamesAllChordsAndTones() {
    for quality in ChordQuality.all {
      let names = quality.names.map { $0.isEmpty ? "nothing" : "`\($0)`" }.joined(separator: ", ")
      let notes = quality.intervals.map(String.init).joined(separator: " ")
      #expect(Self.page.contains("\n| \(names) | \(notes) |\n"), "\(names)")
    }
    for tone in PartTone.allCases { #expect(Self.page.contains("\n| `\(tone.name)` | ")) }
  }

  /// The page contains the test vectors of ``ChanceTests``.
  @Test func pageHasTheTestVectors() {
    for vector in ChanceTests.vectors {
      let hash = String(vector.hash, radix: 16, uppercase: true)
      #expect(Self.page.contains("| \(vector.seed) | \(vector.bar) | \(vector.line) | \(vector.tick) | \(hash) |"))
    }
  }
}
