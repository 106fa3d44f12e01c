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
