import Foundation

extension ClockStamps {
  /// Reads the trace or the file of stamps at `path`, line by line.
  ///
  /// A file whose first line is a trace header is a trace. Other files are files of stamps, see ``StampLine``. A byte order mark of UTF-8 at
  /// the beginning of the file is skipped.
  ///
  /// - Parameters:
  ///   - source: whether the due or the acted instants of a trace are the stamps. No effect on a file of stamps.
  ///   - format: the column and the unit of the stamps in a file of stamps.
  ///   - onOctets: receives all octets of the file, in order, for example for a digest.
  /// - Throws: ``TraceError`` for a file that cannot be read, is a Standard MIDI File, is a trace although `format` is given, or has an
  ///   invalid line. An incomplete last line is not an error: it is ignored, and ``warnings`` names it.
  ///
  /// Real-time: not safe.
  public init(
    contentsOf path: String, source: Source = .acted, format: StampFormat = StampFormat(),
    onOctets: @escaping (Data) -> Void = { _ in }
  ) throws(TraceError) {
    self.init(name: path)
    var lines = try LineReader(path: path, onOctets: onOctets)
    guard var first = try lines.next() else {
      throw TraceError(file: path, line: 1, reason: "is empty", remedy: Self.remedy)
    }
    guard !first.starts(with: "MThd".utf8) else {
      throw TraceError(
        file: path, line: 1, reason: "is a Standard MIDI File, which cannot be read from a pipe",
        remedy: "give the path of the file")
    }
    if first.starts(with: [0xEF, 0xBB, 0xBF]) { first.removeFirst(3) }
    guard !first.starts(with: [0xFF, 0xFE]), !first.starts(with: [0xFE, 0xFF]) else {
      throw TraceError(file: path, line: 1, reason: "is a text in UTF-16", remedy: "save the file as UTF-8")
    }
    // Memory for all stamps is reserved at once, because an array needs three times its memory while it grows. The amount follows from
    // the size of the file and the length of the line after the first stamp.
    let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    if first.first == UInt8(ascii: "{") {
      guard format == StampFormat() else {
        throw TraceError(
          file: path, line: 1, reason: "is a trace, which has no columns", remedy: "omit --column and --unit")
      }
      self.source = source
      header = try Trace.header(in: Data(first), file: path, remedy: Self.remedy)
      try readTrace(&lines, size: size)
    } else {
      try readStamps(&lines, first: first, format, size: size)
    }
  }

  static var remedy: String { "give a trace of `tutti peer --trace FILE`, or a text file with one stamp per line" }

  /// Reads the lines after the header of a trace.
  private mutating func readTrace(_ lines: inout LineReader, size: Int) throws(TraceError) {
    var numbering = TraceNumbering()
    while let line = try lines.next() {
      if stamps.count == 1 { reserve(size / (line.count + 1)) }
      do {
        guard case .tick(let tick) = try TraceLine(line) else { continue }
        let advance = numbering.advance(to: tick)
        let instant = source == .due ? tick.due : tick.acted
        try append(instant.nanoseconds, line: lines.number, isRestart: advance == Self.restart)
        advances.append(advance)
      } catch let error as TraceError {
        throw error
      } catch {
        guard lines.isUnterminated else {
          throw TraceError(
            file: name, line: lines.number, reason: error.reason, remedy: "remove the line or record the trace again")
        }
        warnings.append(cutOff(lines.number))
      }
    }
    duePeriod = numbering.period
  }

  /// Reads the lines of a file of stamps.
  private mutating func readStamps(
    _ lines: inout LineReader, first: ArraySlice<UInt8>, _ format: StampFormat, size: Int
  ) throws(TraceError) {
    var parser = StampLine(format)
    var line: ArraySlice<UInt8>? = first
    while let octets = line {
      if stamps.count == 1 { reserve(size / (octets.count + 1)) }
      if lines.isUnterminated {
        // The last number may lack digits.
        warnings.append(cutOff(lines.number))
      } else {
        let stamp: Int64?
        do throws(StampLine.InvalidStamp) { stamp = try parser.stamp(in: octets) } catch {
          throw TraceError(file: name, line: lines.number, reason: error.reason, remedy: error.remedy)
        }
        if let stamp { try append(stamp, line: lines.number) }
      }
      line = try lines.next()
    }
  }

  /// Reserves memory for `count` stamps, and a sixteenth more because other lines can be shorter, but for at most 16 million stamps.
  private mutating func reserve(_ count: Int) {
    let capacity = min(count + count / 16, 1 << 24)
    stamps.reserveCapacity(capacity)
    if header != nil { advances.reserveCapacity(capacity) }
  }

  /// Returns the warning for an incomplete last line.
  private func cutOff(_ number: Int) -> String {
    "\(name):\(number): the last line has no line end and is ignored; record again if the end of the file matters"
  }
}
