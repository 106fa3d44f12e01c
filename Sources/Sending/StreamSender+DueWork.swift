import MusicalTime
import Playback

// The work that has a deadline.
extension StreamSender {
  /// A piece of due work.
  enum DueWork: BitwiseCopyable {
    /// The caller returns this output to the driver.
    case output(Output)
    /// Work was begun or done, without an output. The caller sends the packets of ``StreamSender/dueSeries``, if there
    /// are any, and then calls ``StreamSender/nextDueWork(at:)`` again.
    case progress
    /// No more work is due.
    case none
  }

  /// Does or begins the next piece of work that is due at `now`. The order is: a requested stop, the adoption of a
  /// schedule, a tick at its due time, a step for the sound, the beginning of a run, the end of a run, and the work of
  /// a master.
  @_noLocks @_noAllocation
  mutating func nextDueWork(at now: Instant) -> DueWork {
    // Each call does the work of one stage and sets the next stage.
    switch stopRequest.stage {
    case .none: break
    case .local:
      stopRequest.stage = .onArrival
      guard reportedRun != 0 else { return .progress }
      reportedRun = 0
      return .output(.end)
    case .onArrival:
      stopRequest.stage = .timeStamped
      return beginSeries(.stop(stopRequest.instant, isTimeStamped: false))
    case .timeStamped:
      stopRequest.stage = .none
      return beginSeries(.stop(stopRequest.instant, isTimeStamped: true))
    }
    if case .some = adoption { return continueAdoption() }
    if hasWorkAtTicks, let tick = onTime.take(in: schedule, at: now) {
      if schedule.sends { dueSeries = DueSeries(.clock(tick)) }
      return reportsTicks ? .output(.tick(tick)) : .progress
    }
    while let tick = steps.take(in: schedule, at: now) {
      if case .some = tick.beginsStep { return .output(.step(tick)) }
    }
    while hasWorkAtTicks, let tick = onTimePrelude.take(in: schedule, at: now) {
      // The prelude is the time from Start or Continue to the first tick. A receiver can begin at the start of the schedule and at
      // each bar.
      guard schedule.begins(at: tick) else { continue }
      if schedule.sends { dueSeries = DueSeries(.begin(tick, isTimeStamped: false)) }
      guard reportsTicks, reportedRun != schedule.run else { return .progress }
      reportedRun = schedule.run
      return .output(.begin(tick))
    }
    if endReportDue <= now {
      reportedRun = 0
      return .output(.end)
    }
    return schedule.sends ? nextDueWorkAsMaster(at: now) : .none
  }

  /// Does or begins the next piece of work of a master: Start or Continue to time-stamp receivers, ticks that leave
  /// ahead of time, and Stop.
  @_noLocks @_noAllocation
  private mutating func nextDueWorkAsMaster(at now: Instant) -> DueWork {
    while let tick = aheadPrelude.take(in: schedule, at: now) {
      if schedule.begins(at: tick) { return beginSeries(.begin(tick, isTimeStamped: true)) }
    }
    // One tick after another: each tick goes to all time-stamp receivers before the next one.
    while !hasPendingTicks, let tick = ahead.take(in: schedule, at: now) {
      pendingTick = tick
      findPendingTicks()
    }
    if stopDue(by: onTime, isTimeStamped: false) <= now {
      return beginSeries(.stop(schedule.deadline(schedule.end), isTimeStamped: false))
    }
    if !hasPendingTicks, stopDue(by: ahead, isTimeStamped: true) <= now {
      return beginSeries(.stop(schedule.deadline(schedule.end), isTimeStamped: true))
    }
    return .none
  }

  /// Sets ``dueSeries``.
  @_noLocks @_noAllocation
  private mutating func beginSeries(_ kind: DueSeries.Kind) -> DueWork {
    dueSeries = DueSeries(kind)
    return .progress
  }

  /// Returns the instant at which work is due next.
  @_noLocks @_noAllocation
  mutating func findNextDue() -> Instant {
    var next = steps.dueStep(in: schedule)
    if hasWorkAtTicks {
      next = earlier(next, earlier(onTime.due(in: schedule), onTimePrelude.due(in: schedule)))
      next = earlier(next, endReportDue)
    }
    guard schedule.sends else { return next }
    next = earlier(next, earlier(aheadPrelude.due(in: schedule), stopDue(by: onTime, isTimeStamped: false)))
    // While ticks are pending, the next tick and the Stop to time-stamp receivers wait for the pending ticks.
    guard !hasPendingTicks else { return next }
    return earlier(next, earlier(ahead.due(in: schedule), stopDue(by: ahead, isTimeStamped: true)))
  }

  @_noLocks @_noAllocation
  private func earlier(_ a: Instant, _ b: Instant) -> Instant { a < b ? a : b }

  /// Whether there is work at each tick, not only at each step.
  private var hasWorkAtTicks: Bool { @_noLocks @_noAllocation get { reportsTicks || schedule.sends } }

  /// The instant at which the output `.end` is due. The distant future if the output `.begin` was not returned for this
  /// run, if the end of the run is unknown, or if ticks remain before the end.
  private var endReportDue: Instant {
    @_noLocks @_noAllocation get {
      guard reportedRun != 0, reportedRun == schedule.run, schedule.end.index != .max, onTime.next >= schedule.end
      else {
        return .distantFuture
      }
      return schedule.deadline(schedule.end)
    }
  }

  /// Returns the instant at which Stop is to be sent to all time-stamp receivers, or to all play-on-arrival receivers.
  /// The distant future if the end of the run is unknown, if ticks remain before the end, or if no such receiver takes
  /// part in the run.
  ///
  /// - Parameter cursor: the cursor of the ticks for these receivers.
  @_noLocks @_noAllocation
  private func stopDue(by cursor: TickCursor, isTimeStamped: Bool) -> Instant {
    guard schedule.end.index != .max, cursor.next >= schedule.end, isPlaying(isTimeStamped: isTimeStamped) else {
      return .distantFuture
    }
    return schedule.deadline(schedule.end) - cursor.lead
  }

  /// Whether any time-stamp receiver (or play-on-arrival receiver, if `isTimeStamped` is false) takes part in the run.
  @_noLocks @_noAllocation
  private func isPlaying(isTimeStamped: Bool) -> Bool {
    for index in 0..<openSlots.count {
      let slot = openSlots[index]
      if streams[slot].run == schedule.run, streams[slot].isTimeStamped == isTimeStamped { return true }
    }
    return false
  }
}
