/// The events of a score along a route, sorted by position, with the first event of each played bar.
///
/// At one position, notes end before others begin. The table is immutable. It is made outside the real-time threads and read by them.
public struct EventTable: Sendable {
  /// In the order of their positions.
  public let events: [ScoreEvent]
  /// For each bar of the route, the index of the first event at or after its beginning; one more element for the end.
  public let barIndex: [Int]

  /// Creates the table of a valid score.
  public init(_ score: Score, along route: Route) {
    var notes: [SoundingNote] = []
    for part in score.parts.indices {
      var player = PartPlayer(score, part)
      for index in route.bars.indices { player.play(route.bars[index], isContinuous: index > 0) }
      notes += player.finished()
    }
    var events: [ScoreEvent] = []
    events.reserveCapacity(2 * notes.count)
    for note in notes {
      events.append(note.event(.noteOn))
      events.append(note.event(.noteOff))
    }
    events.sort(by: Self.areInOrder)
    self.events = events
    var (index, next) = ([Int](), 0)
    for bar in route.bars {
      let start = ScorePosition(bar.start)
      while next < events.count, events[next].position < start { next += 1 }
      index.append(next)
    }
    barIndex = index + [events.count]
  }

  private static func areInOrder(_ a: ScoreEvent, _ b: ScoreEvent) -> Bool {
    if a.tick != b.tick { return a.tick < b.tick }
    if a.thousandths != b.thousandths { return a.thousandths < b.thousandths }
    if a.kind.rawValue != b.kind.rawValue { return a.kind.rawValue < b.kind.rawValue }
    return (a.part, a.key, a.note) < (b.part, b.key, b.note)
  }
}

/// A note with its beginning and end.
struct SoundingNote {
  /// Thousandths of a tick.
  var start: Int64
  var end: Int64
  var part: UInt8
  var key: UInt8
  var velocity: UInt8
  var instrument: UInt8
  var note: UInt32

  func event(_ kind: ScoreEvent.Kind) -> ScoreEvent {
    ScoreEvent(
      ScorePosition(thousandths: kind == .noteOn ? start : end), kind, part: part, key: key,
      velocity: kind == .noteOn ? velocity : 0, instrument: instrument, note: note)
  }
}
