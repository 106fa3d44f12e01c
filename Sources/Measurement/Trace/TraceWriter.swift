import Foundation

/// Writes the trace of a peer to a file. Not for real-time threads.
///
/// Lines are buffered in memory. The buffer is written to the file when it contains 64 KiB, and by ``flush()`` and
/// ``finish(_:)``. A caller that flushes once per second loses at most one second if the process is killed. A write error is
/// thrown once. All later lines are dropped without an error, so that the music can continue.
public final class TraceWriter {
  private let path: String
  private let file: FileHandle
  private var bytes: [UInt8] = []
  private var isClosed = false
  /// The error that ended the trace; nil if there was none.
  public private(set) var failure: TraceError?

  /// The size of the buffer in octets.
  private static let bufferSize = 1 << 16

  /// Creates or replaces the file at `path` and writes the header.
  ///
  /// - Throws: ``TraceError`` if the file cannot be created or written. In this case, no new file remains.
  ///
  /// Real-time: not safe.
  public init(path: String, header: TraceHeader) throws(TraceError) {
    self.path = path
    let isNew = access(path, F_OK) != 0
    file = try FileHandle(creating: path, remedy: Self.remedy)
    try append(json: header)
    // The version of the format becomes the first key of the header, so that users and programs recognise the file by its first
    // bytes.
    bytes.replaceSubrange(0..<1, with: "{\"tutti_trace\":\(Trace.formatVersion),".utf8)
    do throws(TraceError) { try flush() } catch {
      // A file without a header is no trace.
      if isNew { unlink(path) }
      throw error
    }
  }

  /// Checks whether a trace can be written to `path`. An existing file is not changed. A new file is removed again.
  ///
  /// - Throws: ``TraceError`` if the file cannot be written.
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

  private static let remedy = "give --trace a file in a writable folder"

  /// Writes `tick`. Does nothing after ``finish(_:)`` or an error.
  ///
  /// - Throws: ``TraceError``, once, if the file cannot be written.
  ///
  /// Real-time: not safe.
  public func append(_ tick: TraceTick) throws(TraceError) { try append(tick.line) }

  /// Writes `action`. Does nothing after ``finish(_:)`` or an error.
  ///
  /// - Throws: ``TraceError``, once, if the file cannot be written.
  ///
  /// Real-time: not safe.
  public func append(_ action: TraceAction) throws(TraceError) { try append(action.line) }

  /// Writes `hit`. Does nothing after ``finish(_:)`` or an error.
  ///
  /// - Throws: ``TraceError``, once, if the file cannot be written.
  ///
  /// Real-time: not safe.
  public func append(_ hit: TraceHit) throws(TraceError) { try append(hit.line) }

  /// Writes `energy`. Does nothing after ``finish(_:)`` or an error.
  ///
  /// - Throws: ``TraceError``, once, if the file cannot be written.
  ///
  /// Real-time: not safe.
  public func append(_ energy: TraceEnergy) throws(TraceError) { try append(energy.line) }

  /// Writes `motion`. Does nothing after ``finish(_:)`` or an error.
  ///
  /// - Throws: ``TraceError``, once, if the file cannot be written.
  ///
  /// Real-time: not safe.
  public func append(_ motion: TraceMotion) throws(TraceError) { try append(motion.line) }

  /// Writes `participant`. Does nothing after ``finish(_:)`` or an error.
  ///
  /// - Throws: ``TraceError``, once, if the file cannot be written.
  ///
  /// Real-time: not safe.
  public func append(_ participant: TraceParticipant) throws(TraceError) { try append(json: participant) }

  /// Writes `layers`. Does nothing after ``finish(_:)`` or an error.
  ///
  /// - Throws: ``TraceError``, once, if the file cannot be written.
  ///
  /// Real-time: not safe.
  public func append(_ layers: TraceLayers) throws(TraceError) { try append(json: layers) }

  private func append(_ line: String) throws(TraceError) {
    guard !isClosed else { return }
    bytes.append(contentsOf: line.utf8)
    if bytes.count >= Self.bufferSize { try flush() }
  }

  /// Writes the buffer to the file, without fsync(2).
  ///
  /// - Throws: ``TraceError``, once, if the file cannot be written.
  ///
  /// Real-time: not safe.
  public func flush() throws(TraceError) {
    guard !isClosed, !bytes.isEmpty else { return }
    do { try file.write(contentsOf: Data(bytes)) } catch {
      isClosed = true
      bytes = []
      let failure = TraceError(
        file: path, line: nil, reason: "cannot be written (\(error.reason)), so the trace ends here",
        remedy: "delete files to make room on the disk")
      self.failure = failure
      throw failure
    }
    bytes.removeAll(keepingCapacity: true)
  }

  /// Writes the summary and closes the file. Later lines are ignored.
  ///
  /// - Throws: ``TraceError``, once, if the file cannot be written.
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
    guard !isClosed else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do { bytes.append(contentsOf: try encoder.encode(value)) } catch {
      throw TraceError(file: path, line: nil, reason: error.reason, remedy: "report this as a bug")
    }
    bytes.append(UInt8(ascii: "\n"))
  }
}

extension FileHandle {
  /// Creates or replaces the file at `path`, and opens it for writing.
  ///
  /// - Parameter remedy: the remedy if the file cannot be created.
  /// - Throws: ``TraceError`` if the file cannot be created.
  package convenience init(creating path: String, remedy: String) throws(TraceError) {
    do {
      try Data().write(to: URL(fileURLWithPath: path))
      try self.init(forWritingTo: URL(fileURLWithPath: path))
    } catch {
      throw TraceError(file: path, line: nil, reason: "cannot be written (\(error.reason))", remedy: remedy)
    }
  }
}
