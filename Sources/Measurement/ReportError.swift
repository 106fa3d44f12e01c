import MusicalTime

/// The reason why an input cannot be measured or compared, or why an option is invalid. `tutti` prints it in one line.
///
/// Real-time: not safe.
public struct ReportError: Error, Hashable, CustomStringConvertible {
  /// The thing that is wrong: for example the name of a trace or a recording, an option with its value, or "comparison".
  public let subject: String
  /// The reason.
  public let reason: String
  /// The remedy.
  public let remedy: String

  /// Creates an error.
  ///
  /// Real-time: not safe.
  public init(subject: String, reason: String, remedy: String) {
    (self.subject, self.reason, self.remedy) = (subject, reason, remedy)
  }

  /// The error in one line: `subject: reason; remedy`.
  public var description: String { "\(subject): \(reason); \(remedy)" }

  /// Checks the arguments of a comparison of several traces or recordings.
  ///
  /// - Parameters:
  ///   - clockOffsets: one clock offset for each trace or recording (`--clock-ahead`), or an empty array.
  ///   - names: the names of the traces or recordings.
  ///   - kind: "trace" or "recording", for errors.
  /// - Returns: `clockOffsets`, or zeros if it is empty.
  /// - Throws: ``ReportError`` if there are fewer than two names, if the numbers of offsets and names differ, or if an offset is more than
  ///   73 years.
  static func checkedClockOffsets(
    _ clockOffsets: [Nanoseconds], of names: [String], kind: String
  ) throws(ReportError) -> [Nanoseconds] {
    guard names.count >= 2 else {
      throw ReportError(
        subject: "comparison", reason: "\(names.count) \(kind)\(names.count == 1 ? "" : "s") to compare",
        remedy: "give at least two, the reference first")
    }
    guard !clockOffsets.isEmpty else { return names.map { _ in .zero } }
    guard clockOffsets.count == names.count else {
      throw ReportError(
        subject: "--clock-ahead",
        reason: "\(clockOffsets.count) value\(clockOffsets.count == 1 ? "" : "s") for \(names.count) \(kind)s",
        remedy: "give one value for each \(kind), in the same order")
    }
    // The limit is 73 years. The remedy names a smaller, round number of seconds.
    for (name, offset) in zip(names, clockOffsets) where offset.count.magnitude > TraceTick.limit.magnitude {
      throw ReportError(
        subject: name, reason: "its --clock-ahead is out of range",
        remedy: "give a value between -2000000000 and 2000000000 seconds (63 years)")
    }
    return clockOffsets
  }
}

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

  /// Creates the error for a file that cannot be read, because of `error`.
  ///
  /// Real-time: not safe.
  package init(
    _ file: String, unreadable error: any Error, remedy: String = "check the path and its permissions"
  ) {
    self.init(file: file, line: nil, reason: "cannot be read (\(error.reason))", remedy: remedy)
  }

  /// The error in one line.
  public var description: String { "\(file)\(line.map { ":\($0)" } ?? ""): \(reason); \(remedy)" }
}
