import Foundation
import MusicalTime

/// What one peer did, tick by tick, in its own clock: the content of a trace file.
///
/// A trace is JSON lines: a ``TraceHeader``, a line for each tick (``TraceTick``), and a summary,
/// `{"summary":{...}}` (``TraceSummary``). A peer that is killed leaves no summary, and perhaps half a line.
public struct Trace: Hashable, Sendable {
  public var header: TraceHeader
  /// In the order the peer acted on them.
  public var ticks: [TraceTick]
  /// What the peer counted; nil when it was killed.
  public var summary: TraceSummary?
  /// Whether the file ended inside a line, which was left out.
  public var isCutOff: Bool

  /// The version of the format that is read and written.
  static let formatVersion = 1

  /// Real-time: not safe.
  public init(header: TraceHeader, ticks: [TraceTick], summary: TraceSummary? = nil, isCutOff: Bool = false) {
    (self.header, self.ticks, self.summary, self.isCutOff) = (header, ticks, summary, isCutOff)
  }

  /// The runs of the rhythm, as ranges of ``ticks``. Within a run tick numbers rise; a tick that is not above the one
  /// before it begins a new run, for the rhythm was started again. So does one that is due later than the slowest
  /// tempo, 125 ms a tick, could have it: the rhythm was stopped between, and went on where it was.
  ///
  /// Real-time: not safe.
  public var runs: [Range<Int>] {
    var runs: [Range<Int>] = []
    var start = 0
    for index in ticks.indices.dropFirst() where beginsRun(index) {
      runs.append(start..<index)
      start = index
    }
    if !ticks.isEmpty { runs.append(start..<ticks.count) }
    return runs
  }

  private func beginsRun(_ index: Int) -> Bool {
    let (advance, overflow) = ticks[index].tick.index.subtractingReportingOverflow(ticks[index - 1].tick.index)
    guard advance > 0, !overflow else { return true }
    let pause = ticks[index].due - ticks[index - 1].due
    return pause.count / 126_000_000 >= advance
  }
}

extension Trace {
  /// The largest file that is read: 512 MiB hold more than a day at 120 BPM.
  private static let sizeLimit = 512 << 20

  /// Reads the trace in the file at `path`.
  ///
  /// - Throws: ``TraceError`` for a file that cannot be read, is too large, or is not a trace. Half a line at the end
  ///   is
  ///   no error: see ``isCutOff``.
  ///
  /// Real-time: not safe.
  public init(contentsOf path: String) throws(TraceError) {
    let data: Data
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      data = try file.read(upToCount: Self.sizeLimit + 1) ?? Data()
    } catch {
      throw TraceError(
        file: path, line: nil, reason: "cannot be read (\(error.reason))", remedy: Self.remedy)
    }
    guard data.count <= Self.sizeLimit else {
      throw TraceError(file: path, line: nil, reason: "is larger than 512 MiB", remedy: "give a shorter trace")
    }
    try self.init(bytes: [UInt8](data), file: path)
  }

  /// Reads the trace in `bytes`; `file` names them in errors.
  ///
  /// - Throws: ``TraceError``, as above.
  ///
  /// Real-time: not safe.
  public init(bytes: [UInt8], file: String) throws(TraceError) {
    var header: TraceHeader?
    (ticks, summary, isCutOff) = ([], nil, false)
    var number = 0
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      let line = bytes[start..<end]
      number += 1
      do {
        if header == nil {
          header = try Self.header(in: Data(line))
        } else if summary != nil {
          throw TraceLine.Fault(reason: "follows the summary")
        } else {
          switch try TraceLine(line) {
          case .tick(let tick): ticks.append(tick)
          case .summary(let summary): self.summary = summary
          }
        }
      } catch {
        guard header != nil else {
          throw TraceError(
            file: file, line: number, reason: "no trace header (\(error.reason))", remedy: Self.remedy)
        }
        guard end == bytes.count else {
          throw TraceError(
            file: file, line: number, reason: error.reason, remedy: "remove the line, or record again")
        }
        isCutOff = true
      }
      start = end + 1
    }
    guard let header else {
      throw TraceError(file: file, line: 1, reason: "is empty", remedy: Self.remedy)
    }
    self.header = header
  }
  private static let remedy = "give a trace that `tutti peer --trace FILE` wrote"

  private struct Format: Decodable {
    let version: Int
    enum CodingKeys: String, CodingKey { case version = "tutti_trace" }
  }

  private static func header(in line: Data) throws -> TraceHeader {
    let version = try JSONDecoder().decode(Format.self, from: line).version
    guard version == formatVersion else {
      throw TraceLine.Fault(reason: "format \(version), where this program knows \(formatVersion)")
    }
    return try JSONDecoder().decode(TraceHeader.self, from: line)
  }
}
