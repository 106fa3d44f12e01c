import Foundation

/// The programs a test starts.
public enum Program {
  /// The folder that holds the test bundle, and beside it what was built with it.
  public static let buildFolder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()

  /// The patches of the source tree these tests were built in.
  public static let patches = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Patches").path

  /// The `tutti` that was built with these tests.
  public static func tutti() throws -> String {
    let path = buildFolder.appendingPathComponent("tutti").path
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw Unavailable("\(path): not there; build it with `swift build --build-tests`")
    }
    return path
  }

  /// The program called `name` on the search path, or where the system's own are.
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
