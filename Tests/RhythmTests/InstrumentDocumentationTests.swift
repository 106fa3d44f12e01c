import Foundation
import Testing

@testable import Rhythm

/// The examples and tables in the documentation of instruments.
@Suite struct InstrumentDocumentationTests {
  /// The page "Writing an instrument".
  static let page = DocumentationTests.text(of: "Instruments")
  static let examples = DocumentationTests.examples(in: page)

  /// If the page were not found, the test of the examples would have no cases.
  @Test func pageHasExamples() { #expect(Self.examples.count >= 5) }

  /// Each example loads and plays notes in the first bar of a rhythm.
  @Test(arguments: examples) func exampleIsAValidInstrument(text: String) throws {
    #expect(instrumentFaults(text) == [])
    var run = InstrumentRun(try InstrumentLoader.instrument(from: text, file: "example.yaml"))
    run.move(to: MusicalPosition(milliticks: 0), rhythmFrom: .init(0))
    run.player.act(force: 100, key: 60, at: MusicalPosition(milliticks: 0))
    run.advance(toTick: 96)
    #expect(!run.notes.isEmpty)
  }

  /// The page lists the names of all sounds with their programs, counted from 1.
  @Test func pageNamesAllSounds() {
    for program in UInt8(0)...127 {
      let row = "| \(ProgramNames.name(of: program)) | \(ProgramNames.standardName(of: program)) | \(program + 1) |"
      #expect(Self.page.contains("\n\(row)\n"), "\(row)")
    }
  }

  @Test func pageNamesAllScales() {
    for type in ScaleType.allCases { #expect(Self.page.contains(" \(type.rawValue)")) }
  }

  /// The page lists the grids with their distances in ticks, and the standard tolerance, 40 % of the distance, in milliseconds at
  /// 120 beats per minute.
  @Test func pageListsAllGrids() {
    for grid in NoteValue.grids {
      // A tick lasts 125/6 ms at 120 beats per minute.
      let tolerance = (Double(grid.ticks) * 0.4 * 125 / 6).rounded()
      #expect(Self.page.contains("| `\(grid.name)` | \(grid.ticks) | \(Int(tolerance)) ms |"))
    }
  }

  /// The page lists the controls with their first values.
  @Test func pageListsAllControls() {
    let controls = PlayerControls()
    for source in ControlSource.names.map(\.source) + [.controller(16)] {
      let row = Self.page.components(separatedBy: "\n").first { $0.hasPrefix("| `\(source.name)` |") }
      #expect(row?.hasSuffix("| \(controls.value(of: source)) |") == true, "\(source.name)")
    }
  }
}
