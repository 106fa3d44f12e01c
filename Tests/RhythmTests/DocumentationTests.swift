import Foundation
import Testing

@testable import Rhythm

/// The examples in the documentation of patches.
@Suite struct DocumentationTests {
  /// The page "Writing a rhythm".
  static let page: String = {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return
      (try? String(contentsOf: root.appendingPathComponent("Sources/Rhythm/Rhythm.docc/Patches.md"), encoding: .utf8))
      ?? ""
  }()

  /// The blocks of the page that are marked as YAML.
  static let examples = page.components(separatedBy: "```yaml\n").dropFirst()
    .map { $0.components(separatedBy: "\n```")[0] }

  @Test func pageHasExamples() { #expect(Self.examples.count >= 6) }

  @Test(arguments: examples) func exampleIsAValidPatch(text: String) { #expect(faults(text) == []) }

  /// The page lists the names of all drums with their notes.
  @Test func pageNamesAllDrums() throws {
    for note in UInt8(35)...81 {
      let name = try #require(DrumNames.name(of: note))
      let row = Self.page.components(separatedBy: "\n").first {
        $0.hasPrefix("| \(name) | ") && $0.hasSuffix(" | \(note) |")
      }
      let standard = try #require(row).components(separatedBy: " | ")[1]
      #expect(DrumNames.note(named: standard) == note, "\(name)")
    }
  }

  /// The page contains the test vectors of ``ChanceTests``.
  @Test func pageHasTheTestVectors() {
    for vector in ChanceTests.vectors {
      let hash = String(vector.hash, radix: 16, uppercase: true)
      #expect(Self.page.contains("| \(vector.seed) | \(vector.bar) | \(vector.line) | \(vector.tick) | \(hash) |"))
    }
  }
}
