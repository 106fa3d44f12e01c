import Foundation

extension Data {
  /// Reads at most the first `limit` octets of the file at `path`. A file such as /dev/zero has no end, so a limit is necessary for each
  /// file that the user names.
  ///
  /// Real-time: not safe.
  ///
  /// - Throws: an error of Foundation if the file cannot be read.
  package init(contentsOf path: String, limit: Int) throws {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    defer { try? file.close() }
    self = try file.read(upToCount: limit) ?? Data()
  }
}
