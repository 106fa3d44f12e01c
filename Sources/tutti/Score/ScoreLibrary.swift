import Engine
import Foundation
import ScoreFiles
import Scores
import Text

/// Finds scores by path, or by name in the score folders.
enum ScoreLibrary {
  /// The suffixes of files of scores, in search order.
  static let suffixes = ["musicxml", "mxl", "xml", "mid", "midi"]

  /// The sorted names of all scores in the score folders.
  static var names: [String] {
    let files = folders.flatMap { (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? [] }
    return Set(files.compactMap { file in suffix(of: file).map { String(file.dropLast($0.count + 1)) } }).sorted()
  }

  private static var folders: [String] { PatchLibrary.folders(named: "scores") }

  /// The suffix of the name of a file of a score; nil for other names.
  static func suffix(of file: String) -> String? {
    suffixes.first { file.lowercased().hasSuffix("." + $0) }
  }

  /// The score called `name`, or the score in the file `name`.
  ///
  /// - Throws: ``CommandError`` if it is not found or cannot be read, `ScoreFault` if it is refused.
  static func read(_ name: String) throws -> ScoreImport {
    let path = try path(of: name)
    return try ScoreImport(octets: octets(of: path), file: path)
  }

  /// The route of a score as written.
  ///
  /// - Parameter file: the name of the file, for the error.
  /// - Throws: `ScoreFault` if the route is too long.
  static func route(_ score: Score, file: String) throws(ScoreFault) -> Route {
    do throws(ScoreFault) {
      return try Route(score)
    } catch {
      var fault = error
      fault.file = file
      throw fault
    }
  }

  /// Writes a score as MusicXML to the file at `path`.
  ///
  /// - Throws: ``CommandError`` if the file would be too large to be read again, or cannot be written.
  static func writeMusicXML(_ score: Score, to path: String) throws {
    let octets = MusicXMLWriter.octets(score)
    guard octets.count <= ScoreImport.maximumFile else {
      throw CommandError(
        "\(path): would have \(octets.count) octets, more than a score may have; remove parts or bars", status: .badData
      )
    }
    try PatchLibrary.write(Data(octets), to: path)
  }

  /// The octets of the file at `path`, at most one more than a score may have.
  ///
  /// - Throws: ``CommandError``.
  static func octets(of path: String) throws(CommandError) -> [UInt8] {
    do { return Array(try Data(contentsOf: path, limit: ScoreImport.maximumFile + 1)) } catch {
      throw CommandError("score \(path): cannot be read (\(error.reason)); check the file and its permissions")
    }
  }

  /// The path of the score called `name`. A name with a slash or with the suffix of a score is itself a path.
  ///
  /// - Throws: ``CommandError``.
  static func path(of name: String) throws(CommandError) -> String {
    if name.contains("/") || suffix(of: name) != nil {
      guard FileManager.default.fileExists(atPath: name) else {
        throw CommandError("score \(name): no such file; check the path or give a name from `tutti score list`")
      }
      return name
    }
    for folder in folders {
      let paths = suffixes.map { "\(folder)/\(name).\($0)" }
      if let path = paths.first(where: { FileManager.default.fileExists(atPath: $0) }) { return path }
    }
    let known = names
    if let suggestion = known.suggestion(for: name) {
      throw CommandError("score \(name): not found; \(suggestion) `tutti score list` lists all names")
    }
    let remedy = known.isEmpty ? folderRemedy : "give a file, or one of: " + known.joined(separator: ", ")
    throw CommandError("score \(name): not found; \(remedy)")
  }

  /// The remedy if there are no scores.
  static let folderRemedy = "set the environment variable TUTTI_PATCHES to the folder that contains the folder scores"
}

/// The text of a number of things: `1 part`, `2 parts`.
func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
