import Foundation

/// Writes a peer's trace to a file, for a control thread.
///
/// Lines gather in memory and go to the file when there are 64 KiB of them, at ``flush()`` and at ``finish(_:)``: a
/// caller that flushes once a second loses at most a second when it is killed. A trace that could not be written stays
/// so: the first error is thrown, then everything is dropped in silence, for the music goes on.
public final class TraceWriter {
  private let path: String
  private let file: FileHandle
  private var bytes: [UInt8] = []
  private var isClosed = false

  private static let gathered = 1 << 16

  /// Makes the file at `path`, in place of any there was, and writes the header.
  ///
  /// - Throws: ``TraceError`` when the file cannot be made or written.
  ///
  /// Real-time: not safe.
  public init(path: String, header: TraceHeader) throws(TraceError) {
    self.path = path
    do {
      try Data().write(to: URL(fileURLWithPath: path))
      file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    } catch {
      throw TraceError(
        file: path, line: nil, reason: "cannot be written (\(error.reason))",
        remedy: Self.remedy)
    }
    try append(json: header)
    // The format's version comes first, so that people and programs know the file by its first bytes.
    bytes.replaceSubrange(0..<1, with: "{\"tutti_trace\":\(Trace.formatVersion),".utf8)
    try flush()
  }

  /// Whether a trace could be written to `path`. An older file there is left as it is, and none is left behind.
  ///
  /// - Throws: ``TraceError`` when it could not.
  ///
  /// Real-time: not safe.
  public static func check(path: String) throws(TraceError) {
    let isNew = access(path, F_OK) != 0
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      throw TraceError(
        file: path, line: nil, reason: "cannot be written (\(String(cString: strerror(errno))))", remedy: remedy)
    }
    close(descriptor)
    if isNew { unlink(path) }
  }

  private static let remedy = "give --trace a file in a folder of yours"

  /// Writes `tick`.
  ///
  /// - Throws: ``TraceError``, once, when the file cannot be written.
  ///
  /// Real-time: not safe.
  public func append(_ tick: TraceTick) throws(TraceError) {
    guard !isClosed else { return }
    tick.append(to: &bytes)
    if bytes.count >= Self.gathered { try flush() }
  }

  /// Hands what has gathered to the system.
  ///
  /// - Throws: ``TraceError``, once, when the file cannot be written.
  ///
  /// Real-time: not safe.
  public func flush() throws(TraceError) {
    guard !isClosed, !bytes.isEmpty else { return }
    do { try file.write(contentsOf: Data(bytes)) } catch {
      isClosed = true
      bytes = []
      throw TraceError(
        file: path, line: nil, reason: "cannot be written (\(error.reason)), the trace ends here",
        remedy: "make room on the disk")
    }
    bytes.removeAll(keepingCapacity: true)
  }

  /// Writes the summary and closes the file; nothing can be written after.
  ///
  /// - Throws: ``TraceError``, once, when the file cannot be written.
  ///
  /// Real-time: not safe.
  public func finish(_ summary: TraceSummary) throws(TraceError) {
    guard !isClosed else { return }
    try append(json: ["summary": summary])
    try flush()
    isClosed = true
    try? file.close()
  }

  private func append(json value: some Encodable) throws(TraceError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do { bytes.append(contentsOf: try encoder.encode(value)) } catch {
      throw TraceError(file: path, line: nil, reason: error.reason, remedy: "report this as a defect")
    }
    bytes.append(UInt8(ascii: "\n"))
  }
}
