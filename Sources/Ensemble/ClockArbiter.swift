public import MusicalTime

/// Sees to it that of several clocks from outside one alone is kept, so that two never add up to double tempo. The one that
/// is heard first is kept; the others count their own ticks and wait. When the first stops, or is silent for
/// ``OutsideClock/patience``, one that runs takes its place.
public struct ClockArbiter: Sendable {
  /// A clock as the arbiter looks at it.
  public struct Candidate: Sendable {
    var name: String
    var clock: OutsideClock
    /// Whether it is connected.
    var isThere: Bool

    public init(_ name: String, _ clock: OutsideClock, isThere: Bool) {
      (self.name, self.clock, self.isThere) = (name, clock, isThere)
    }
  }

  public enum News: Hashable, Sendable {
    /// Another clock runs as well; it is not kept.
    case another(String, beside: String)
    /// A clock takes the place of one that is silent.
    case taken(String, after: String)
  }

  /// Clocks that have been named since they began to run.
  private var named: Set<Int> = []

  public init() {}

  /// Looks at all clocks, always in the same order.
  ///
  /// - Returns: which of them is to yield (``OutsideClock/yield(_:now:)``), if any, and what the player is to hear.
  public mutating func look(at clocks: [Candidate], of ensemble: Ensemble, now: Instant) -> (yields: Int?, news: [News])
  {
    named = named.filter { clocks.indices.contains($0) && clocks[$0].clock.isRunning }
    guard clocks.count > 1, let first = clocks.firstIndex(where: { $0.clock.leads(ensemble) }) else { return (nil, []) }
    let leader = clocks[first]
    var news: [News] = []
    for n in clocks.indices where n != first && clocks[n].isThere && clocks[n].clock.isHeard(at: now) {
      if !leader.isThere || !leader.clock.isHeard(at: now) {
        return (first, news + [.taken(clocks[n].name, after: leader.name)])
      }
      if named.insert(n).inserted { news.append(.another(clocks[n].name, beside: leader.name)) }
    }
    return (nil, news)
  }
}
