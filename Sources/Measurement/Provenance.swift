/// The origin of the figures of a report: the program, its inputs, and the systems on which the inputs were recorded. Each report contains
/// a provenance.
///
/// Real-time: not safe.
public struct Provenance: Hashable, Sendable, Codable {
  /// The version of the JSON schema of all reports. It increases when a key is removed or changes its meaning.
  public static let schema = 1

  /// An input of a measurement: a file, a device or a peer.
  public struct Input: Hashable, Sendable, Codable {
    /// The path of the file, or the name of the source.
    public var file: String
    /// The SHA-256 digest of the file, 64 hexadecimal digits; nil for a source that is not a file.
    public var sha256: String?
    /// The header of a trace: the version, kernel, processor, scheduling, memory lock and clock with which the trace was
    /// recorded. Nil for other inputs, which do not contain such data.
    public var recording: TraceHeader?

    /// Creates an input.
    ///
    /// Real-time: not safe.
    public init(file: String, sha256: String?, recording: TraceHeader? = nil) {
      (self.file, self.sha256, self.recording) = (file, sha256, recording)
    }
  }

  /// The version of the JSON schema of this report (``schema-swift.type.property``).
  public var schema = Provenance.schema
  /// The version of the program that calculated the figures, with the commit from which it was built.
  public var version: String
  /// The command line of the program.
  public var command: String
  /// The inputs, in the order of the command line.
  public var inputs: [Input]
  /// The clocks of the machine during the measurement; nil if the inputs are files.
  public var systemClock: SystemClock?

  private enum CodingKeys: String, CodingKey {
    case schema, version, command, inputs
    case systemClock = "system_clock"
  }

  /// Creates a provenance.
  ///
  /// Real-time: not safe.
  public init(version: String, command: String, inputs: [Input], systemClock: SystemClock? = nil) {
    (self.version, self.command, self.inputs, self.systemClock) = (version, command, inputs, systemClock)
  }

  /// The provenance as text. Each line has the form `name: value`.
  public var lines: [String] {
    var lines = ["version: \(version)", "command: \(command)"]
    for input in inputs {
      lines.append("input: \(input.file)")
      if let sha256 = input.sha256 { lines.append("sha256: \(sha256)") }
      guard let recording = input.recording else { continue }
      lines += [
        "recorded by: tutti \(recording.version), peer \(recording.name)", "recording command: \(recording.command)",
        "kernel: \(recording.kernel)", "processor: \(recording.processor)", "scheduler: \(recording.scheduler)",
        "memory locked: \(recording.memoryLocked ? "yes" : "no")", "clock: \(recording.clock)",
      ]
      if let ntp = recording.ntp { lines.append("NTP at the start: \(ntp.text)") }
    }
    if let systemClock { lines += systemClock.lines }
    return lines.map { String($0.map { $0.isNewline ? " " : $0 }) }
  }

  /// The inputs and the version of the program in one line, for the title of a plot.
  var title: String {
    let names = inputs.map { input in
      input.file + (input.sha256.map { ", SHA-256 \($0.prefix(12))" } ?? "")
    }
    return (names + ["tutti \(version)"]).joined(separator: "; ")
  }
}
