public import MusicalTime

/// Walks the ticks of a schedule in order, each once, `lead` ahead of its deadline. However the schedule is retimed while it
/// walks, no tick of a run is lost or doubled: the cursor counts ticks, the schedule only says when.
///
/// A peer that was stopped catches up tick by tick, late. When it was away for more than ``patience`` (a suspended
/// laptop) it goes on at the present tick instead, and counts what it passed over.
public struct TickCursor: Sendable, BitwiseCopyable {
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

  /// When the next tick is to be taken; the distant future when the schedule has none left.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func due(in schedule: PlaybackSchedule) -> Instant {
    begin(schedule)
    return next < schedule.end ? schedule.deadline(next) - lead : .distantFuture
  }

  /// When the next tick is to be taken that begins a step, with those before it; the distant future when the schedule has none
  /// left. Until then who plays steps alone has nothing to do.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func dueStep(in schedule: PlaybackSchedule) -> Instant {
    begin(schedule)
    let tick = next.roundedUpToStep
    return tick < schedule.end ? schedule.deadline(tick) - lead : .distantFuture
  }

  @_noLocks @_noAllocation
  private mutating func begin(_ schedule: PlaybackSchedule) {
    guard schedule.run != run else { return }
    next = schedule.goesOn(from: run) && next > schedule.start ? next : schedule.start
    first = next
    run = schedule.run
  }

  /// Where `new` takes the place of `schedule`, goes back to the first tick taken that the run now does not have, or has
  /// otherwise: an end, a change of tempo or of the layers was told after a slow sound card was handed it.
  ///
  /// - Returns: from when on that which was handed over is to be taken back; nil: nothing is. A rhythm that another takes the
  ///   place of sounds up to that one's first tick.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func goBack(from schedule: PlaybackSchedule, to new: PlaybackSchedule, at now: Instant) -> Instant? {
    guard schedule.run == new.run else {
      guard schedule.run != 0, !new.goesOn(from: schedule.run) else { return nil }
      return new.deadline(new.start) - .microseconds(100)
    }
    // A follower's schedule has moved by less than half a tick since: what is nearer than that may have sounded.
    let present = schedule.tick(at: now)
    let half = Nanoseconds((schedule.deadline(present + 1) - schedule.deadline(present)).count / 2)
    let coming = schedule.firstTick(notBefore: now + half)
    var tick = new.end
    if new.changeTick != schedule.changeTick, new.changeTick < tick { tick = new.changeTick }
    // Layers that should have changed already go on with what has not been handed over.
    if let changed = new.intensity.tick(differingFrom: schedule.intensity, notBefore: coming), changed > coming,
      changed < tick
    {
      tick = changed
    }
    if tick < coming { tick = coming }
    if tick < first { tick = first }
    guard tick < next, tick < schedule.end else { return nil }
    next = tick
    return schedule.deadline(tick) - half
  }

  /// The next tick if it is due at `now`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func take(in schedule: PlaybackSchedule, at now: Instant) -> Tick? {
    let due = due(in: schedule)
    guard next < schedule.end, due <= now else { return nil }
    // Not `now - due`: where another's timeline ends at the beginning of time, that would wrap.
    if due < now - Self.patience {
      let present = schedule.firstTick(notBefore: now + lead)
      let resumed = present < schedule.end ? present : schedule.end
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
