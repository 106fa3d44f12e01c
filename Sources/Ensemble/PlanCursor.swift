public import MusicalTime

/// Walks the ticks of a plan in order, each once, `lead` ahead of its deadline. However the plan is retimed while it
/// walks, no tick of a run is lost or doubled: the cursor counts ticks, the plan only says when.
///
/// A peer that was stopped catches up tick by tick, late. When it was away for more than ``patience`` (a suspended
/// laptop) it goes on at the present tick instead, and counts what it passed over.
public struct PlanCursor: Sendable, BitwiseCopyable {
  /// How late a tick may be and still be taken.
  public static var patience: Nanoseconds { @_noLocks @_noAllocation get { .seconds(10) } }

  public let lead: Nanoseconds
  /// The tick that comes next.
  public private(set) var next = Tick(0)
  /// Ticks passed over.
  public private(set) var skipped: Int64 = 0
  /// The first tick of this run that it has not found taken: where the run goes on from another, what has been taken of that
  /// one was timed otherwise and is not taken back.
  public private(set) var first = Tick(0)
  private var run: UInt32 = 0

  public init(lead: Nanoseconds) { self.lead = lead }

  /// When the next tick is to be taken; the distant future when the plan has none left.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func due(in plan: Plan) -> Instant {
    if plan.run != run {
      next = plan.continues && next > plan.start ? next : plan.start
      first = next
      run = plan.run
    }
    return next < plan.end ? plan.deadline(next) - lead : .distantFuture
  }

  /// Goes back to `tick`, if that has been taken, but not before ``first``.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func rewind(to tick: Tick) {
    let tick = tick < first ? first : tick
    if tick < next { next = tick }
  }

  /// The next tick if it is due at `now`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func take(in plan: Plan, at now: Instant) -> Tick? {
    let due = due(in: plan)
    guard next < plan.end, due <= now else { return nil }
    // Not `now - due`: where another's timeline ends at the beginning of time, that would wrap.
    if due < now - Self.patience {
      let present = plan.firstTick(notBefore: now + lead)
      let resumed = present < plan.end ? present : plan.end
      if resumed > next {
        skipped = skipped + (resumed - next)
        next = resumed
      }
      return nil
    }
    let tick = next
    next = next + 1
    return tick
  }
}
