public import MusicalTime
public import Playback

// The change from one schedule to the next.
extension StreamSender {
  /// Plays by `schedule` from now on. The following calls of ``poll(at:)`` complete the change:
  ///
  /// - They report the steps of the previous schedule that are due.
  /// - They stop the receivers of a run that is replaced before its end.
  /// - They withdraw steps that the new schedule does not have.
  ///
  /// - Parameter now: the current instant.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func adopt(_ schedule: PlaybackSchedule, at now: Instant) {
    adoption = Adoption(schedule, at: now)
    invalidateDeadlines()
  }

  /// Stops the run on all streams and for the local receivers of the clock. The following calls of ``poll(at:)`` send
  /// Stop, which takes effect at `now`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func stopStreams(at now: Instant) {
    stopRequest.stage = .local
    stopRequest.instant = now
    hasPendingTicks = false
    invalidateDeadlines()
  }

  /// Does the next part of an adoption: first the due steps of the previous schedule, then the stop of its receivers if
  /// it is necessary, and last the change of the schedule.
  @_noLocks @_noAllocation
  mutating func continueAdoption() -> DueWork {
    guard let adoption else { return .none }
    let new = adoption.schedule
    // `goBack` below requires that the cursor `steps` has returned all steps that are due.
    while let tick = steps.take(in: schedule, at: adoption.instant) {
      if case .some = tick.beginsStep { return .output(.step(tick)) }
    }
    let isOtherRun = new.run != schedule.run
    if !adoption.isStopped {
      self.adoption?.isStopped = true
      skipTicksAsFollower(until: adoption.instant)
      if isOtherRun || !new.sends {
        stopStreams(at: adoption.instant)
        // Within a run, the local receivers do not stop: they get the ticks of the new master.
        if !isOtherRun { stopRequest.stage = .onArrival }
      }
      return .progress
    }
    if isOtherRun {
      // No tick of the new run has left ahead of time yet.
      pendingTick = Tick(.min)
      cutsPreviousRunShort = schedule.run != 0 && steps.next > schedule.start && steps.next < schedule.end
    }
    let recall = steps.goBack(from: schedule, to: new, push: push, at: adoption.instant)
    schedule = new
    self.adoption = nil
    if let recall { return .output(.recall(recall)) }
    return .progress
  }

  /// Moves ``onTime`` and ``onTimePrelude`` past the ticks that were due until `now` while the local peer followed. Without
  /// this call, both cursors would still be at the first of these ticks, because a follower takes ticks only if it reports
  /// them.
  @_noLocks @_noAllocation
  private mutating func skipTicksAsFollower(until now: Instant) {
    guard !reportsTicks, !schedule.sends else { return }
    while case .some = onTime.take(in: schedule, at: now) {}
    while case .some = onTimePrelude.take(in: schedule, at: now) {}
  }
}
