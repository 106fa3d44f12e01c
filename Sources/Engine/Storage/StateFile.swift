import Glibc

/// An open regular file of this user in the state folder. Symbolic links and files of other users are refused. Without these checks, in a
/// folder that every user can write to, another user could create a link that makes the peer overwrite a file of this user, or a file whose
/// contents the peer uses.
final class StateFile: Sendable {
  let descriptor: Int32

  /// Opens the file at `path`.
  ///
  /// - Parameter flags: the flags of open(2). A file that O_CREAT creates can be read by this user only.
  /// - Throws: ``Fault``. Its reason begins with the path.
  init(_ path: String, _ flags: Int32) throws(Fault) {
    // O_NONBLOCK, because a named pipe at this path must not block the program.
    descriptor = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let code = errno
      let reason = code == ELOOP ? "is a symbolic link" : String(cString: strerror(code))
      throw Fault(reason: "\(path): \(reason)", isMissing: code == ENOENT)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Fault(reason: "\(path): is not a regular file")
    }
    guard status.st_uid == geteuid() else { throw Fault(reason: "\(path): belongs to another user") }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}
