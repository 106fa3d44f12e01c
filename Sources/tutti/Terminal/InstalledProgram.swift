import Engine
import Foundation

/// The programs that are installed on this machine. Tutti uses some of them, but needs none.
enum InstalledProgram {
  /// Finds the program `name` in the folders of PATH, and then in `folders`; nil if it is in none of them.
  static func find(_ name: String, alsoIn folders: [String] = []) -> URL? {
    let path = (environmentVariable("PATH") ?? "").split(separator: ":").map(String.init)
    let files = (path + folders).map { "\($0)/\(name)" }
    return files.first(where: FileManager.default.isExecutableFile(atPath:)).map { URL(fileURLWithPath: $0) }
  }
}
