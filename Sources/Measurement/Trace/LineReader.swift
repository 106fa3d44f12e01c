import Foundation

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
