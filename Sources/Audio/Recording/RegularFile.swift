import Glibc

/// Opens `path`, which must be a regular file. The function rejects a device or a pipe, because it could block the caller, and
/// because a recording that fails to start would remove it.
///
/// - Parameter remedy: The remedy in the error message.
/// - Returns: the descriptor, which the caller closes.
/// - Throws: ``AudioFileError`` with the reason and `remedy`.
func openRegularFile(_ path: String, flags: Int32, remedy: String) throws(AudioFileError) -> Int32 {
  guard !path.utf8.contains(0) else {
    throw AudioFileError(.unavailable, path: path, reason: "the name contains a zero byte", remedy: remedy)
  }
  // With O_NONBLOCK, opening a pipe or a device does not block either.
  let descriptor = open(path, flags | O_NONBLOCK | O_CLOEXEC, 0o644)
  guard descriptor >= 0 else {
    throw AudioFileError(.unavailable, path: path, reason: String(cString: strerror(errno)), remedy: remedy)
  }
  var status = stat()
  guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
    close(descriptor)
    throw AudioFileError(.unavailable, path: path, reason: "not a regular file", remedy: remedy)
  }
  return descriptor
}
