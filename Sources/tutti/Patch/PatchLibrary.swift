import Foundation
import Rhythm

extension Patch {
  /// The name of the patch as the name of a file: `12/8 shuffle` becomes `12-8 shuffle`.
  var fileName: String { String(name.map { $0 == "/" ? "-" : $0 }.drop { $0 == "." }) }
}

/// Finds the patches of rhythms by path, or by name in the patch folders.
enum PatchLibrary {
  /// The name of the default patch.
  static let standard = "street"

  /// The remedy if there are no patches.
  static let folderRemedy = "set TUTTI_PATCHES to the folder that contains the folder rhythms"

  /// A missing patch: `thing: reason; remedy`.
  struct NotFound: Error, CustomStringConvertible {
    let description: String
  }

  /// The existing folders of rhythms, in search order: the folder `rhythms` in $TUTTI_PATCHES, then for each folder above the
  /// program `Patches/rhythms` (a checkout) and `share/tutti/Patches/rhythms` (an installation).
  static var folders: [String] {
    var folders: [String] = []
    if let named = ProcessInfo.processInfo.environment["TUTTI_PATCHES"], !named.isEmpty { folders.append(named) }
    var folder = URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0]).resolvingSymlinksInPath()
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      folders.append(folder.appendingPathComponent("Patches").path)
      folders.append(folder.appendingPathComponent("share/tutti/Patches").path)
    }
    return folders.map { "\($0)/rhythms" }.filter { FileManager.default.fileExists(atPath: $0) }
  }

  /// The sorted names of all patches in ``folders``.
  static var names: [String] {
    let files = folders.flatMap { (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? [] }
    return Set(files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }).sorted()
  }

  /// Loads the patch called `name`, or the patch in the file `name`.
  ///
  /// - Throws: ``NotFound``, or `PatchError` if the file cannot be parsed.
  static func load(_ name: String) throws -> Patch {
    let path = try path(of: name)
    guard let data = FileManager.default.contents(atPath: path) else {
      throw NotFound(description: "patch \(path): cannot be read; check the file's permissions")
    }
    return try PatchLoader.patch(from: String(decoding: data, as: UTF8.self), file: path)
  }

  /// The path of a new patch called `name`, in the first folder.
  ///
  /// - Throws: ``NotFound`` if there is no folder, or if the name is a path.
  static func newPath(of name: String) throws(NotFound) -> String {
    guard !name.contains("/"), !name.hasPrefix(".") else {
      throw NotFound(description: "patch \(name): is a path; give a name without / and without . at the beginning")
    }
    guard let folder = folders.first else {
      throw NotFound(description: "patch \(name): there is no folder for it; \(folderRemedy)")
    }
    return "\(folder)/\(name).yaml"
  }

  /// Writes `data` to a file. An existing file is replaced only when the new one is complete.
  ///
  /// - Throws: ``NotFound`` if the file cannot be written.
  static func write(_ data: Data, to path: String) throws {
    do { try data.write(to: URL(fileURLWithPath: path), options: .atomic) } catch {
      throw NotFound(description: "\(path): cannot be written; give --output a file in a writable folder")
    }
  }

  /// Returns the path of the patch called `name`. A name with a slash or the suffix `.yaml` is itself a path.
  ///
  /// - Throws: ``NotFound``.
  static func path(of name: String) throws -> String {
    if name.contains("/") || name.hasSuffix(".yaml") {
      guard FileManager.default.fileExists(atPath: name) else {
        throw NotFound(
          description: "patch \(name): no such file; check the path or give a name from `tutti patch list`")
      }
      return name
    }
    for folder in folders {
      let path = "\(folder)/\(name).yaml"
      if FileManager.default.fileExists(atPath: path) { return path }
    }
    let known = names.isEmpty ? folderRemedy : "give one of: " + names.joined(separator: ", ")
    throw NotFound(description: "patch \(name): not found; \(known)")
  }
}
