/// A file that audio needs and that cannot be had: a SoundFont, a recording to write or to read.
public struct AudioFileError: Error, Equatable, CustomStringConvertible {
  public enum Kind: Sendable {
    /// The file is not there or not allowed.
    case unavailable
    /// The file is there and cannot be understood.
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
