import MusicalTime

/// Finds the tick of each hit of a trace. The lines of a tick and of its hit are up to a second apart, in either order.
struct StepMatching {
  private var ticks: [TraceTick] = []
  private var hits: [TraceHit] = []
  /// The numbers of ticks and hits that found no partner.
  private(set) var (ticksWithoutHit, hitsWithoutTick) = (0, 0)

  /// The largest number of ticks and of hits that wait: the steps of two seconds at the fastest tempo.
  private static let capacity = 136
  /// The largest distance between the due instant of a tick and the instant of the step for which a hit was scheduled. They differ by
  /// the correction of a follower's timeline between the two. Half a step at 999 BPM, the fastest tempo.
  private static let tolerance = Nanoseconds.microseconds(7_500)

  /// Adds a tick that begins a step.
  ///
  /// - Returns: its hit, if it was added before.
  mutating func add(_ tick: TraceTick) -> TraceHit? {
    if let index = hits.lastIndex(where: { ($0.step - tick.due).magnitude < Self.tolerance }) {
      return hits.remove(at: index)
    }
    ticks.append(tick)
    if ticks.count > Self.capacity {
      ticks.removeFirst()
      ticksWithoutHit += 1
    }
    return nil
  }

  /// Adds a hit.
  ///
  /// - Returns: its tick, if it was added before.
  mutating func add(_ hit: TraceHit) -> TraceTick? {
    if let index = ticks.lastIndex(where: { (hit.step - $0.due).magnitude < Self.tolerance }) {
      return ticks.remove(at: index)
    }
    hits.append(hit)
    if hits.count > Self.capacity {
      hits.removeFirst()
      hitsWithoutTick += 1
    }
    return nil
  }

  /// Counts everything that still waits as without a partner.
  mutating func finish() {
    (ticksWithoutHit, hitsWithoutTick) = (ticksWithoutHit + ticks.count, hitsWithoutTick + hits.count)
    (ticks, hits) = ([], [])
  }
}
