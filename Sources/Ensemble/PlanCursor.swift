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
    begin(plan)
    return next < plan.end ? plan.deadline(next) - lead : .distantFuture
  }

  /// When the next tick is to be taken that begins a step, with those before it; the distant future when the plan has none
  /// left. Until then who plays steps alone has nothing to do.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func dueStep(in plan: Plan) -> Instant {
    begin(plan)
    let tick = next.roundedUpToStep
    return tick < plan.end ? plan.deadline(tick) - lead : .distantFuture
  }

  @_noLocks @_noAllocation
  private mutating func begin(_ plan: Plan) {
    guard plan.run != run else { return }
    next = plan.goesOn(from: run) && next > plan.start ? next : plan.start
    first = next
    run = plan.run
  }

  /// Where `new` takes the place of `plan`, goes back to the first tick taken that the run now does not have, or has
  /// otherwise: an end, a change of tempo or of the layers was told after a slow sound card was handed it.
  ///
  /// - Returns: from when on that which was handed over is to be taken back; nil: nothing is. A rhythm that another takes the
  ///   place of sounds up to that one's first tick.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func goBack(from plan: Plan, to new: Plan, at now: Instant) -> Instant? {
    guard plan.run == new.run else {
      guard plan.run != 0, !new.goesOn(from: plan.run) else { return nil }
      return new.deadline(new.start) - .microseconds(100)
    }
    // A follower's plan has moved by less than half a tick since: what is nearer than that may have sounded.
    let present = plan.tick(at: now)
    let half = Nanoseconds((plan.deadline(present + 1) - plan.deadline(present)).count / 2)
    let coming = plan.firstTick(notBefore: now + half)
    var tick = new.end
    if new.changeTick != plan.changeTick, new.changeTick < tick { tick = new.changeTick }
    // Layers that should have changed already go on with what has not been handed over.
    if let changed = new.intensity.tick(differingFrom: plan.intensity, notBefore: coming), changed > coming,
      changed < tick
    {
      tick = changed
    }
    if tick < coming { tick = coming }
    if tick < first { tick = first }
    guard tick < next, tick < plan.end else { return nil }
    next = tick
    return plan.deadline(tick) - half
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
