import Foundation

/// The programs that tests start.
public enum Program {
  /// The build folder: it contains the test bundle and the programs that were built with it.
  public static let buildFolder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()

  /// The patch folder of the source tree from which these tests were built.
  public static let patches = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Patches").path

  /// The path of the `tutti` that was built with these tests.
  ///
  /// - Throws: ``Unavailable`` if it was not built.
  public static func tutti() throws -> String {
    let path = buildFolder.appendingPathComponent("tutti").path
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw Unavailable("\(path): not there; build it with `swift build --build-tests`")
    }
    return path
  }

  /// The path of the program `name`, from the search path or the system folders.
  ///
  /// - Throws: ``Unavailable`` with the Debian package to install.
  public static func find(_ name: String, package: String) throws -> String {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    let paths = (folders + ["/usr/sbin", "/sbin"]).map { "\($0)/\(name)" }
    guard let path = paths.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
      throw Unavailable("\(name): not on the search path; install the package \(package)")
    }
    return path
  }
}
