import Foundation

/// A folder of a test's own, gone with it.
final class TemporaryFolder {
  private let url = FileManager.default.temporaryDirectory.appendingPathComponent(
    "tutti-interoperability-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}
