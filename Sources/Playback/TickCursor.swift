public import MusicalTime

/// A position in the ticks of a schedule. The cursor returns each tick once and in order, ``lead`` before its due time.
/// The cursor counts ticks, and the schedule gives their due times. Therefore no tick of a run is lost or repeated when
/// the due times change.
///
/// A cursor that is late returns the missed ticks one by one. If it is late by more than ``patience``, for example
/// after the process was stopped, it continues at the present tick and counts the skipped ticks.
public struct TickCursor: Sendable, BitwiseCopyable {
  /// The maximum lateness of a tick that is not skipped.
  ///
  /// Real-time: safe.
  public static var patience: Nanoseconds { @_noLocks @_noAllocation get { .seconds(10) } }

  /// How long before its due time a tick is returned.
  public var lead: Nanoseconds
  /// The next tick.
  public private(set) var next = Tick(0)
  /// The number of skipped ticks.
  public private(set) var skipped: Int64 = 0
  /// The earliest tick to which ``goBack(from:to:push:at:)`` may go back. Earlier ticks may have sounded. If the run
  /// continues another run, all ticks that the cursor returned in the other run are earlier than this tick, and stay valid.
  public private(set) var first = Tick(0)
  /// The number of the run of the cursor; 0 before the first run.
  private var run: UInt32 = 0
  /// Whether the ticks of the count-in are returned too.
  private let includesCountIn: Bool

  public init(lead: Nanoseconds, includesCountIn: Bool = false) {
    (self.lead, self.includesCountIn) = (lead, includesCountIn)
  }

  /// The first tick that the cursor returns in the run of `schedule`.
  @_noLocks @_noAllocation
  private func beginning(of schedule: PlaybackSchedule) -> Tick {
    includesCountIn ? schedule.firstSound : schedule.start
  }

  /// When ``take(in:at:)`` returns the next tick. The distant future if the schedule has no tick left.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func due(in schedule: PlaybackSchedule) -> Instant {
    begin(schedule)
    return next < schedule.end ? schedule.deadline(next) - lead : .distantFuture
  }

  /// When ``take(in:at:)`` returns the next tick that begins a step. The distant future if the schedule has none left.
  /// A caller that uses only the steps has nothing to do before this instant.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func dueStep(in schedule: PlaybackSchedule) -> Instant {
    begin(schedule)
    let tick = next.roundedUpToStep
    return tick < schedule.end ? schedule.deadline(tick) - lead : .distantFuture
  }

  /// If the run of the schedule is new, moves to its first tick. Stays at ``next`` if the new run continues the previous run
  /// and its first tick is before ``next``.
  @_noLocks @_noAllocation
  private mutating func begin(_ schedule: PlaybackSchedule) {
    guard schedule.run != run else { return }
    let beginning = beginning(of: schedule)
    next = schedule.continuesRun(from: run) && next > beginning ? next : beginning
    first = next
    run = schedule.run
  }

  /// Goes back to the first returned tick that differs between `schedule` and its replacement `new`. This is necessary if an
  /// end, a tempo change, a change of the layers, of the mix, of the rhythm or of the score, or a fill arrives after the tick was passed to a
  /// sound card with a long latency.
  ///
  /// - Parameter push: how much earlier than its tick an event can sound.
  /// - Returns: the instant from which the caller must withdraw events from the sound. Nil if no event must be withdrawn. A
  ///   run that is replaced by another run sounds until 100 us before the first tick of the new run.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func goBack(
    from schedule: PlaybackSchedule, to new: PlaybackSchedule, push: Nanoseconds = .zero, at now: Instant
  ) -> Instant? {
    guard schedule.run == new.run else {
      // Before the first run, nothing sounds. If the new run continues the previous run, the ticks of the previous run
      // stay valid.
      guard schedule.run != 0, !new.continuesRun(from: schedule.run) else { return nil }
      // Two hits less than 100 us apart would sound as one. Therefore hits of the old run are withdrawn from 100 us
      // before the new run on.
      return new.deadline(beginning(of: new)) - .microseconds(100)
    }
    // The due times of a follower move with its estimate of the master's clock. A returned tick may therefore have sounded up to
    // half a tick before its present due time. So a tick that is due within the next half tick counts as sounded, and stays.
    let present = schedule.tick(at: now)
    let halfTick = Nanoseconds((schedule.deadline(present + 1) - schedule.deadline(present)).count / 2)
    // The hits of a tick can sound up to `push` before the tick is due.
    let coming = schedule.firstTick(notBefore: now + (halfTick < push ? push : halfTick))
    // `first` never decreases. A later schedule can move a past tick into the future, for example after a late message
    // about a slower tempo. Such a tick may have sounded, and is not returned again.
    first = max(first, min(coming, next))
    // The first tick that differs: the end, a tempo change, a change of the layers, of the mix, of the rhythm or of the score, or a fill. A
    // run that is stopped during the count-in ends at once.
    var tick = new.end > new.start ? new.end : Tick(.min)
    let changed = new.tempo.change(differingFrom: schedule.tempo, notBefore: coming)
    if changed < tick { tick = changed }
    // If the layers differ already at `coming`, their change was announced too late. The change then withdraws no events, and takes
    // effect with the first tick that was not yet returned. A late change of the mix withdraws the returned ticks from `coming` on.
    if let changed = new.total.tick(differingFrom: schedule.total, notBefore: coming), changed > coming,
      changed < tick
    {
      tick = changed
    }
    if let changed = new.mix.tick(differingFrom: schedule.mix, notBefore: coming), changed < tick { tick = changed }
    if let changed = new.rhythm.tick(differingFrom: schedule.rhythm, notBefore: coming), changed < tick {
      tick = changed
    }
    if let changed = new.score.tick(differingFrom: schedule.score, notBefore: coming), changed < tick {
      tick = changed
    }
    // A fill that was announced too late plays from the first tick that was not yet returned.
    if new.fill != schedule.fill {
      if new.fill >= coming, new.fill < tick { tick = new.fill }
      if schedule.fill >= coming, schedule.fill < tick { tick = schedule.fill }
    }
    if tick < coming { tick = coming }
    if tick < first { tick = first }
    // Nothing is withdrawn if `tick` has not been returned yet, or if the replaced schedule ended before `tick`.
    guard tick < next, tick < schedule.end else { return nil }
    next = tick
    // The events of the tick may have been passed on with a due time that was up to half a tick earlier.
    return schedule.deadline(tick) - halfTick
  }

  /// Returns the next tick if `now` is not before its due time minus ``lead``. Returns nil if the next tick is not due yet, if
  /// the schedule has no tick left, or if the cursor is late by more than ``patience``. In the last case, skips the missed ticks.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func take(in schedule: PlaybackSchedule, at now: Instant) -> Tick? {
    let due = due(in: schedule)
    guard next < schedule.end, due <= now else { return nil }
    // The instants are compared, because the lateness `now - due` could overflow: a timeline message may contain a due time
    // near the minimum.
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
