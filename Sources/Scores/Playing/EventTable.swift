/// The notes of a score along a route, sorted by the positions at which they begin, with the first note of each played bar.
///
/// The table is immutable. It is made outside the real-time threads and read by them.
public struct EventTable: Sendable {
  /// In the order of their positions; at one position in the order of parts and keys.
  public let events: [ScoreEvent]
  /// For each bar of the route, the index of the first note at or after its beginning; one more element for the end.
  public let barIndex: [Int]

  /// Creates the table of a valid score.
  public init(_ score: Score, along route: Route) {
    var events: [ScoreEvent] = []
    for part in score.parts.indices {
      var player = PartPlayer(score, part)
      for played in route.bars { player.play(played) }
      events += player.finished().map(\.event)
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
    return (a.part, a.key, a.note) < (b.part, b.key, b.note)
  }
}

/// A note with its beginning and end while a part is played. Ties and repeated keys change the end.
struct SoundingNote {
  /// Thousandths of a tick.
  var start: Int64
  var end: Int64
  var part: UInt8
  var key: UInt8
  var velocity: UInt8
  var instrument: UInt8
  var note: UInt32

  var event: ScoreEvent {
    ScoreEvent(
      from: ScorePosition(thousandths: start), to: ScorePosition(thousandths: end), part: part, key: key,
      velocity: velocity, instrument: instrument, note: note)
  }
}
