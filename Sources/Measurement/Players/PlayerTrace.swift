import Foundation

/// The parts of a trace that ``PlayersAnalysis`` needs: the actions of one player, and the due instants of the ticks.
///
/// It takes less memory than a ``Trace``.
public struct PlayerTrace: Sendable {
  /// The first line of the trace; nil for an input that is not a trace.
  public let header: TraceHeader?
  /// The name of the player: that of the peer, or `PEER: NAME` for a player on a web page.
  public let name: String
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
  /// - Returns: a trace for each player: the local player first, unless it has no action and players on web pages have some. Then these, in
  ///   the order of their first actions.
  /// - Throws: ``TraceError`` for a file that cannot be read or is not a trace.
  ///
  /// Real-time: not safe.
  public static func players(
    inTraceAt path: String, onOctets: @escaping (Data) -> Void = { _ in }
  ) throws(TraceError) -> [PlayerTrace] {
    var reader = try TraceReader(path: path, onOctets: onOctets)
    var (ticks, local) = (DueTicks(), [TraceAction]())
    var (pages, names): ([String: [TraceAction]], [String]) = ([:], [])
    var order: [String] = []
    while let line = try reader.next() {
      switch line {
      case .tick(let tick):
        // The length of the line of the second tick gives an estimate of the number of lines.
        if ticks.count == 1 { ticks.reserve(reader.expectedLines) }
        ticks.append(tick)
      case .action(let action):
        guard let player = action.player else {
          local.append(action)
          continue
        }
        if pages[player.identity] == nil {
          order.append(player.identity)
          names.append(player.name)
        }
        pages[player.identity, default: []].append(action)
      case .hit, .energy, .motion, .participant, .layers, .summary: break
      }
    }
    let header = reader.header
    var traces = zip(order, names).map { identity, name in
      PlayerTrace(header: header, name: "\(header.name): \(name)", ticks: ticks, actions: pages[identity]!)
    }
    if !local.isEmpty || traces.isEmpty {
      traces.insert(PlayerTrace(header: header, name: header.name, ticks: ticks, actions: local), at: 0)
    }
    return traces
  }
}
