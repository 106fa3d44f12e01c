import Engine
import Foundation
import Measurement
import Rhythm
import Text

extension PatchKind {
  /// The name of the folder with the patches of this kind.
  var folder: String { "\(rawValue)s" }
}

/// Finds patches (rhythms and instruments) by path, or by name: first in the patch folders of the program, then among the player's own
/// files.
///
/// The player's own files are in `~/.config/tutti/patches` (or below `$XDG_CONFIG_HOME`, XDG Base Directory Specification) and in the folder
/// where the program was started. These two folders contain rhythms and instruments side by side. The folder where the program was
/// started can contain any other YAML files too, so a file counts only if it looks like a patch.
enum PatchLibrary {
  /// The name of the default patch.
  static let standard = "street"

  /// The remedy if there are no patches.
  static let folderRemedy =
    "set the environment variable TUTTI_PATCHES to the folder that contains the folders rhythms and instruments"

  /// The existing folders of the program with patches of a kind, in search order. They are named `rhythms` or `instruments`.
  static func folders(of kind: PatchKind) -> [String] { folders(named: kind.folder) }

  /// The folder for the player's own patches.
  static var ownFolder: String {
    let configuration = environmentVariable("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    return (configuration ?? NSHomeDirectory() + "/.config") + "/tutti/patches"
  }

  /// The folders that contain the player's own patches of all kinds, in search order.
  private static var ownFolders: [String] { [ownFolder, FileManager.default.currentDirectoryPath] }

  /// The sorted names of the patches of a kind in one of ``ownFolders``.
  private static func ownNames(of kind: PatchKind, in folder: String) -> [String] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.filter { $0.hasSuffix(".yaml") && isPatch("\(folder)/\($0)", kind) }.map { String($0.dropLast(5)) }
      .sorted()
  }

  /// Whether a file looks like a patch of this kind: it has the members that each patch must have.
  private static func isPatch(_ path: String, _ kind: PatchKind) -> Bool {
    guard let text = try? text(of: path), PatchFile.kind(of: text) == kind else { return false }
    let required = kind == .rhythm ? ["name:", "play:"] : ["name:"]
    let lines = text.split(separator: "\n")
    return required.allSatisfy { member in lines.contains { $0.hasPrefix(member) } }
  }

  /// The existing folders with this name, in search order.
  static func folders(named name: String) -> [String] {
    parentFolders.map { "\($0)/\(name)" }.filter { FileManager.default.fileExists(atPath: $0) }
  }

  /// The folders in which the folders of the program can be, in search order: first $TUTTI_PATCHES, then ``programFolders``.
  private static var parentFolders: [String] {
    let named = environmentVariable("TUTTI_PATCHES").flatMap { $0.isEmpty ? nil : [$0] } ?? []
    return named + programFolders
  }

  /// `Patches` (a checkout) and `share/tutti/Patches` (an installation) in the folder of the program and in each folder above it.
  private static let programFolders: [String] = {
    var folders: [String] = []
    var folder = URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0]).resolvingSymlinksInPath()
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      folders.append(folder.appendingPathComponent("Patches").path)
      folders.append(folder.appendingPathComponent("share/tutti/Patches").path)
    }
    return folders
  }()

  /// The names of all patches of a kind, each once: those of the program, sorted, and then the player's own ones.
  static func names(of kind: PatchKind) -> [String] {
    let files = folders(of: kind).flatMap { (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? [] }
    var names = Set(files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }).sorted()
    var known = Set(names)
    for name in ownFolders.flatMap({ ownNames(of: kind, in: $0) }) where known.insert(name).inserted {
      names.append(name)
    }
    return names
  }

  /// The name, without a suffix, of a file that a command writes for the patch `name` if the user gives no name. It is the name that the user
  /// has typed, not the one inside of the file: `rhythms/my-rhythm.yaml` gives `my-rhythm`.
  static func outputName(of name: String) -> String {
    let file = name.split(separator: "/").last ?? "patch"
    return String(file.hasSuffix(".yaml") ? file.dropLast(5) : file)
  }

  /// Loads the rhythm called `name`, or the rhythm in the file `name`.
  ///
  /// - Throws: ``CommandError``, also if the patch is an instrument, or `PatchError` if the file cannot be parsed.
  static func rhythm(_ name: String) throws -> Patch {
    guard case .rhythm(let patch) = try load(name, of: .rhythm) else { throw isNot(.rhythm, name) }
    return patch
  }

  /// Loads the instrument called `name`, or the instrument in the file `name`.
  ///
  /// - Throws: ``CommandError``, also if the patch is a rhythm, or `PatchError` if the file cannot be parsed.
  static func instrument(_ name: String) throws -> Instrument {
    guard case .instrument(let instrument) = try load(name, of: .instrument) else { throw isNot(.instrument, name) }
    return instrument
  }

  /// Loads the rhythm or the instrument called `name`, or the one in the file `name`.
  ///
  /// - Throws: ``CommandError``, or `PatchError` if the file cannot be parsed.
  static func load(_ name: String) throws -> PatchFile {
    let path = try self.path(of: name, [.rhythm, .instrument])
    return try PatchFile(from: text(of: path), file: path)
  }

  /// Loads the patch of this kind called `name`, or the file `name`, which can be of the other kind too.
  ///
  /// - Throws: ``CommandError``, or `PatchError` if a file of this kind cannot be parsed.
  private static func load(_ name: String, of kind: PatchKind) throws -> PatchFile {
    let path = try self.path(of: name, [kind])
    let text = try self.text(of: path)
    do { return try PatchFile(from: text, file: path) } catch {
      // In a file of the other kind, the kind is the first thing to correct.
      throw PatchFile.kind(of: text) == kind ? error : isNot(kind, name)
    }
  }

  /// Reads the file at `path`.
  private static func text(of path: String) throws -> String {
    do {
      // The parser reports a text that is too long.
      return String(decoding: try Data(contentsOf: path, limit: PatchLoader.maximumBytes + 1), as: UTF8.self)
    } catch {
      throw CommandError("patch \(path): cannot be read (\(error.reason)); check the file and its permissions")
    }
  }

  /// The error for a patch that is not of the given kind.
  private static func isNot(_ kind: PatchKind, _ name: String) -> CommandError {
    let kinds = kind == .instrument ? "a rhythm, not an instrument" : "an instrument, not a rhythm"
    return CommandError("patch \(name): is \(kinds); \(remedy([kind]))")
  }

  /// The remedy for a name that is not found, or that names a patch of another kind.
  private static func remedy(_ kinds: [PatchKind]) -> String {
    let known = kinds.flatMap { names(of: $0) }
    return known.isEmpty ? folderRemedy : "give a file, or one of: " + known.joined(separator: ", ")
  }

  /// The remedy for a name that is not found: the names that are spelt like it, if there are any.
  private static func remedy(_ kinds: [PatchKind], for name: String) -> String {
    let suggestion = kinds.flatMap { names(of: $0) }.suggestion(for: name)
    return suggestion.map { "\($0) `tutti patch list` lists all names" } ?? remedy(kinds)
  }

  /// The path of a new rhythm called `name`, in the folder of the player's own patches, which is created.
  ///
  /// - Throws: ``CommandError`` if the folder cannot be created, if the name contains / or begins with a full stop, or if a rhythm of the
  ///   program has this name.
  static func newPath(of name: String) throws -> String {
    guard !name.contains("/"), !name.hasPrefix(".") else {
      throw CommandError("patch \(name): its name contains / or begins with a full stop; give another name")
    }
    if folders(of: .rhythm).contains(where: { FileManager.default.fileExists(atPath: "\($0)/\(name).yaml") }) {
      throw CommandError("patch \(name): is a rhythm of Tutti, which would hide yours; give another name")
    }
    do { try FileManager.default.createDirectory(atPath: ownFolder, withIntermediateDirectories: true) } catch {
      throw CommandError("folder \(ownFolder): cannot be created (\(error.reason)); check its permissions")
    }
    return "\(ownFolder)/\(name).yaml"
  }

  /// Writes `data` to a file. An existing file is replaced only when the new one is complete.
  ///
  /// - Throws: ``CommandError`` if the file cannot be written.
  static func write(_ data: Data, to path: String) throws {
    try OutputFile(path).write(data)
  }

  /// Returns the path of the patch called `name`. Searches the folders of the given kinds, in this order. A name with a slash or the
  /// suffix `.yaml` is itself a path.
  ///
  /// - Throws: ``CommandError``.
  static func path(of name: String, _ kinds: [PatchKind]) throws -> String {
    if name.contains("/") || name.hasSuffix(".yaml") {
      guard FileManager.default.fileExists(atPath: name) else {
        throw CommandError("patch \(name): no such file; check the path or give a name from `tutti patch list`")
      }
      return name
    }
    let parents = parentFolders
    for kind in kinds {
      for parent in parents {
        let path = "\(parent)/\(kind.folder)/\(name).yaml"
        if FileManager.default.fileExists(atPath: path) { return path }
      }
    }
    for folder in ownFolders {
      let path = "\(folder)/\(name).yaml"
      if kinds.contains(where: { isPatch(path, $0) }) { return path }
    }
    for other in [PatchKind.rhythm, .instrument] where !kinds.contains(other) && names(of: other).contains(name) {
      throw isNot(kinds[0], name)
    }
    throw CommandError("patch \(name): not found; \(remedy(kinds, for: name))")
  }
}
