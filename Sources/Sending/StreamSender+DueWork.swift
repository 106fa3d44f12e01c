import MusicalTime
import Playback

// The work that has a deadline.
extension StreamSender {
  /// A piece of due work.
  enum DueWork: BitwiseCopyable {
    case output(Output)
    /// ``StreamSender/pass`` was set.
    case pass
    case none
  }

  /// Begins the next piece of work that was due at `now`.
  @_noLocks @_noAllocation
  mutating func nextDueWork(at now: Instant) -> DueWork {
    switch stop.stage {
    case .none: break
    case .local:
      stop.stage = .onArrival
      guard reportedRun != 0 else { return .pass }
      reportedRun = 0
      return .output(.end)
    case .onArrival:
      stop.stage = .timeStamped
      return begin(.stop(stop.instant, isTimeStamped: false))
    case .timeStamped:
      stop.stage = .none
      return begin(.stop(stop.instant, isTimeStamped: true))
    }
    if case .some = adoption { return continueAdoption() }
    if walksTicks, let tick = onTime.take(in: schedule, at: now) {
      if schedule.sends { pass = Pass(.clock(tick)) }
      return reportsTicks ? .output(.tick(tick)) : .pass
    }
    while let tick = steps.take(in: schedule, at: now) {
      if case .some = tick.beginsStep { return .output(.step(tick)) }
    }
    while walksTicks, let tick = onTimePrelude.take(in: schedule, at: now) {
      guard bars.begins(at: tick, of: schedule) else { continue }
      if schedule.sends { pass = Pass(.begin(tick, isTimeStamped: false)) }
      guard reportsTicks, reportedRun != schedule.run else { return .pass }
      reportedRun = schedule.run
      return .output(.begin(tick))
    }
    if reportedEnd <= now {
      reportedRun = 0
      return .output(.end)
    }
    return schedule.sends ? nextDueWorkAsMaster(at: now) : .none
  }

  @_noLocks @_noAllocation
  private mutating func nextDueWorkAsMaster(at now: Instant) -> DueWork {
    while let tick = aheadPrelude.take(in: schedule, at: now) {
      if bars.begins(at: tick, of: schedule) { return begin(.begin(tick, isTimeStamped: true)) }
    }
    // One tick after another: each goes to all receivers before the next one.
    while !hasPendingTicks, let tick = ahead.take(in: schedule, at: now) {
      pendingTick = tick
      findPendingTicks()
    }
    if end(of: onTime, isTimeStamped: false) <= now {
      return begin(.stop(schedule.deadline(schedule.end), isTimeStamped: false))
    }
    if !hasPendingTicks, end(of: ahead, isTimeStamped: true) <= now {
      return begin(.stop(schedule.deadline(schedule.end), isTimeStamped: true))
    }
    return .none
  }

  @_noLocks @_noAllocation
  private mutating func begin(_ kind: Pass.Kind) -> DueWork {
    pass = Pass(kind)
    return .pass
  }

  /// When work is due next.
  @_noLocks @_noAllocation
  mutating func findNextDue() -> Instant {
    var next = steps.dueStep(in: schedule)
    if walksTicks {
      next = earlier(next, earlier(onTime.due(in: schedule), onTimePrelude.due(in: schedule)))
      next = earlier(next, reportedEnd)
    }
    guard schedule.sends else { return next }
    next = earlier(next, earlier(aheadPrelude.due(in: schedule), end(of: onTime, isTimeStamped: false)))
    // While ticks are pending, the next tick and the end wait for them.
    guard !hasPendingTicks else { return next }
    return earlier(next, earlier(ahead.due(in: schedule), end(of: ahead, isTimeStamped: true)))
  }

  @_noLocks @_noAllocation
  private func earlier(_ a: Instant, _ b: Instant) -> Instant { a < b ? a : b }

  /// Whether there is work at each tick.
  private var walksTicks: Bool { @_noLocks @_noAllocation get { reportsTicks || schedule.sends } }

  /// When `.end` is due.
  private var reportedEnd: Instant {
    @_noLocks @_noAllocation get {
      guard reportedRun != 0, reportedRun == schedule.run, schedule.end.index != .max, onTime.next >= schedule.end
      else {
        return .distantFuture
      }
      return schedule.deadline(schedule.end)
    }
  }

  /// When Stop is due for the receivers of one kind, which get their ticks by `cursor`. The distant future if none of
  /// them takes part in the run.
  @_noLocks @_noAllocation
  private func end(of cursor: TickCursor, isTimeStamped: Bool) -> Instant {
    guard schedule.end.index != .max, cursor.next >= schedule.end, isPlaying(isTimeStamped: isTimeStamped) else {
      return .distantFuture
    }
    return schedule.deadline(schedule.end) - cursor.lead
  }

  /// Whether a receiver of the kind takes part in the run.
  @_noLocks @_noAllocation
  private func isPlaying(isTimeStamped: Bool) -> Bool {
    var index = 0
    while index < order.count {
      let slot = order[index]
      if streams[slot].run == schedule.run, streams[slot].isTimeStamped == isTimeStamped { return true }
      index += 1
    }
    return false
  }
}
