import Foundation
import _TestSupport

/// Packages from PyPI in a folder of their own beside the test bundle.
struct PythonPackages {
  /// pymidi 0.5.0, a third-party RTP-MIDI implementation (https://pypi.org/project/pymidi/0.5.0/), and its requirements.
  static let pymidi = PythonPackages(
    installing: ["pymidi==0.5.0", "construct==2.10.70", "future==1.0.0", "six==1.17.0"], as: "pymidi-0.5.0")
  /// mido 1.3.3, a third-party reader and writer of Standard MIDI Files (https://pypi.org/project/mido/1.3.3/), and its
  /// requirement.
  static let mido = PythonPackages(installing: ["mido==1.3.3", "packaging==24.2"], as: "mido-1.3.3")
  /// music21 10.5 without its requirements: its scores are read, and no module is imported.
  static let music21 = PythonPackages(installing: ["--no-deps", "music21==10.5.0"], as: "music21-10.5.0")
  /// The source distribution of mido 1.3.3, which contains its tests.
  static let midoSource = PythonPackages(downloading: "mido", version: "1.3.3")

  /// The name of the folder.
  private let name: String
  /// The arguments of pip, without the path of the folder, which follows the last of them.
  private let arguments: [String]

  /// Packages that Python can import from the folder.
  private init(installing requirements: [String], as name: String) {
    self.name = name
    arguments = ["install"] + requirements + ["--target"]
  }

  /// The source distribution of a package as an archive.
  private init(downloading package: String, version: String) {
    name = "\(package)-\(version)-source"
    arguments = ["download", "--no-deps", "--no-binary", package, "\(package)==\(version)", "--dest"]
  }

  /// The path of the folder. It is filled from PyPI if it is missing.
  ///
  /// - Throws: ``Unavailable`` if pip or PyPI is missing.
  func folder(python: String, in temporary: TemporaryFolder) async throws -> String {
    let place = Program.buildFolder.appendingPathComponent("interoperability/\(name)")
    if FileManager.default.fileExists(atPath: place.path) { return place.path }
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    // pip fills a folder beside the final folder. This folder is then renamed, so the final folder is either complete or missing.
    let fresh = place.path + ".\(ProcessInfo.processInfo.processIdentifier)"
    defer { try? FileManager.default.removeItem(atPath: fresh) }
    let options = ["--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "15"]
    let pip = try Child(python, ["-m", "pip"] + options + arguments + [fresh], name: "pip", in: temporary)
    guard try await pip.status() == 0 else {
      throw Unavailable("\(name): pip cannot install it (\(pip.lastError)); install python3-pip, or go online")
    }
    do {
      try FileManager.default.moveItem(atPath: fresh, toPath: place.path)
    } catch {
      // Another test process may have filled the folder first.
      guard FileManager.default.fileExists(atPath: place.path) else { throw error }
    }
    return place.path
  }
}
