import ArgumentParser
import Foundation
import Rhythm

/// The subcommand `tutti patch list`.
struct PatchListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the installed rhythms and instruments.",
    discussion: """
      A style is a rhythm with pitched parts. Its parts are printed after its description.

      EXAMPLE
        tutti patch list --json
      """)

  @Flag(help: "Print JSON instead of text.")
  var json = false

  func run() throws {
    let kinds: [PatchKind] = [.rhythm, .instrument]
    let names = kinds.flatMap { PatchLibrary.names(of: $0) }
    guard !names.isEmpty else {
      throw CommandError("patches: none found; \(PatchLibrary.folderRemedy)")
    }
    let patches = try names.map { (name: $0, file: try PatchLibrary.load($0)) }
    if json { return try printJSON(patches.map { PatchSummary(name: $0.name, file: $0.file) }) }
    let width = names.map(\.count).max() ?? 0
    for patch in patches {
      let name = patch.name.padding(toLength: width, withPad: " ", startingAt: 0)
      let line = "\(name)  \(Self.properties(of: patch.file))"
      // A patch without a description has nothing in the last column. Foundation takes long to trim, so it trims only where it must.
      let ends = [line.utf8.first, line.utf8.last].compactMap(\.self)
      print(ends.allSatisfy { (0x21...0x7E).contains($0) } ? line : line.trimmingCharacters(in: .whitespaces))
    }
  }

  /// The text after the name. First, in 14 columns, the meter and the tempo of a rhythm or the sound of an instrument. Then the
  /// description.
  private static func properties(of file: PatchFile) -> String {
    switch file {
    case .rhythm(let patch):
      let meter = "\(patch.meter.beats)/\(patch.meter.unit)".padding(toLength: 5, withPad: " ", startingAt: 0)
      let parts = patch.parts.map(\.part.name).joined(separator: ", ")
      return "\(meter)\(String(format: "%5.1f BPM", patch.tempo.bpm))  \(patch.description)"
        + (parts.isEmpty ? "" : " Style: \(parts).")
    case .instrument(let instrument):
      let sound = instrument.sound
      let padding = String(repeating: " ", count: max(0, 14 - sound.count))
      return "\(sound)\(padding)  \(instrument.description)"
    }
  }
}
