import Foundation
import MusicalTime

/// The contents of a trace file: the ticks, hits and actions of one peer, in local time.
///
/// A trace consists of JSON lines:
///
/// 1. a ``TraceHeader``
/// 2. one line per tick (``TraceTick``), per step that has sounded (``TraceHit``), per action of the player (``TraceAction``), and per
///    change of an energy (``TraceEnergy``), a movement (``TraceMotion``), a player (``TraceParticipant``) or the layers
///    (``TraceLayers``), in the order in which the peer wrote them
/// 3. the summary, `{"summary":{...}}` (``TraceSummary``)
///
/// Format 1 has no lines about activity. Its readers refuse format 2.
///
/// The trace of a killed peer has no summary, and its last line can be incomplete.
public struct Trace: Hashable, Sendable {
  /// The first line.
  public var header: TraceHeader
  /// The ticks, in the order in which the peer acted on them.
  public var ticks: [TraceTick]
  /// The actions of the player, in the order in which they reached the peer. A trace of an earlier version has none.
  public var actions: [TraceAction]
  /// The steps that have sounded, in the order in which they sounded. A trace of an earlier version, or of a peer without sound
  /// output, has none.
  public var hits: [TraceHit]
  /// The counts of the peer; nil if the peer was killed.
  public var summary: TraceSummary?
  /// Whether the last line of the file was incomplete and was ignored.
  public var isCutOff: Bool

  /// The version of the file format that is written, and the versions that can be read.
  static let formatVersion = 2
  private static let readableVersions = 1...formatVersion

  /// Creates a trace.
  ///
  /// Real-time: not safe.
  public init(
    header: TraceHeader, ticks: [TraceTick], actions: [TraceAction] = [], hits: [TraceHit] = [],
    summary: TraceSummary? = nil, isCutOff: Bool = false
  ) {
    (self.header, self.ticks, self.actions, self.hits) = (header, ticks, actions, hits)
    (self.summary, self.isCutOff) = (summary, isCutOff)
  }

  /// The runs of the rhythm, as ranges of ``ticks``.
  ///
  /// Tick numbers increase within a run. A tick whose number does not increase begins a new run: the rhythm was started again. A
  /// tick that is due later than the slowest tempo allows (125 ms per tick, with a tolerance of 1 ms) also begins a new run: the
  /// rhythm was stopped and continued.
  ///
  /// Real-time: not safe.
  public var runs: [Range<Int>] {
    var runs: [Range<Int>] = []
    var start = 0
    for index in ticks.indices.dropFirst() where Self.beginsRun(ticks[index], after: ticks[index - 1]) {
      runs.append(start..<index)
      start = index
    }
    if !ticks.isEmpty { runs.append(start..<ticks.count) }
    return runs
  }

  /// The longest interval between two ticks of a run: 125 ms, the length of a tick at the slowest tempo, 20 BPM, plus a
  /// tolerance of 1 ms.
  private static let longestTickInterval = Nanoseconds.milliseconds(126)

  /// Whether `tick` begins a new run after the tick `previous`.
  static func beginsRun(_ tick: TraceTick, after previous: TraceTick) -> Bool {
    let (advance, overflow) = tick.tick.index.subtractingReportingOverflow(previous.tick.index)
    guard advance > 0, !overflow else { return true }
    let pause = tick.due - previous.due
    // Lost ticks are missing in the trace, so `advance` intervals have passed since the previous tick.
    return pause.count / Self.longestTickInterval.count >= advance
  }
}

extension Trace {
  /// The maximum size of a file in octets: 512 MiB. At 120 BPM, and with about 200 octets per tick, this is more than 12 hours.
  private static let sizeLimit = 512 << 20

  /// Reads the trace in the file at `path`.
  ///
  /// - Throws: ``TraceError`` for a file that cannot be read, is too large, or is not a trace. An incomplete last
  ///   line is not an error: see ``isCutOff``.
  ///
  /// Real-time: not safe.
  public init(contentsOf path: String) throws(TraceError) {
    let data: Data
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      data = try file.read(upToCount: Self.sizeLimit + 1) ?? Data()
    } catch {
      throw TraceError(path, unreadable: error, remedy: Self.remedy)
    }
    guard data.count <= Self.sizeLimit else {
      throw TraceError(file: path, line: nil, reason: "is larger than 512 MiB", remedy: "give a shorter trace")
    }
    try self.init(bytes: [UInt8](data), file: path)
  }

  /// Reads a trace.
  ///
  /// - Parameters:
  ///   - bytes: the contents of a trace file.
  ///   - file: the name of the file, for errors.
  /// - Throws: ``TraceError`` if `bytes` is not a trace. An incomplete last line is not an error: see ``isCutOff``.
  ///
  /// Real-time: not safe.
  public init(bytes: [UInt8], file: String) throws(TraceError) {
    var reader = try TraceReader(LineReader(path: file, bytes: bytes), path: file)
    self.init(header: reader.header, ticks: [])
    while let line = try reader.next() {
      switch line {
      case .tick(let tick): ticks.append(tick)
      case .action(let action): actions.append(action)
      case .hit(let hit): hits.append(hit)
      case .energy, .motion, .participant, .layers, .summary: break
      }
    }
    (summary, isCutOff) = (reader.summary, reader.isCutOff)
  }

  static let remedy = "give a trace written by `tutti peer --trace FILE`"

  /// The version of the format in the first line.
  private struct Format: Decodable {
    let version: Int
    enum CodingKeys: String, CodingKey { case version = "tutti_trace" }
  }

  /// Decodes the first line, and checks the version of the format and the values.
  ///
  /// - Parameters:
  ///   - line: the first line.
  ///   - file: the name of the file, for errors.
  ///   - remedy: the remedy if the line is not the header of a trace.
  /// - Throws: ``TraceError`` if the line is not the header of a trace, has another format, or is damaged.
  static func header(in line: Data, file: String, remedy: String = Self.remedy) throws(TraceError) -> TraceHeader {
    func invalid(_ reason: String, _ remedy: String) -> TraceError {
      TraceError(file: file, line: 1, reason: reason, remedy: remedy)
    }
    let version: Int
    do { version = try JSONDecoder().decode(Format.self, from: line).version } catch {
      throw invalid("no trace header (\(error.reason))", remedy)
    }
    guard readableVersions.contains(version) else {
      throw invalid(
        "trace of format \(version), but this program reads formats 1 to \(formatVersion)",
        "use the version of Tutti that recorded it, or record it again")
    }
    func damaged(_ reason: String) -> TraceError {
      invalid("damaged trace header (\(reason))", "record the trace again")
    }
    let header: TraceHeader
    do { header = try JSONDecoder().decode(TraceHeader.self, from: line) } catch { throw damaged(error.reason) }
    guard header.identity.utf8.count == 16, header.identity.allSatisfy(\.isHexDigit) else {
      throw damaged("identity: not 16 hexadecimal digits")
    }
    guard (0...127).contains(header.activity) else { throw damaged("activity: not 0...127") }
    return header
  }
}
