import Glibc

/// A file that is always replaced as a whole. The new contents are written to a second file beside it, PATH.partial, which is then
/// renamed. If the program is killed or the disk is full, the previous contents remain.
///
/// Real-time: not safe.
package struct ReplacedFile: Sendable {
  /// The path of the file. If the given path is a symbolic link, the path of its target, so that the link itself is kept.
  private let path: String
  /// The path of the second file.
  package var partialPath: String { path + ".partial" }

  /// Checks that the file can be written. If the file exists, it must be a writable regular file. The folder must permit the creation of a
  /// file. An existing file is not changed, and no new file is left.
  ///
  /// - Throws: ``Fault``.
  package init(_ path: String) throws(Fault) {
    guard !path.utf8.contains(0) else { throw Fault(reason: "the name contains a zero byte") }
    var resolved = path
    if let target = realpath(path, nil) {
      resolved = String(cString: target)
      free(target)
    }
    self.path = resolved
    var status = stat()
    if stat(resolved, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFREG else { throw Fault(reason: "not a regular file") }
      guard access(resolved, W_OK) == 0 else { throw .ofLastCall() }
    }
    close(try createPartial())
    unlink(partialPath)
  }

  /// Replaces the contents. The new contents are on the disk when the function returns.
  ///
  /// - Throws: ``Fault``. In this case, the previous contents remain, and no second file is left.
  package func write(_ bytes: [UInt8]) throws(Fault) {
    let descriptor = try createPartial()
    do throws(Fault) {
      defer { close(descriptor) }
      keepPermissions()
      var written = 0
      while written < bytes.count {
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + written, $0.count - written) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw .ofLastCall() }
        written += count
      }
      // Without fsync, a loss of power after the renaming could leave an empty or incomplete file at the path.
      guard fsync(descriptor) == 0 else { throw .ofLastCall() }
    } catch {
      discard()
      throw error
    }
    try commit()
  }

  /// Replaces the contents by the second file, which another part of the program has written and closed.
  ///
  /// - Throws: ``Fault``. In this case, the previous contents remain, and no second file is left.
  package func commit() throws(Fault) {
    keepPermissions()
    guard rename(partialPath, path) == 0 else {
      let failure = Fault.ofLastCall()
      discard()
      throw failure
    }
  }

  /// Removes the second file, if there is one.
  package func discard() { unlink(partialPath) }

  /// Gives the second file the permissions of an existing file.
  private func keepPermissions() {
    var status = stat()
    if stat(path, &status) == 0 { chmod(partialPath, status.st_mode & 0o777) }
  }

  /// Creates the second file. A second file that a killed program has left is removed first. A symbolic link at the path of the second file
  /// is not followed.
  private func createPartial() throws(Fault) -> Int32 {
    unlink(partialPath)
    let descriptor = open(partialPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .ofLastCall() }
    return descriptor
  }
}
