import ArgumentParser
import Foundation

/// The subcommand `tutti patch list`.
struct PatchListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the installed patches.", discussion: "EXAMPLE\n  tutti patch list --json")

  @Flag(help: "Print JSON instead of text.")
  var json = false

  func run() throws {
    try reportingErrors {
      let names = PatchLibrary.names
      guard !names.isEmpty else {
        throw PatchLibrary.NotFound(description: "patches: none found; \(PatchLibrary.folderRemedy)")
      }
      let patches = try names.map { PatchSummary(named: $0, try PatchLibrary.load($0)) }
      if json { return try printJSON(patches) }
      let width = names.map(\.count).max() ?? 0
      for patch in patches {
        let name = patch.name.padding(toLength: width, withPad: " ", startingAt: 0)
        let meter = patch.meter.padding(toLength: 5, withPad: " ", startingAt: 0)
        print("\(name)  \(meter)\(String(format: "%5.1f BPM", patch.bpm))  \(patch.description)")
      }
    }
  }
}
