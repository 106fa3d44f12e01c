public import MusicalTime

/// What the master says of the rhythm: everything a peer needs to play every tick from now on, so that no single packet
/// is needed. Instants are in the master's clock. A later timeline message of the same claim has a higher revision.
public struct TimelineMessage: Hashable, Sendable {
  /// Whose rhythm it is. Every start is a new claim.
  public var claim: Claim
  /// Counts the timeline messages of one claim.
  public var revision: UInt32
  /// The first tick played: 0 after Start, elsewhere after Continue.
  public var start: Tick
  /// The first tick that is not played any more; `Tick(.max)` while no end is known.
  public var end: Tick
  /// Tempo and origin up to the change, if there is one.
  public var timeline: Timeline
  /// The next change of tempo and the tick from which it counts.
  public var change: TempoChange?

  public init(
    claim: Claim, revision: UInt32, start: Tick, end: Tick, timeline: Timeline, change: TempoChange? = nil
  ) {
    self.claim = claim
    self.revision = revision
    self.start = start
    self.end = end
    self.timeline = timeline
    self.change = change
  }

  /// When `tick` is due, in the master's clock.
  public func deadline(_ tick: Tick) -> Instant {
    guard let change, tick >= change.tick else { return timeline.deadline(tick) }
    return timeline.changing(to: change.tempo, at: change.tick).deadline(tick)
  }
}
