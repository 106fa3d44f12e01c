import ClockSync
import Ensemble
import Measurement
import MusicalTime
import PeerProtocol
import Rhythm

/// The trace of a peer: one line per tick that the clock thread has played, per step that has sounded, per action of the player, and per
/// change of the activity of a player and of the layers.
struct PeerTrace {
  /// Nil if the peer writes no trace.
  let writer: TraceWriter?
  /// The newest estimate of the master's clock. The estimate is kept after the end of the rhythm, because the last ticks are recorded
  /// up to a tenth of a second after they were played.
  var masterClock: ClockEstimate?
  /// The last role other than idle, for the summary.
  var role = Role.idle

  /// The layers that sound; nil before the first tick.
  private var layers: [Layer]?
  /// The players in the trace.
  private var participants: [Identity: Participant] = [:]
  /// When the energies are compared next.
  private var nextEnergies = Instant(nanoseconds: .min)

  /// A player in the trace, with the energy that was written last.
  private struct Participant {
    var number: Int
    var name: String
    var energy: UInt8?
  }

  /// The arrivals of ticks that were not played yet. The index is the number of the tick modulo ``arrivalCount``. There is room for 20 s
  /// at 120 BPM.
  private var arrivals: [TickArrival?]
  private static let arrivalCount: Int64 = 1024
  /// An arrival belongs to an earlier run with the same tick numbers if the arrival is at least this long before or after the due instant
  /// of the tick, or at least this long before a newer arrival of the same tick.
  private static let longestWait = Nanoseconds.seconds(3)

  init(_ writer: TraceWriter?) {
    self.writer = writer
    arrivals = Array(repeating: nil, count: writer == nil ? 0 : Int(Self.arrivalCount))
  }

  /// Records the arrival of a tick. If several packets contain the tick, only the first arrival is recorded.
  mutating func record(_ arrival: TickArrival) {
    guard !arrivals.isEmpty else { return }
    let slot = Self.slot(of: arrival.tick)
    if let known = arrivals[slot], known.tick == arrival.tick, arrival.received - known.received < Self.longestWait {
      return
    }
    arrivals[slot] = arrival
  }

  /// Appends a tick, with the arrival of its packet, and the layers if they change at the tick.
  ///
  /// - Parameter layers: the layers of the rhythm that plays from a tick on. Before this tick, the known layers remain.
  mutating func append(
    _ record: TickRecord, layers: (all: [Layer], from: Tick)
  ) throws(TraceError) {
    guard writer != nil else { return }
    if record.tick >= layers.from {
      let sounding = layers.all.filter { $0.activity.contains(record.activity) }
      if sounding != self.layers {
        self.layers = sounding
        try writer?.append(TraceLayers(at: record.due, sounding.map(\.name)))
      }
    }

    var path = TickPath(woken: record.woken, sent: record.sent, sentAhead: record.sentAhead)
    if !arrivals.isEmpty, let arrival = arrivals[Self.slot(of: record.tick)], arrival.tick == record.tick,
      (record.due - arrival.received).magnitude < Self.longestWait
    {
      (path.masterSent, path.received) = (arrival.sent, arrival.received)
      arrivals[Self.slot(of: record.tick)] = nil
    }
    let tick = TraceTick(
      tick: record.tick, due: record.due, acted: record.acted, offset: masterClock?.offset,
      uncertainty: masterClock?.uncertainty, activity: record.activity, path: path)
    try writer?.append(tick)
  }

  // MARK: Activity

  /// Appends the energies of the players that have changed since the last call, at most every ``ActivityLevel/step``.
  ///
  /// - Parameter statuses: all players of the ensemble. Evaluated only if the energies are due.
  mutating func append(_ statuses: @autoclosure () -> [PlayerStatus], at now: Instant) throws(TraceError) {
    guard let writer, now >= nextEnergies else { return }
    nextEnergies = now + ActivityLevel.step
    var absent = Set(participants.keys)
    for status in statuses() {
      absent.remove(status.player.identity)
      let number = try self.number(of: status)
      guard participants[status.player.identity]!.energy != status.energy else { continue }
      participants[status.player.identity]!.energy = status.energy
      try writer.append(TraceEnergy(at: now, of: number, status.energy))
    }
    for identity in absent where participants[identity]!.energy != nil {
      participants[identity]!.energy = nil
      try writer.append(TraceEnergy(at: now, of: participants[identity]!.number, nil))
    }
  }

  /// Appends a movement of a player, if the energies of the player are in the trace.
  func append(motion strength: UInt8, of player: Identity, at now: Instant) throws(TraceError) {
    guard let number = participants[player]?.number else { return }
    try writer?.append(TraceMotion(at: now, of: number, min(strength, 127)))
  }

  /// Returns the number of a player in the trace. Appends the player if it is new or has a new name.
  private mutating func number(of status: PlayerStatus) throws(TraceError) -> Int {
    let identity = status.player.identity
    let known = participants[identity]
    if let known, known.name == status.player.name { return known.number }
    let number = known?.number ?? participants.count
    participants[identity] = Participant(number: number, name: status.player.name, energy: known?.energy)
    try writer?.append(
      TraceParticipant(
        number: number, player: TraceAction.Player(identity: "\(identity)", name: status.player.name),
        peer: "\(status.peer)"))
    return number
  }

  private static func slot(of tick: Tick) -> Int {
    let remainder = tick.index % arrivalCount
    return Int(remainder < 0 ? remainder + arrivalCount : remainder)
  }
}
