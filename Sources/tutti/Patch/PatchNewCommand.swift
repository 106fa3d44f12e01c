import ArgumentParser
import Foundation

/// The subcommand `tutti patch new`.
struct PatchNewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Write a commented template of a patch.",
    discussion: """
      The template is a complete rhythm, or with --instrument a complete instrument. It is written to NAME.yaml in the \
      current folder. The command fails if the file exists.

      EXAMPLES
        tutti patch new my-rhythm
        tutti patch new my-harp --instrument
      """)

  @Argument(help: "The name of the new patch.")
  var name: String

  @Flag(help: "Write an instrument instead of a rhythm.")
  var instrument = false

  func validate() throws {
    guard (1...40).contains(name.count), name.allSatisfy({ $0.isLetter || $0.isNumber || "-_ ".contains($0) }) else {
      throw ValidationError("\(name): not a name; give 1 to 40 letters, digits, spaces, - or _")
    }
  }

  func run() throws {
    let path = "\(name).yaml"
    guard !FileManager.default.fileExists(atPath: path) else {
      throw CommandError("patch \(path): already exists; give another name or remove the file")
    }
    let template = instrument ? PackageResources.instrument_yaml : PackageResources.rhythm_yaml
    let text = String(decoding: template, as: UTF8.self).replacing("NAME", with: name)
    try OutputFile(path, remedy: "change to a writable folder").write(text.utf8)
    let argument = path.contains(" ") ? "'\(path)'" : path
    if instrument {
      print("\(path): edit it, and render it with: tutti patch render \(argument) --ramp")
    } else {
      print("\(path): edit it, and play it with: tutti peer --patch \(argument) --start")
      print("When you save it, the new version plays from the next bar.")
    }
  }
}
