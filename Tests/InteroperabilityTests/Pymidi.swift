import Foundation
import _TestSupport

/// pymidi 0.5.0, a third-party RTP-MIDI implementation (https://pypi.org/project/pymidi/0.5.0/), and its requirements.
enum Pymidi {
  private static let requirements = ["pymidi==0.5.0", "construct==2.10.70", "future==1.0.0", "six==1.17.0"]

  /// The folder that Python imports pymidi from. It is beside the test bundle and is filled from PyPI if it is missing.
  ///
  /// - Throws: ``Unavailable`` if pip or PyPI is missing.
  static func folder(python: String, in temporary: TemporaryFolder) async throws -> String {
    let place = Program.buildFolder.appendingPathComponent("interoperability/pymidi-0.5.0")
    if FileManager.default.fileExists(atPath: place.path) { return place.path }
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    // Installed beside the final folder and then moved, so that the final folder is complete or missing.
    let fresh = place.path + ".\(ProcessInfo.processInfo.processIdentifier)"
    defer { try? FileManager.default.removeItem(atPath: fresh) }
    let options = ["--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "15", "--target", fresh]
    let pip = try Child(
      python, ["-m", "pip", "install"] + options + requirements, name: "pip", in: temporary)
    guard try await pip.status(within: .seconds(180)) == 0 else {
      throw Unavailable("pymidi 0.5.0: pip cannot install it (\(pip.lastError)); install python3-pip, or go online")
    }
    do {
      try FileManager.default.moveItem(atPath: fresh, toPath: place.path)
    } catch {
      // Another test process may have installed pymidi first.
      guard FileManager.default.fileExists(atPath: place.path) else { throw error }
    }
    return place.path
  }
}
