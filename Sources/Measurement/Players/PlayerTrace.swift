import Foundation

/// The parts of a trace that ``PlayersAnalysis`` needs: the actions of the player, and the due instants of the ticks.
///
/// It takes less memory than a ``Trace``.
public struct PlayerTrace: Sendable {
  /// The first line of the trace.
  public let header: TraceHeader
  /// The due instants of the ticks.
  let ticks: DueTicks
  /// The actions, in the order of the trace.
  let actions: [TraceAction]
}

extension PlayerTrace {
  /// Reads the trace at `path` line by line.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - onOctets: receives all octets of the file, in order, for example for a digest.
  /// - Throws: ``TraceError`` for a file that cannot be read or is not a trace.
  ///
  /// Real-time: not safe.
  public init(contentsOf path: String, onOctets: @escaping (Data) -> Void = { _ in }) throws(TraceError) {
    var reader = try TraceReader(path: path, onOctets: onOctets)
    var (ticks, actions) = (DueTicks(), [TraceAction]())
    while let line = try reader.next() {
      switch line {
      case .tick(let tick):
        // The length of the line of the second tick gives an estimate of the number of lines.
        if ticks.count == 1 { ticks.reserve(reader.expectedLines) }
        ticks.append(tick)
      case .action(let action): actions.append(action)
      case .hit, .summary: break
      }
    }
    self.init(header: reader.header, ticks: ticks, actions: actions)
  }
}
