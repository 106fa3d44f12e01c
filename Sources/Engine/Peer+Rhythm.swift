import Ensemble
import MusicalTime
import Realtime

// What the player asks, and what the ensemble decides.
extension Peer {
  func obey(_ command: PlayerCommand) {
    let now = MonotonicClock.now
    do throws(Refusal) {
      switch command {
      case .startOrStop where ensemble.role == .master: try ensemble.stop(now: now)
      case .startOrStop: try ensemble.start(tempo: tempo, at: now)
      case .continue: try ensemble.continue(tempo: tempo, at: now)
      case .locate(let bars):
        let bar = configuration.patch.meter.stepsPerBar
        try ensemble.locate(Step((ensemble.position.index / bar + bars) * bar))
      case .tempo where outsideClock?.leads(ensemble) == true:
        log.notice("the tempo is that of \(outsideClockName)")
      case .tempo(let difference):
        let range = Tempo.range
        let bpm = min(max((tempo.bpm * 1000).rounded() / 1000 + difference, range.lowerBound), range.upperBound)
        guard let wish = try? Tempo(bpm: bpm) else { break }
        if ensemble.role != .idle { try ensemble.change(tempo: wish, at: now) }
        tempo = wish
      case .activity(let value): ensemble.setActivity(value, at: now)
      case .leave:
        // Once more while leaving: at once.
        leavesAt = isLeaving ? now : departure(at: now)
        isLeaving = true
      }
    } catch {
      log.notice("\(name(of: error))")
    }
  }

  /// Starts the rhythm when this peer was told to and everybody it waits for is there.
  func startIfDue(at now: Instant) {
    guard let due = startsAt else { return }
    // Half a second for the newcomers to learn this peer's clock.
    if member.connections.areAllEstablished, now + .milliseconds(500) < due { startsAt = now + .milliseconds(500) }
    guard now >= due else { return }
    startsAt = nil
    if !member.connections.areAllEstablished {
      log.warning("not everybody to connect to has answered; starting with those who have")
    }
    do throws(Refusal) {
      try ensemble.start(tempo: tempo, at: now)
      if let duration = configuration.duration {
        try ensemble.stop(at: ensemble.plan.deadline(ensemble.plan.start) + duration, now: now)
      }
    } catch {
      log.notice("\(name(of: error))")
      if let duration = configuration.duration { leavesAt = now + duration }
    }
  }

  /// When to leave, asked at `now`: after the own rhythm, or one about to end, has ended, and its last sounds in a
  /// recording have faded; at once from another's that goes on.
  func departure(at now: Instant) -> Instant {
    if ensemble.role == .master { try? ensemble.stop(now: now) }
    let plan = ensemble.plan
    guard plan.run != 0, plan.end.index != .max else { return now }
    let end = plan.deadline(plan.end)
    // A follower does not stay for an end that is known but far off.
    guard ensemble.role == .master || end <= now + ensemble.lead else { return now }
    return max(now, end + (sound.isHeard ? .milliseconds(500) : .milliseconds(50)))
  }
}
