import Foundation

/// The files of an earlier run at the paths to which a peer records: its WAV file, its MIDI file and its trace. The peer renames them, so
/// that no recording is lost: me.wav becomes me-1.wav, or me-2.wav if this name is in use.
struct EarlierFiles {
  /// What a file contains, as the player reads it.
  enum Content: String { case recording, trace }

  /// The renamed files, in the order of their paths.
  private(set) var renamed: [(path: String, newPath: String, content: Content)] = []

  /// Renames the files. Only regular files with contents are renamed: no device, no pipe and no empty file. A file that the user may not
  /// write stays where it is, so that the peer reports this file. Of a symbolic link, the target is renamed.
  ///
  /// - Parameters:
  ///   - paths: the paths with the option that names each of them.
  ///   - content: what the file at a path contains.
  /// - Throws: ``CommandError`` if a file cannot be renamed. All files then have their former names.
  init(_ files: [(path: String, content: Content, option: String)]) throws(CommandError) {
    for (path, content, option) in files {
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0, access(path, W_OK) == 0
      else { continue }
      let target = Self.target(of: path)
      let newPath = Self.unusedPath(beside: target)
      guard rename(target, newPath) == 0 else {
        let reason = String(cString: strerror(errno))
        restore()
        throw CommandError(
          "\(path): the earlier \(content.rawValue) cannot be renamed (\(reason)); give \(option) another file")
      }
      renamed.append((path, newPath, content))
    }
  }

  /// One line for each renamed file.
  var lines: [String] {
    renamed.map { "\($0.path): the earlier \($0.content.rawValue) is now \($0.newPath)" }
  }

  /// Gives the files their former names, because the peer did not start. A file that exists at the former path is kept.
  func restore() {
    for file in renamed {
      let target = Self.target(of: file.path)
      var status = stat()
      if lstat(target, &status) != 0 { rename(file.newPath, target) }
    }
  }

  /// The path to which a symbolic link leads, even if nothing is there; otherwise `path`, as the user has written it.
  private static func target(of path: String) -> String {
    var target = path
    // As many links as Linux follows (path_resolution(7)).
    for _ in 0..<40 {
      guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: target) else { break }
      target = next.hasPrefix("/") ? next : String(target[..<nameStart(of: target)]) + next
    }
    return target
  }

  /// The first name beside `path` that is not in use: the number stands before the suffix.
  private static func unusedPath(beside path: String) -> String {
    let name = path[nameStart(of: path)...]
    // A name that begins with its only dot, such as .take, has no suffix.
    let end = name.dropFirst().lastIndex(of: ".") ?? path.endIndex
    var (number, status) = (1, stat())
    func numbered() -> String { "\(path[..<end])-\(number)\(path[end...])" }
    while lstat(numbered(), &status) == 0 { number += 1 }
    return numbered()
  }

  /// Where the name of the file begins in `path`: after the last slash.
  private static func nameStart(of path: String) -> String.Index {
    path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
  }
}
