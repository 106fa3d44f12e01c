import Foundation

/// A folder of a test's own, gone with it.
public final class TemporaryFolder: Sendable {
  public let url = FileManager.default.temporaryDirectory.appendingPathComponent(
    "tutti-test-\(UUID().uuidString)")

  public init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: url) }

  public func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  public var contents: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? [] }
}
