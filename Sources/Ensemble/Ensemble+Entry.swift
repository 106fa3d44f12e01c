import ClockSync
import MusicalTime
import PeerProtocol
import Playback

// How a peer comes to a rhythm, and stays with it.
//
// To a rhythm that comes when nothing sounds it goes at once, exactly. While something sounds nobody may hear a jump: where
// the new rhythm has the same ticks within a step, the flywheel is set so that the first tick that is not with the sound yet
// is due when it would have been, and slews from there, so the run goes on. Where it is further off, the old rhythm goes on
// up to a bar of the new one, and there that one begins.
extension Ensemble {
  /// Where a rhythm that is further off is joined: every so many ticks, a bar of four quarters.
  package static var bar: Int64 { 4 * Tick.perQuarter }
  /// The last steps of a rhythm that is left are not played so shortly before the first of the new one, which is time to
  /// bring that to the clock thread.
  static var joiningTime: Nanoseconds { .milliseconds(10) }
  /// So late a clock thread may be and yet lose nothing when a run goes on.
  static var lateness: Nanoseconds { .seconds(1) }

  /// Plays by the master's timeline message, its clock put beside the own. Nothing happens while that clock is not known well
  /// enough: who comes late is in phase at its first step.
  mutating func follow(at now: Instant) {
    guard let timelineMessage,
      let estimate = acquaintances[timelineMessage.claim.identity]?.estimate(at: now, mustBeSettled: !planned)
    else { return }
    steered = now
    if planned {
      stay(with: timelineMessage, by: estimate, at: now)
    } else {
      enter(timelineMessage, by: estimate, at: now)
    }
  }

  /// Whether steps of the schedule are with the sound, and there are more to come.
  private func sounds(at now: Instant) -> Bool {
    schedule.run != 0 && schedule.deadline(schedule.start) - soundLead <= now && schedule.deadline(schedule.end) > now
  }

  /// The schedule for `timelineMessage`, as the next run.
  private func schedule(for timelineMessage: TimelineMessage, by clock: ClockMapping) -> PlaybackSchedule {
    PlaybackSchedule(
      run: schedule.run &+ 1, sends: false, start: timelineMessage.start, end: timelineMessage.end,
      timeline: timelineMessage.timeline,
      change: timelineMessage.change, clock: clock)
  }

  private mutating func stay(with timelineMessage: TimelineMessage, by estimate: ClockEstimate, at now: Instant) {
    let isSounding = schedule.deadline(schedule.start) - soundLead <= now
    // A quarter of a step beyond that within which it has come, as estimates move.
    let step = max(Nanoseconds(schedule.tempo(at: now).nanosecondsPerQuarter / Step.perQuarter), reach)
    flywheel.steer(to: estimate, at: now, jump: isSounding ? Nanoseconds(step.count + step.count / 4) : nil)
    guard let mapping = flywheel.mapping else { return }
    var next = schedule(for: timelineMessage, by: mapping)
    let ahead = schedule.tick(at: now) - next.tick(at: now)
    if isSounding, ahead <= -Tick.perStep || ahead > 2 * Tick.perStep {
      // More than a step behind, it begins anew at the next step, rather than hurry through all that lies between. Who is
      // ahead waits, but for no more than two steps.
      next.start = entry(into: next, from: timelineMessage.start, at: now + soundLead)
    } else {
      (next.run, next.start, next.began) = (schedule.run, schedule.start, schedule.began)
    }
    next.intensity = intensity(goingOnIn: next, at: now)
    guard next != schedule else { return }
    schedule = next
    emit(.play(schedule))
  }

  private mutating func enter(_ timelineMessage: TimelineMessage, by estimate: ClockEstimate, at now: Instant) {
    let exact = ClockLine(local: now, remote: now + estimate.offset, skew: estimate.skew)
    var next = schedule(for: timelineMessage, by: ClockMapping(exact))
    guard sounds(at: now) else {
      next.start = entry(into: next, from: timelineMessage.start, at: now + soundLead)
      return play(next, by: estimate, at: now)
    }
    if next.deadline(next.end) <= now { return end(at: now) }
    let tick = schedule.firstTick(notBefore: now + soundLead)
    let (mine, theirs) = (schedule.deadline(tick), next.deadline(tick))
    let step = Nanoseconds(next.tempo(at: mine).nanosecondsPerQuarter / Step.perQuarter)
    // The ticks first, as instants at the ends of time have no distance.
    if abs(tick - next.tick(at: mine)) <= 2 * Tick.perStep, (mine - theirs).magnitude <= step {
      let seed = ClockLine(local: mine, remote: timelineMessage.deadline(tick), skew: estimate.skew)
      (next.start, next.began) = (max(timelineMessage.start, continuation(at: now)), schedule.began)
      let offset = seed.remote(at: now) - now
      reach = step
      play(next, by: ClockEstimate(offset: offset, skew: estimate.skew, uncertainty: .zero), at: now)
      return stay(with: timelineMessage, by: estimate, at: now)
    }
    next.start = bar(of: next, from: timelineMessage.start, at: now + soundLead)
    let due = next.deadline(next.start) - soundLead - Self.joiningTime
    guard now >= due, next.start < next.end else {
      joinDue = next.start < next.end ? due : next.deadline(next.end)
      return
    }
    jumps += 1
    play(next, by: estimate, at: now)
  }

  /// Plays a new run, the flywheel as it is estimated.
  private mutating func play(_ next: PlaybackSchedule, by estimate: ClockEstimate, at now: Instant) {
    jumps += flywheel.jumps
    flywheel = SlewedClock()
    flywheel.steer(to: estimate, at: now, jump: nil)
    (planned, joinDue) = (true, nil)
    var next = next
    if !next.continues { reach = .zero }
    if let mapping = flywheel.mapping { next.clock = mapping }
    next.intensity = intensity(goingOnIn: next, at: now)
    schedule = next
    emit(.play(schedule))
  }

  /// The first tick this peer plays of a rhythm it comes to: the next step not before `instant`.
  func entry(into schedule: PlaybackSchedule, from start: Tick, at instant: Instant) -> Tick {
    max(start, schedule.firstTick(notBefore: instant).roundedUpToStep)
  }

  /// The first tick of a bar not before `instant`, or the rhythm's first tick if that is yet to come.
  private func bar(of schedule: PlaybackSchedule, from start: Tick, at instant: Instant) -> Tick {
    let tick = schedule.firstTick(notBefore: instant).index
    let rest = tick % Self.bar
    return max(start, Tick(rest > 0 ? tick + Self.bar - rest : tick - rest))
  }

  /// The first tick of a run that goes on from the present one: one that has been played for sure, as a cursor goes on where
  /// it is.
  func continuation(at now: Instant) -> Tick { max(schedule.start, schedule.firstTick(notBefore: now - Self.lateness)) }
}
