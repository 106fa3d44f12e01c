import Foundation

/// The MIDI recording that the peer made before a crash, or before the peer got a new identity.
enum PreviousRecording {
  /// Renames the file at `path` to an unused name, so that a new recording does not replace it: take.mid becomes take-1.mid. Does
  /// nothing if there is no file or if it cannot be renamed.
  ///
  /// - Returns: the new path; nil if nothing was renamed.
  static func keep(_ path: String) -> String? {
    let url = URL(fileURLWithPath: path)
    let (base, suffix) = (url.deletingPathExtension().path, url.pathExtension.isEmpty ? "" : "." + url.pathExtension)
    guard FileManager.default.fileExists(atPath: path),
      let kept = (1...999).lazy.map({ "\(base)-\($0)\(suffix)" }).first(where: {
        !FileManager.default.fileExists(atPath: $0)
      }),
      (try? FileManager.default.moveItem(atPath: path, toPath: kept)) != nil
    else { return nil }
    return kept
  }
}
