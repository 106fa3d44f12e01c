import ClockSync
import Ensemble
import Measurement
import MusicalTime

/// The trace of a peer: one line per tick that the clock thread has played, one per step that has sounded, and one per action of
/// the player.
struct PeerTrace {
  /// Nil if the peer writes no trace.
  let writer: TraceWriter?
  /// The newest estimate of the master's clock. The estimate is kept after the end of the rhythm, because the last ticks are recorded
  /// up to a tenth of a second after they were played.
  var masterClock: ClockEstimate?
  /// The last role other than idle, for the summary.
  var role = Role.idle

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

  /// Appends a tick, with the arrival of its packet.
  mutating func append(_ record: TickRecord) throws(TraceError) {
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

  private static func slot(of tick: Tick) -> Int {
    let remainder = tick.index % arrivalCount
    return Int(remainder < 0 ? remainder + arrivalCount : remainder)
  }
}
