import Foundation

/// Reads the lines of a trace file one by one. Its memory does not depend on the size of the file.
struct TraceReader {
  /// The first line.
  let header: TraceHeader
  /// The counts of the peer; nil until the last line has been read, and if the peer was killed.
  private(set) var summary: TraceSummary?
  /// Whether the last line was incomplete and was ignored.
  private(set) var isCutOff = false

  private let path: String
  private var lines: LineReader
  /// The size of the file in octets; 0 if it is not known.
  private let size: Int
  /// The number of octets in the newest line.
  private var lineLength = 100

  /// An estimate of the number of lines in the file, for reserving memory, at most 16 million. The estimate assumes that all lines
  /// are as long as the newest line. A sixteenth is added, because other lines can be shorter.
  var expectedLines: Int { min(size / (lineLength + 1) * 17 / 16, 1 << 24) }

  /// Opens the file at `path` and reads its first line.
  ///
  /// - Parameter onOctets: receives all octets of the file, in order, while lines are read.
  /// - Throws: ``TraceError`` if the file cannot be read or has no valid trace header.
  init(path: String, onOctets: @escaping (Data) -> Void) throws(TraceError) {
    try self.init(LineReader(path: path, onOctets: onOctets), path: path)
  }

  /// Reads the first line of the trace with these lines. `path` is the name of the file, for errors.
  ///
  /// - Throws: ``TraceError`` if the first line is not a valid trace header.
  init(_ lines: consuming LineReader, path: String) throws(TraceError) {
    guard let first = try lines.next() else {
      throw TraceError(file: path, line: 1, reason: "is empty", remedy: Trace.remedy)
    }
    header = try Trace.header(in: Data(first), file: path)
    (self.path, self.lines) = (path, lines)
    size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
  }

  /// Returns the next line with a tick, an action or a hit; nil at the end.
  ///
  /// - Throws: ``TraceError`` for an invalid line.
  mutating func next() throws(TraceError) -> TraceLine? {
    while let line = try lines.next() {
      lineLength = line.count
      do {
        guard summary == nil else {
          throw TraceLine.InvalidLine(reason: "this line is after the summary, and the summary must be the last line")
        }
        let parsed = try TraceLine(line)
        guard case .summary(let summary) = parsed else { return parsed }
        self.summary = summary
      } catch {
        // Only the last line, without a newline at its end, can be incomplete.
        guard lines.isUnterminated else {
          throw TraceError(
            file: path, line: lines.number, reason: error.reason, remedy: "remove the line or record the trace again")
        }
        isCutOff = true
      }
    }
    return nil
  }
}
