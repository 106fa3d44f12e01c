import Foundation
import Rhythm

/// The instruments in `Patches/instruments` of the source tree in which these tests were built.
enum ShippedInstruments {
  static let names = (try? filesInFolder().sorted()) ?? []

  private static var folder: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Patches/instruments")
  }

  /// The names of the files in the folder, without `.yaml`.
  static func filesInFolder() throws -> [String] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "yaml" }.map { $0.deletingPathExtension().lastPathComponent }
  }

  static func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(name + ".yaml"), encoding: .utf8)
  }

  static func instrument(_ name: String) throws -> Instrument {
    try InstrumentLoader.instrument(from: text(name), file: name + ".yaml")
  }
}
