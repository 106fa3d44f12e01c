/// The error for a trace, or another file of a measurement, that cannot be read or written.
///
/// Real-time: not safe.
public struct TraceError: Error, Hashable, CustomStringConvertible {
  /// The path of the file.
  public let file: String
  /// The number of the invalid line, counted from 1; nil if the error concerns the whole file.
  public let line: Int?
  /// The reason.
  public let reason: String
  /// The remedy.
  public let remedy: String

  /// Creates an error.
  ///
  /// Real-time: not safe.
  public init(file: String, line: Int?, reason: String, remedy: String) {
    (self.file, self.line, self.reason, self.remedy) = (file, line, reason, remedy)
  }

  /// The error in one line.
  public var description: String { "\(file)\(line.map { ":\($0)" } ?? ""): \(reason); \(remedy)" }
}
