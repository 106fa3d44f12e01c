public import MusicalTime
public import Playback

// The change from one schedule to the next.
extension StreamSender {
  /// A change of ``StreamSender/schedule`` that is in progress.
  struct Adoption: BitwiseCopyable {
    /// The new schedule.
    let schedule: PlaybackSchedule
    /// The instant at which the new schedule arrived. The previous schedule is valid up to this instant.
    let instant: Instant
    /// Whether the stop of the previous run's streams was requested, or found to be unnecessary.
    var isStopped = false
  }

  /// Replaces the schedule that is playing by `schedule`. The following calls of ``poll(at:)`` complete the change:
  ///
  /// - They report the steps of the previous schedule that are due.
  /// - They send Stop if the run (one uninterrupted playback) changes, or if the local peer does not send the clock any more.
  /// - They withdraw reported steps that differ in the new schedule (``Output/recall(_:)``).
  ///
  /// - Parameter now: the current instant.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func adopt(_ schedule: PlaybackSchedule, at now: Instant) {
    adoption = Adoption(schedule: schedule, instant: now)
    invalidateDeadlines()
  }

  /// Stops the run on all streams and for the local receivers of the clock (ALSA port, trace). The following calls of
  /// ``poll(at:)`` send Stop, which takes effect at `now`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func stopStreams(at now: Instant) {
    stopRequest.stage = .local
    stopRequest.instant = now
    hasPendingTicks = false
    invalidateDeadlines()
  }

  /// Does the next part of an adoption. The parts are, in this order: the due steps of the previous schedule, a stop of the
  /// receivers of the clock if necessary, and the change of the schedule.
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
        // Within a run, the local receivers do not stop: they get the ticks of the new master. The stop therefore begins with the
        // play-on-arrival receivers.
        if !isOtherRun { stopRequest.stage = .onArrival }
      }
      return .progress
    }
    if isOtherRun {
      // `pendingTick` is the newest tick that the time-stamp receivers are to get ahead of time. The new run has none yet.
      pendingTick = Tick(.min)
      // Run number 0 stands for the silence before the first run.
      cutsPreviousRunShort = schedule.run != 0 && steps.next > schedule.start && steps.next < schedule.end
    }
    // A hit can sound up to `push` before its step is due. The hits of a step that is due less than `push` after the adoption may
    // therefore have sounded already. Within a run, such a step is not withdrawn.
    let recall = steps.goBack(from: schedule, to: new, push: push, at: adoption.instant)
    schedule = new
    self.adoption = nil
    if let recall { return .output(.recall(recall)) }
    return .progress
  }

  /// Moves the cursors of ticks, and of Start and Continue, past the ticks that were due while the local peer was a follower. If ``reportsTicks`` is false, ``poll(at:)`` does not move these cursors while the
  /// local peer is a follower. Without this function, a follower that becomes the master would send all these ticks late.
  @_noLocks @_noAllocation
  private mutating func skipTicksAsFollower(until now: Instant) {
    guard !reportsTicks, !schedule.sends else { return }
    for index in 0..<clocks.count {
      while case .some = clocks[index].ticks.take(in: schedule, at: now) {}
      while case .some = clocks[index].prelude.take(in: schedule, at: now) {}
    }
  }
}
