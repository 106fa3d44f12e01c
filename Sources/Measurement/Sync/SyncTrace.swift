import Foundation
import MusicalTime

/// A trace, reduced to the parts that ``SyncAnalysis`` needs: the header, the due instants, the distribution of the lateness and
/// the final counts.
public struct SyncTrace: Sendable {
  /// The first line of the trace.
  public let header: TraceHeader
  /// The final counts of the peer; nil if the peer was killed.
  public let summary: TraceSummary?
  /// Whether the last line of the trace is incomplete and was ignored.
  public let isCutOff: Bool
  /// The acted instant minus the due instant of every tick; nil without ticks.
  let lateness: Distribution?
  /// The due instants.
  let ticks: DueTicks

  /// Reduces `trace`.
  ///
  /// Real-time: not safe.
  public init(_ trace: Trace) {
    (header, summary, isCutOff) = (trace.header, trace.summary, trace.isCutOff)
    lateness = Distribution(trace.ticks.lazy.map { $0.acted - $0.due })
    ticks = DueTicks(trace.ticks)
  }

  /// Reads the trace at `path` line by line. While the lines are read, a tick takes 20 octets of memory: 12 for its due instant and
  /// its number, and 8 for its lateness.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - onOctets: receives all octets of the file, in order, for example for a digest.
  /// - Throws: ``TraceError`` for a file that cannot be read or is not a trace. An incomplete last line is not an error.
  ///
  /// Real-time: not safe.
  public init(contentsOf path: String, onOctets: @escaping (Data) -> Void = { _ in }) throws(TraceError) {
    var reader = try TraceReader(path: path, onOctets: onOctets)
    var (ticks, lateness) = (DueTicks(), [Double]())
    while let line = try reader.next() {
      guard case .tick(let tick) = line else { continue }
      // The length of the line of the second tick gives an estimate of the number of lines.
      if ticks.count == 1 {
        ticks.reserve(reader.expectedLines)
        lateness.reserveCapacity(reader.expectedLines)
      }
      ticks.append(tick)
      lateness.append(Double((tick.acted - tick.due).count))
    }
    (header, summary, isCutOff) = (reader.header, reader.summary, reader.isCutOff)
    // The values are sorted in place, because a copy would take 8 more octets per tick.
    self.lateness = Distribution(sorting: &lateness)
    self.ticks = ticks
  }
}
