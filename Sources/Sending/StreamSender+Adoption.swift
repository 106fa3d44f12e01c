public import MusicalTime
public import Playback

// The change from one schedule to the next.
extension StreamSender {
  /// Plays by `schedule` from now on. The following calls of ``poll(at:)`` complete the change: they report the steps of the
  /// previous schedule that are due, stop the receivers of a run that is replaced before its end, and withdraw steps that
  /// the new schedule does not have.
  ///
  /// - Parameter now: the current instant.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func adopt(_ schedule: PlaybackSchedule, at now: Instant) {
    adoption = Adoption(schedule, at: now)
    invalidateDeadlines()
  }

  /// Stops the run on all streams and for the local receiver. The following calls of ``poll(at:)`` send Stop with the instant `now`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func stopStreams(at now: Instant) {
    stop.stage = .local
    stop.instant = now
    hasPendingTicks = false
    invalidateDeadlines()
  }

  /// Does the next part of an adoption.
  @_noLocks @_noAllocation
  mutating func continueAdoption() -> DueWork {
    guard let adoption else { return .none }
    let new = adoption.schedule
    // The cursor of the steps has to stand at the last step that is due: `goBack` starts from there.
    while let tick = steps.take(in: schedule, at: adoption.instant) {
      if case .some = tick.beginsStep { return .output(.step(tick)) }
    }
    let isOtherRun = new.run != schedule.run
    if !adoption.isStopped {
      self.adoption?.isStopped = true
      passTicks(until: adoption.instant)
      if isOtherRun || !new.sends {
        stopStreams(at: adoption.instant)
        // In the same run, a local receiver gets the ticks of the new master.
        if !isOtherRun { stop.stage = .onArrival }
      }
      return .pass
    }
    if isOtherRun {
      pendingTick = Tick(.min)
      cutsPreviousRunShort = schedule.run != 0 && steps.next > schedule.start && steps.next < schedule.end
    }
    let recall = steps.goBack(from: schedule, to: new, at: adoption.instant)
    schedule = new
    self.adoption = nil
    if let recall { return .output(.recall(recall)) }
    return .pass
  }

  /// Moves the cursors past the ticks that were due while the local peer followed. They stood still if ticks are not reported.
  @_noLocks @_noAllocation
  private mutating func passTicks(until now: Instant) {
    guard !reportsTicks, !schedule.sends else { return }
    while case .some = onTime.take(in: schedule, at: now) {}
    while case .some = onTimePrelude.take(in: schedule, at: now) {}
  }
}
