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
struct Fault: Error {
  /// For example "No space left on device".
  let reason: String
  /// Whether there is no file at the path.
  var isMissing = false

  /// The failure of the system call that has just returned.
  static func ofLastCall() -> Fault { Fault(reason: String(cString: strerror(errno))) }
}
