import Glibc

/// An error: something that a peer needs, such as a file or memory, is missing or cannot be used. The description is one line of the form
/// `thing: reason; remedy`.
public struct EngineError: Error, CustomStringConvertible {
  public let description: String
  /// Whether a file was read but is too large or contains an invalid line.
  public let isMalformed: Bool

  public init(_ description: String, isMalformed: Bool = false) {
    (self.description, self.isMalformed) = (description, isMalformed)
  }
}

/// The reason why a file, a folder or a text cannot be used. The function that catches the fault adds the thing and the remedy.
package struct Fault: Error {
  /// For example "No space left on device".
  package let reason: String
  /// Whether there is no file at the path.
  var isMissing = false
  /// Whether the disk, the quota of the user, or the permitted size of a file is used up.
  package var isFull = false

  /// The failure of the system call that has just returned.
  static func ofLastCall() -> Fault {
    let code = errno
    return Fault(reason: String(cString: strerror(code)), isFull: [ENOSPC, EDQUOT, EFBIG].contains(code))
  }
}
