/// Where figures come from: the program, the input and the system on which the input was recorded.
public struct Provenance: Hashable, Sendable, Encodable {
  /// The version of the program that calculated the figures.
  public var version: String
  /// The command line of that program.
  public var command: String
  /// The path of the input.
  public var file: String
  /// The SHA-256 digest of the input, 64 hexadecimal digits.
  public var sha256: String
  /// The header of the input, if the input is a trace: version, kernel, processor, scheduling, memory lock and clock at
  /// the recording. Nil for other inputs, which do not contain such data.
  public var recording: TraceHeader?

  /// Creates a provenance.
  ///
  /// Real-time: not safe.
  public init(version: String, command: String, file: String, sha256: String, recording: TraceHeader? = nil) {
    (self.version, self.command, self.file, self.sha256) = (version, command, file, sha256)
    self.recording = recording
  }

  /// The provenance as lines of a name and a value.
  var lines: [String] {
    var lines = ["version: \(version)", "command: \(command)", "input: \(file)", "sha256: \(sha256)"]
    if let recording {
      lines += [
        "recorded by: tutti \(recording.version), peer \(recording.name)", "recording command: \(recording.command)",
        "kernel: \(recording.kernel)", "processor: \(recording.processor)", "scheduler: \(recording.scheduler)",
        "memory locked: \(recording.memoryLocked ? "yes" : "no")", "clock: \(recording.clock)",
      ]
    }
    return lines.map { String($0.map { $0.isNewline ? " " : $0 }) }
  }
}
