import MusicalTime

/// Assigns the hits of a trace, which are the steps that have sounded (``TraceHit``), to the ticks that begin these steps.
///
/// A tick and its hit are two lines of the trace. They are up to a second apart, in either order, because the clock thread reports the
/// tick and the audio thread reports the hit. The earlier line waits for the later line.
struct StepMatching {
  /// The ticks that wait for a hit.
  private var ticks: [TraceTick] = []
  /// The hits that wait for a tick.
  private var hits: [TraceHit] = []
  /// The number of hits without a tick.
  private(set) var hitsWithoutTick = 0

  /// The largest number of ticks, and of hits, that wait: about the steps of two seconds at the fastest tempo, 999 BPM.
  private static let capacity = 136
  /// The tolerance of the difference between the due instant of the tick and the instant of the step of the hit: half a step at 999 BPM.
  /// The two differ because a follower corrects its timeline after it has scheduled the hit.
  private static let tolerance = Nanoseconds.microseconds(7_500)

  /// Adds a tick that begins a step.
  ///
  /// - Returns: the hit of the step, if it was added before the tick.
  mutating func add(_ tick: TraceTick) -> TraceHit? {
    if let index = hits.lastIndex(where: { ($0.step - tick.due).magnitude < Self.tolerance }) {
      return hits.remove(at: index)
    }
    ticks.append(tick)
    if ticks.count > Self.capacity { ticks.removeFirst() }
    return nil
  }

  /// Adds a hit.
  ///
  /// - Returns: the tick of the step, if it was added before the hit.
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

  /// Counts the waiting hits as hits without a tick.
  mutating func finish() {
    hitsWithoutTick += hits.count
    (ticks, hits) = ([], [])
  }
}
