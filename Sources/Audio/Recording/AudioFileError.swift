import CSndfile
import Glibc

/// An error while reading a SoundFont, or while reading or writing a recording.
public struct AudioFileError: Error, Equatable, CustomStringConvertible {
  /// The kind of error, which decides the exit status of the program.
  public enum Kind: Sendable {
    /// The file cannot be opened, or a recording cannot be written.
    case unavailable
    /// The file exists but its contents are invalid.
    case malformed
  }

  public let kind: Kind
  public let path: String
  public let reason: String
  public let remedy: String

  init(_ kind: Kind, path: String, reason: String, remedy: String) {
    (self.kind, self.path, self.reason, self.remedy) = (kind, path, reason, remedy)
  }

  public var description: String { "\(path): \(reason); \(remedy)" }
}

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

/// Returns the error text of libsndfile for `handle`, or, with nil, for the last failed attempt to open a file.
func sndfileError(_ handle: OpaquePointer?) -> String {
  let text = String(cString: sf_strerror(handle))
  return text.hasSuffix(".") ? String(text.dropLast()) : text
}
