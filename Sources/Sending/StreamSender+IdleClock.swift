public import MusicalTime
import Playback

// The clock while no rhythm plays (`--clock-always`), for the local receivers of the clock and the streams to standard devices.
//
// No receiver gets a tick of this clock between Start or Continue and Stop. A receiver would count it as a tick of the rhythm. While a run
// plays here, streams that do not take part in it get no tick either: the master of the run may send them the clock.
extension StreamSender {
  /// Sets the tempo of the clock while no rhythm plays; nil turns this clock off. After a run, the clock has the tempo of the run. If the
  /// clock was off, its first tick is due at `instant`. Requires `reportsTicks`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func setIdleTempo(_ tempo: Tempo?, at instant: Instant) {
    if idle.request(tempo, at: instant) {
      for index in 0..<clocks.count {
        clocks[index].nextIdle = idle.firstTick(notBefore: instant - clocks[index].offset)
      }
    }
    invalidateDeadlines()
  }

  /// Continues the ticks of the run that has just ended for the receivers of a clock.
  @_noLocks @_noAllocation
  mutating func continueIdleClock(_ clock: Int) {
    let tick = clocks[clock].ticks.next
    if idle.run != schedule.run {
      let before = idle
      idle.continue(schedule.run, at: tick, due: schedule.deadline(tick), tempo: schedule.tempo(at: tick))
      // The other clocks without a run continue at the new ticks. Those that are still in the run will do so at its end.
      for other in 0..<clocks.count where clocks[other].reportedRun == 0 {
        clocks[other].nextIdle = idle.firstTick(notBefore: before.deadline(clocks[other].nextIdle))
      }
    }
    clocks[clock].nextIdle = tick
  }

  /// Begins the next tick of the idle clock that is due at `now`.
  @_noLocks @_noAllocation
  mutating func nextIdleWork(at now: Instant) -> DueWork {
    advanceIdleTempo()
    for clock in 0..<clocks.count {
      let due = idleDue(clock)
      guard due <= now else { continue }
      let tick = clocks[clock].nextIdle
      clocks[clock].nextIdle = tick + 1
      if due < now - TickCursor.patience {
        let present = idle.firstTick(notBefore: now - clocks[clock].offset)
        if present > tick { clocks[clock].nextIdle = present }
        continue
      }
      dueSeries = DueSeries(.idle(tick, clock: clock))
      return report(.idleTick, by: clock)
    }
    return .none
  }

  /// Lets a requested tempo take effect. While a run plays, the tempo is that of the run.
  @_noLocks @_noAllocation
  private mutating func advanceIdleTempo() {
    guard case .some = idle.timeline else { return }
    var (first, last) = (clocks[0].nextIdle, clocks[0].nextIdle)
    for index in 0..<clocks.count {
      guard clocks[index].reportedRun == 0 else { return }
      let next = clocks[index].nextIdle
      if next < first { first = next }
      if next > last { last = next }
    }
    idle.advance(from: first, to: last)
  }

  /// When the next tick of the idle clock leaves for the receivers of a clock. The distant future while a run plays or the idle clock is
  /// off.
  @_noLocks @_noAllocation
  mutating func idleDue(_ clock: Int) -> Instant {
    guard case .some = idle.timeline, clocks[clock].reportedRun == 0 else { return .distantFuture }
    return idle.deadline(clocks[clock].nextIdle) + clocks[clock].offset
  }
}
