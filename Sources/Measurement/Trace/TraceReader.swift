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

/// Reads a file line by line: a trace (``TraceReader``) or another text file. Its memory does not depend on the size of the file.
struct LineReader {
  private let path: String
  /// The file; nil if all octets are in the buffer.
  private let file: FileHandle?
  private let onOctets: (Data) -> Void
  private var buffer: [UInt8] = []
  private var position = 0
  private var isAtEnd = false

  /// The number of the line that ``next()`` returned last, counted from 1.
  private(set) var number = 0
  /// Whether the line that ``next()`` returned last had no newline at its end. This line is then the last one of the file, and
  /// can be incomplete.
  private(set) var isUnterminated = false

  /// The number of octets read at once.
  private static let chunk = 1 << 18
  /// The longest line in octets. A file with a longer line is not a text file.
  private static let longestLine = 1 << 20

  /// Opens the file at `path`.
  ///
  /// - Parameter onOctets: receives all octets of the file, in order, while lines are read.
  /// - Throws: ``TraceError`` if the file cannot be read.
  init(path: String, onOctets: @escaping (Data) -> Void) throws(TraceError) {
    do { file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path)) } catch {
      throw TraceError(path, unreadable: error)
    }
    (self.path, self.onOctets) = (path, onOctets)
  }

  /// Reads the lines in `bytes`, the contents of the file at `path`.
  init(path: String, bytes: [UInt8]) {
    (self.path, file, onOctets) = (path, nil, { _ in })
    (buffer, isAtEnd) = (bytes, true)
  }

  /// Returns the next line without its newline; nil at the end of the file.
  ///
  /// - Throws: ``TraceError`` if the file cannot be read, or for a line of more than 1 MiB.
  mutating func next() throws(TraceError) -> ArraySlice<UInt8>? {
    // The octets from `position` to this index contain no line end.
    var searched = position
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { position = end + 1 }
        number += 1
        return buffer[position..<end]
      }
      if isAtEnd {
        guard position < buffer.count else { return nil }
        defer { position = buffer.count }
        number += 1
        isUnterminated = true
        return buffer[position...]
      }
      guard buffer.count - position < Self.longestLine else {
        throw TraceError(
          file: path, line: number + 1, reason: "the line is longer than 1 MiB", remedy: "give a trace or a text file"
        )
      }
      // `fill` removes the octets before `position`, so all indices decrease by `position`.
      searched = buffer.count - position
      try fill()
    }
  }

  /// Removes the lines that ``next()`` has returned from the buffer, and appends the next chunk of the file.
  private mutating func fill() throws(TraceError) {
    buffer.removeFirst(position)
    position = 0
    let data: Data
    do { data = try file?.read(upToCount: Self.chunk) ?? Data() } catch { throw TraceError(path, unreadable: error) }
    isAtEnd = data.isEmpty
    onOctets(data)
    buffer.append(contentsOf: data)
  }
}
