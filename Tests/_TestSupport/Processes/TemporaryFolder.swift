import Foundation

/// A new empty folder. It is deleted with its contents when the object is released.
public final class TemporaryFolder: Sendable {
  public let url = FileManager.default.temporaryDirectory.appendingPathComponent(
    "tutti-test-\(UUID().uuidString)")

  public init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The path of the file `name` in the folder.
  public func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// The names of the files in the folder.
  public var contents: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? [] }
}
