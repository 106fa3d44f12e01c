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

    var isNone: Bool { @_noLocks @_noAllocation get { if case .none = self { true } else { false } } }
  }

  /// Does or begins the next piece of work that is due at `now`. The order is: a requested stop, the adoption of a
  /// schedule, a tick at its due time, a step for the sound, the beginning of a run, the end of a run, the work of
  /// a master, and a tick of the idle clock.
  @_noLocks @_noAllocation
  mutating func nextDueWork(at now: Instant) -> DueWork {
    // Each call does the work of one stage and sets the next stage.
    switch stopRequest.stage {
    case .none: break
    case .local:
      for clock in 0..<clocks.count where clocks[clock].reportedRun != 0 { return reportEnd(of: clock) }
      stopRequest.stage = .onArrival
      return .progress
    case .onArrival:
      stopRequest.stage = .timeStamped
      return beginSeries(.stop(stopRequest.instant, to: .onArrival(clock: nil)))
    case .timeStamped:
      stopRequest.stage = .none
      return beginSeries(.stop(stopRequest.instant, to: .timeStamped))
    }
    if case .some = adoption { return continueAdoption() }
    let tickWork = nextTickWork(at: now)
    if !tickWork.isNone { return tickWork }
    while let tick = steps.take(in: schedule, at: now) {
      if case .some = tick.beginsStep { return .output(.step(tick)) }
    }
    for clock in 0..<clocks.count {
      let work = nextBeginning(of: clock, at: now)
      if !work.isNone { return work }
    }
    for clock in 0..<clocks.count where endReportDue(clock) <= now { return reportEnd(of: clock) }
    if schedule.sends {
      let work = nextDueWorkAsMaster(at: now)
      if !work.isNone { return work }
    }
    return nextIdleWork(at: now)
  }

  /// Begins the next tick at its due time.
  @_noLocks @_noAllocation
  private mutating func nextTickWork(at now: Instant) -> DueWork {
    guard hasWorkAtTicks else { return .none }
    for clock in 0..<clocks.count {
      guard let tick = clocks[clock].ticks.take(in: schedule, at: now) else { continue }
      if schedule.sends { dueSeries = DueSeries(.clock(tick, clock: clock)) }
      return report(.tick(tick), by: clock)
    }
    return .none
  }

  /// Begins the next Start or Continue of a clock.
  @_noLocks @_noAllocation
  private mutating func nextBeginning(of clock: Int, at now: Instant) -> DueWork {
    while hasWorkAtTicks, let tick = clocks[clock].prelude.take(in: schedule, at: now) {
      // The prelude is the time from Start or Continue to the first tick. A receiver can begin at the start of the schedule and at
      // each bar.
      guard schedule.begins(at: tick) else { continue }
      if schedule.sends { dueSeries = DueSeries(.begin(tick, to: .onArrival(clock: clock))) }
      guard reportsTicks, clocks[clock].reportedRun != schedule.run else { return .progress }
      clocks[clock].reportedRun = schedule.run
      return report(.begin(tick), by: clock)
    }
    return .none
  }

  /// Reports the end of the run of a clock.
  @_noLocks @_noAllocation
  private mutating func reportEnd(of clock: Int) -> DueWork {
    clocks[clock].reportedRun = 0
    continueIdleClock(clock)
    return report(.end, by: clock)
  }

  /// Reports an event of a clock to the local receivers of the clock.
  @_noLocks @_noAllocation
  mutating func report(_ event: ClockEvent, by clock: Int) -> DueWork {
    guard reportsTicks else { return .progress }
    guard clock == 0 else { return .output(.shifted(event, clock: clock)) }
    switch event {
    case .tick(let tick): return .output(.tick(tick))
    case .begin(let tick): return .output(.begin(tick))
    case .end: return .output(.end)
    case .idleTick: return .output(.idleTick)
    }
  }

  /// Does or begins the next piece of work of a master: Start or Continue to time-stamp receivers, ticks that leave
  /// ahead of time, and Stop.
  @_noLocks @_noAllocation
  private mutating func nextDueWorkAsMaster(at now: Instant) -> DueWork {
    while let tick = aheadPrelude.take(in: schedule, at: now) {
      if schedule.begins(at: tick) { return beginSeries(.begin(tick, to: .timeStamped)) }
    }
    // One tick after another: each tick goes to all time-stamp receivers before the next one.
    while !hasPendingTicks, let tick = ahead.take(in: schedule, at: now) {
      pendingTick = tick
      findPendingTicks()
    }
    for clock in 0..<clocks.count where stopDue(clock) <= now {
      return beginSeries(.stop(schedule.deadline(schedule.end) + clocks[clock].offset, to: .onArrival(clock: clock)))
    }
    if !hasPendingTicks, stopDue(by: ahead, .timeStamped) <= now {
      return beginSeries(.stop(schedule.deadline(schedule.end), to: .timeStamped))
    }
    return .none
  }

  /// Sets ``dueSeries``.
  @_noLocks @_noAllocation
  private mutating func beginSeries(_ kind: DueSeries.Kind) -> DueWork {
    dueSeries = DueSeries(kind)
    return .progress
  }

  /// Sets ``nextExact`` and returns the instant at which work is due next.
  @_noLocks @_noAllocation
  mutating func findNextDue() -> Instant {
    let clockWork = findNextClockWork()
    nextExact = needsExactTicks || hasArrivalReceivers ? clockWork : .distantFuture
    var next = earlier(earlier(clockWork, findNextPrelude()), steps.dueStep(in: schedule))
    guard schedule.sends else { return next }
    next = earlier(next, aheadPrelude.due(in: schedule))
    // While ticks are pending, the next tick and the Stop to time-stamp receivers wait for the pending ticks.
    guard !hasPendingTicks else { return next }
    return earlier(next, earlier(ahead.due(in: schedule), stopDue(by: ahead, .timeStamped)))
  }

  /// Whether a receiver plays on arrival, so that it hears when its ticks leave.
  private var hasArrivalReceivers: Bool {
    @_noLocks @_noAllocation mutating get {
      for index in 0..<openSlots.count where includes(openSlots[index], in: .onArrival(clock: nil)) { return true }
      return false
    }
  }

  /// Returns the instant at which a clock may send Start or Continue next, ``prelude`` before a tick.
  @_noLocks @_noAllocation
  private mutating func findNextPrelude() -> Instant {
    var next = Instant.distantFuture
    guard hasWorkAtTicks else { return next }
    for clock in 0..<clocks.count { next = earlier(next, clocks[clock].prelude.due(in: schedule)) }
    return next
  }

  /// Returns the instant at which a clock has work next, except Start and Continue.
  @_noLocks @_noAllocation
  private mutating func findNextClockWork() -> Instant {
    var next = Instant.distantFuture
    for clock in 0..<clocks.count {
      next = earlier(next, idleDue(clock))
      guard hasWorkAtTicks else { continue }
      next = earlier(next, earlier(clocks[clock].ticks.due(in: schedule), endReportDue(clock)))
      if schedule.sends { next = earlier(next, stopDue(clock)) }
    }
    return next
  }

  @_noLocks @_noAllocation
  private func earlier(_ a: Instant, _ b: Instant) -> Instant { a < b ? a : b }

  /// Whether there is work at each tick, not only at each step.
  private var hasWorkAtTicks: Bool { @_noLocks @_noAllocation get { reportsTicks || schedule.sends } }

  /// The instant at which the end of the run of a clock is reported. The distant future if the beginning was not reported for this
  /// run, if the end of the run is unknown, or if ticks remain before the end.
  @_noLocks @_noAllocation
  private mutating func endReportDue(_ clock: Int) -> Instant {
    let run = clocks[clock].reportedRun
    guard run != 0, run == schedule.run, schedule.end.index != .max, clocks[clock].ticks.next >= schedule.end else {
      return .distantFuture
    }
    return schedule.deadline(schedule.end) + clocks[clock].offset
  }

  /// Returns the instant at which Stop is to be sent to the play-on-arrival receivers of a clock.
  @_noLocks @_noAllocation
  private mutating func stopDue(_ clock: Int) -> Instant {
    stopDue(by: clocks[clock].ticks, .onArrival(clock: clock))
  }

  /// Returns the instant at which Stop is to be sent to these receivers. The distant future if the end of the run is unknown, if ticks
  /// remain before the end, or if no such receiver takes part in the run.
  ///
  /// - Parameter cursor: the cursor of the ticks for these receivers.
  @_noLocks @_noAllocation
  private mutating func stopDue(by cursor: TickCursor, _ receivers: Receivers) -> Instant {
    guard schedule.end.index != .max, cursor.next >= schedule.end, isPlaying(receivers) else { return .distantFuture }
    return schedule.deadline(schedule.end) - cursor.lead
  }

  /// Whether any of these receivers takes part in the run.
  @_noLocks @_noAllocation
  private mutating func isPlaying(_ receivers: Receivers) -> Bool {
    for index in 0..<openSlots.count {
      let slot = openSlots[index]
      if streams[slot].run == schedule.run, includes(slot, in: receivers) { return true }
    }
    return false
  }
}
