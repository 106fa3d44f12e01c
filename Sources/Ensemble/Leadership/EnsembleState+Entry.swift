import ClockSync
import MusicalTime
import PeerProtocol
import Playback

// How a peer enters a rhythm and stays in phase with it.
//
// If nothing sounds, the peer enters the rhythm at the next step, exactly in phase. While a rhythm sounds, no jump may be audible.
// If the positions of the old and the new rhythm differ by at most a step, the slewed clock is set so that the first tick that has
// not been passed to the audio output yet keeps its deadline. The clock slews from there, and the run continues. If the positions
// differ by more, the old rhythm continues until a bar of the new rhythm, which begins there. Shortly after a suspension of the
// machine, the peer does not wait for the bar, because the listeners have heard a gap in the old rhythm anyway.
extension EnsembleState {
  /// The time before the first step of a new rhythm in which no step of the old rhythm is played. In this time, the new schedule is
  /// passed to the clock thread.
  static var joiningTime: Nanoseconds { .milliseconds(10) }
  /// A run that continues the present run begins this long before the present (``continuation(at:)``). A clock thread that is late by
  /// at most this time has already played all earlier ticks, so no tick is lost.
  static var lateness: Nanoseconds { .seconds(1) }
  /// The time after a suspension in which a rhythm is entered at its next step, even if it is far off and the old rhythm still
  /// sounds. The peer usually needs less than a second to reconnect and to measure the clock.
  private static var resumingTime: Nanoseconds { .seconds(10) }

  /// Updates the schedule from the master's timeline message and the estimate of the master's clock. Does nothing until the estimate
  /// is precise enough, so that a late joiner is in phase from its first step.
  mutating func follow(at now: Instant) {
    guard let timelineMessage, let slot = roster.slot(of: timelineMessage.claim.identity),
      let estimate = estimate(slot, at: now)
    else { return }
    follower?.lastSteered = now
    if isScheduled {
      stay(with: timelineMessage, by: estimate, at: now)
    } else {
      enter(timelineMessage, by: estimate, at: now)
    }
  }

  /// Whether steps of the schedule may have been passed to the audio output, and the end of the schedule has not passed.
  private func sounds(at now: Instant) -> Bool {
    schedule.run != 0 && schedule.deadline(schedule.start) - soundLead <= now && schedule.deadline(schedule.end) > now
  }

  /// Adds the clicks of the count-in that can still be passed to the audio output.
  private func addCountIn(to run: inout SoundingRun, at now: Instant) {
    let message = run.message
    guard message.countIn.clicks > 0, run.entry == message.start else { return }
    run.countInStart = entry(into: run.schedule, from: message.start + -message.countIn.ticks, at: now + soundLead)
  }

  /// Adapts the schedule to `timelineMessage` and to a new estimate of its master's clock. The schedule already contains the
  /// rhythm of the message.
  private mutating func stay(with timelineMessage: TimelineMessage, by estimate: ClockEstimate, at now: Instant) {
    guard var clock = follower?.playing?.clock, let entryError = follower?.playing?.entryError else { return }
    suspensionEnd = nil
    let isSounding = schedule.deadline(schedule.start) - soundLead <= now
    // The largest error that is corrected by slewing: a step, or the error at the entry if it was larger. A quarter of this error is
    // added below, because estimates vary. If nothing sounds yet, the clock is set exactly.
    let tolerance = max(Nanoseconds(schedule.tempo(at: now).nanosecondsPerQuarter / Step.perQuarter), entryError)
    clock.steer(to: estimate, at: now, jump: isSounding ? Nanoseconds(tolerance.count + tolerance.count / 4) : nil)
    follower?.playing?.clock = clock
    guard let mapping = clock.mapping, var next = run else { return }
    (next.message, next.clock) = (timelineMessage, mapping)
    settleOwnRhythm(in: &next, at: now)
    let schedule = next.schedule
    // The later of the two ticks counts, because the position may have moved back since the last call (``Follower/Playing/lastDue``).
    let lastDue = max(follower?.playing?.lastDue ?? Tick(.min), self.schedule.tick(at: now))
    follower?.playing?.lastDue = lastDue
    // The number of ticks by which the local peer is ahead of the master; negative if it is behind.
    let ahead = lastDue - schedule.tick(at: now)
    if isSounding, ahead <= -Tick.perStep || ahead > 2 * Tick.perStep {
      // A peer that is a step or more behind starts a new run at the next step, instead of playing all steps in between
      // at once. A peer that is ahead waits, but not for more than two steps.
      (next.number, next.first, next.countInStart) = (nextRunNumber, nextRunNumber, Tick(.max))
      next.entry = entry(into: schedule, from: timelineMessage.start, at: now + soundLead)
      // No tick of the new run has been due yet.
      follower?.playing?.lastDue = Tick(.min)
    }
    play(next)
  }

  /// Enters the rhythm of `timelineMessage`, which the schedule does not contain yet, by the rules at the beginning of this file.
  /// If the rhythm must be entered at a bar that is not due yet, sets ``Follower/joinDue`` and does nothing else.
  private mutating func enter(_ timelineMessage: TimelineMessage, by estimate: ClockEstimate, at now: Instant) {
    let exact = ClockLine(local: now, remote: now + estimate.offset, skew: estimate.skew)
    var next = SoundingRun(
      timelineMessage, number: nextRunNumber, sends: false, clock: ClockMapping(exact))
    settleOwnRhythm(in: &next, at: now)
    let new = next.schedule
    guard sounds(at: now) else {
      next.entry = entry(into: new, from: timelineMessage.start, at: now + soundLead)
      addCountIn(to: &next, at: now)
      return play(next, by: estimate, entryError: .zero, at: now)
    }
    // The new rhythm has ended already, so the rhythm that sounds ends too.
    if new.deadline(new.end) <= now { return end(at: now) }
    let tick = schedule.firstTick(notBefore: now + soundLead)
    // When this tick is due in the rhythm that sounds, and in the new rhythm. Both instants are local time.
    let (presentDue, newDue) = (schedule.deadline(tick), new.deadline(tick))
    let step = Nanoseconds(new.tempo(at: presentDue).nanosecondsPerQuarter / Step.perQuarter)
    // Compare the ticks first, because the difference of extreme instants would overflow.
    if abs(tick - new.tick(at: presentDue)) <= 2 * Tick.perStep, (presentDue - newDue).magnitude <= step {
      // A mapping to the master's clock by which the tick of the new rhythm is due at the same local time as in the rhythm that sounds.
      let seed = ClockLine(local: presentDue, remote: timelineMessage.deadline(tick), skew: estimate.skew)
      (next.entry, next.first) = (max(timelineMessage.start, continuation(at: now)), schedule.firstRun)
      let offset = seed.remote(at: now) - now
      let inPhase = ClockEstimate(offset: offset, skew: estimate.skew, uncertainty: .zero)
      // The slewed clock of the new run starts with this mapping, so the position does not jump. The position can be up to a
      // step off.
      play(next, by: inPhase, entryError: step, at: now)
      // The clock begins to slew towards the estimate.
      return stay(with: timelineMessage, by: estimate, at: now)
    }
    if let end = suspensionEnd, now - end <= Self.resumingTime {
      jumps += 1
      next.entry = entry(into: new, from: timelineMessage.start, at: now + soundLead)
      return play(next, by: estimate, entryError: .zero, at: now)
    }
    next.entry = bar(of: new, from: timelineMessage.start, at: now + soundLead)
    let due = new.deadline(next.entry) - soundLead - Self.joiningTime
    guard now >= due, next.entry < new.end else {
      // If the new rhythm ends before its next bar, it is not entered, and the rhythm that sounds stops at the same end.
      follower?.joinDue = next.entry < new.end ? due : new.deadline(new.end)
      return
    }
    jumps += 1
    play(next, by: estimate, entryError: .zero, at: now)
  }

  /// Plays a new run with a new slewed clock.
  private mutating func play(
    _ next: SoundingRun, by estimate: ClockEstimate, entryError: Nanoseconds, at now: Instant
  ) {
    var playing = Follower.Playing()
    playing.clock.steer(to: estimate, at: now, jump: nil)
    playing.entryError = entryError
    follower?.playing = playing
    follower?.joinDue = nil
    var next = next
    if let mapping = playing.clock.mapping { next.clock = mapping }
    if !admits(.activity, from: next.message.claim.identity) { next.ownTotal = ChangingValue(activity) }
    play(next)
  }

  /// The first tick that the local peer plays when it enters a rhythm: the first tick of the first step that begins at or after
  /// `instant`, but no earlier than the first tick of the rhythm, `start`.
  func entry(into schedule: PlaybackSchedule, from start: Tick, at instant: Instant) -> Tick {
    max(start, schedule.firstTick(notBefore: instant).roundedUpToStep)
  }

  /// The first tick at or after `instant` with which the first step of a bar begins, but no earlier than the first tick of the rhythm, `start`.
  /// The bar line of a score can lie inside the step before.
  private func bar(of schedule: PlaybackSchedule, from start: Tick, at instant: Instant) -> Tick {
    let step = schedule.firstTick(notBefore: instant).roundedUpToStep
    return max(start, schedule.grid.line(notBefore: step + -(Tick.perStep - 1)).roundedUpToStep)
  }

  /// The first tick of a run that continues the present run. It lies so far back (``lateness``) that even a late clock thread has
  /// already played it. The clock thread continues after the tick that it played last, so no tick is lost or repeated.
  func continuation(at now: Instant) -> Tick { max(schedule.start, schedule.firstTick(notBefore: now - Self.lateness)) }
}
