import Foundation
import MusicalTime

/// The parts of a trace that ``ActivityAnalysis`` needs: the energies and movements of the players, the total activity and the layers.
public struct ActivityTrace: Sendable {
  /// The first line of the trace.
  public let header: TraceHeader
  /// The players, by their numbers in the trace.
  private(set) var players: [Int: Player] = [:]
  /// The total activity at the ticks at which it changes; nil from the end of a run on.
  private(set) var total: [(instant: Int64, value: UInt8?)] = []
  /// The layers that sound, from each change on.
  private(set) var layers: [TraceLayers] = []
  /// The instants of the first and the last line with an energy, a movement or a tick, in nanoseconds.
  private(set) var span: ClosedRange<Int64>?

  /// A player in a trace.
  struct Player: Sendable {
    var participant: TraceParticipant
    /// The energies from each instant on; nil while the energy is not known.
    var energies: [(instant: Int64, value: UInt8?)] = []
    var motions: [TraceMotion] = []
  }

  /// Reads the trace at `path` line by line.
  ///
  /// - Parameter onOctets: receives all octets of the file, in order, for example for a digest.
  /// - Throws: ``TraceError`` for a file that cannot be read, is not a trace, or contains no activity, for example because an earlier
  ///   version wrote it.
  ///
  /// Real-time: not safe.
  public init(contentsOf path: String, onOctets: @escaping (Data) -> Void = { _ in }) throws(TraceError) {
    var reader = try TraceReader(path: path, onOctets: onOctets)
    header = reader.header
    var last: TraceTick?
    while let line = try reader.next() {
      switch line {
      case .participant(let participant):
        players[participant.number] = Player(
          participant: participant, energies: players[participant.number]?.energies ?? [],
          motions: players[participant.number]?.motions ?? [])
      case .energy(let energy):
        players[energy.player]?.energies.append((energy.instant.nanoseconds, energy.energy))
        extend(to: energy.instant)
      case .motion(let motion):
        players[motion.player]?.motions.append(motion)
        extend(to: motion.instant)
      case .tick(let tick):
        if let previous = last, Trace.beginsRun(tick, after: previous) { append(nil, at: previous.due.nanoseconds + 1) }
        append(tick.activity, at: tick.due.nanoseconds)
        extend(to: tick.due)
        last = tick
      case .layers(let change): layers.append(change)
      case .action, .hit, .summary: break
      }
    }
    if let last { append(nil, at: last.due.nanoseconds + 1) }
    guard players.values.contains(where: { !$0.energies.isEmpty }) else {
      throw TraceError(
        file: path, line: nil, reason: "contains no activity of a player",
        remedy: "record the trace again with this version of Tutti")
    }
  }

  private mutating func append(_ value: UInt8?, at instant: Int64) {
    if total.isEmpty || total[total.count - 1].value != value { total.append((instant, value)) }
  }

  private mutating func extend(to instant: Instant) {
    let nanoseconds = instant.nanoseconds
    span = span.map { min($0.lowerBound, nanoseconds)...max($0.upperBound, nanoseconds) } ?? nanoseconds...nanoseconds
  }
}
