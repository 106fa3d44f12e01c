/// A trace that cannot be read or written: the file, the line if one is at fault, the reason, the remedy.
public struct TraceError: Error, Hashable, CustomStringConvertible {
  public let file: String
  /// Counted from one; nil when the whole file is at fault.
  public let line: Int?
  public let reason: String
  public let remedy: String

  public var description: String { "\(file)\(line.map { ":\($0)" } ?? ""): \(reason); \(remedy)" }
}
