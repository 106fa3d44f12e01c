import ArgumentParser
import Foundation

/// The subcommand `tutti patch show`.
struct PatchShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the layers of a rhythm, or the properties of an instrument.",
    discussion: """
      Each layer of a rhythm is printed with the range of total activity in which it sounds. Each line is one drum, with one \
      character per step: . rest, o ghost note, x normal, X accent, f flam, F flam with accent. A line marked with ! \
      replaces the lines of the same drum above it. A percentage is the chance of each stroke.

      The parts of a style follow: bass, guitar and keys, each with its sound and its range. Each line is one tone of the \
      chords, and - continues a note.

      The figure of an instrument is printed with one character per unit of its grid: . rest; o ghost note, x normal and \
      X accent at the pitch; 2 to 9: a note that is 1 to 8 scale steps above the pitch.

      EXAMPLES
        tutti patch show bossa
        tutti patch show motown
        tutti patch show tilt-harp
      """)

  @Argument(help: "A name from `tutti patch list` or a file.")
  var name: String

  @Flag(help: "Print JSON instead of text.")
  var json = false

  func run() throws {
    try reportingErrors {
      let file = try PatchLibrary.load(name)
      if json { return try printJSON(PatchFileSummary(named: file.name, file)) }
      switch file {
      case .rhythm(let patch): print(PatchGrid(patch), terminator: "")
      case .instrument(let instrument): print(InstrumentSheet(instrument), terminator: "")
      }
    }
  }
}
