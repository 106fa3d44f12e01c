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
      case .activity(let value):
        activity = min(value, 127)
        clock.rings.activity.publish(activity)
        clock.rings.bell.ring()
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
    if connections.areAllEstablished, now + .milliseconds(500) < due { startsAt = now + .milliseconds(500) }
    guard now >= due else { return }
    startsAt = nil
    if !connections.areAllEstablished {
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

  func applyEffects(at now: Instant) {
    // Before anybody hears of it.
    store.keep(term: ensemble.highestTerm)
    for effect in ensemble.takeEffects() {
      switch effect {
      case .tell(let statement, let identity):
        guard let exclusive = ClockCommand.Exclusive(statement.systemExclusive) else { break }
        guard let identity else {
          clock.send(.exclusive(exclusive, session: nil))
          break
        }
        guard let session = peers.first(where: { $0.value.identity == identity })?.key else { break }
        clock.send(.exclusive(exclusive, session: session))
      case .play(let plan):
        clock.rings.plan.publish(plan)
        clock.rings.bell.ring()
      case .role(let role):
        if role != .idle { played = role }
        log.info("\(role == .idle ? "the rhythm stopped" : "\(role)")")
        // Also when the rhythm became another's that started at the same time.
        if role == .idle, played != .idle, configuration.start, startsAt == nil, configuration.duration != nil {
          leavesAt = leavesAt ?? departure(at: now)
        }
      case .outranked(let identity):
        log.notice("two started at once: \(name(of: identity)) goes first, this peer follows")
      case .doubt(let identity, let misgiving): log.warning("\(describe(misgiving, of: name(of: identity)))")
      case .present, .offer, .offered, .tookOver, .handedOver, .send, .channel: break
      case .masterLost(let identity):
        log.warning("\(name(of: identity)), the master, is gone; the rhythm ended. Press space to start it again")
      }
    }
  }

  /// When to leave, asked at `now`: after the own rhythm, or one about to end, has ended, and its last sounds in a
  /// recording have faded; at once from another's that goes on.
  private func departure(at now: Instant) -> Instant {
    if ensemble.role == .master { try? ensemble.stop(now: now) }
    let plan = ensemble.plan
    guard plan.run != 0, plan.end.index != .max else { return now }
    let end = plan.deadline(plan.end)
    // A follower does not stay for an end that is known but far off.
    guard ensemble.role == .master || end <= now + ensemble.lead else { return now }
    return max(now, end + (sound.isHeard ? .milliseconds(500) : .milliseconds(50)))
  }

  private func describe(_ misgiving: Misgiving, of name: String) -> String {
    switch misgiving {
    case .clockLies:
      "\(name): stamps that cannot be, as of a clock that jumps or stands still; they are not used, and the rhythm goes on"
    case .clockWasSet:
      "\(name): its clock was set or goes otherwise than before; it has been measured anew, and the rhythm goes on"
    case .clockIsSlewed:
      "\(name): its clock and this one part by more than 200 ppm, as when a system puts its clock right; it is followed"
    case .isUnreadable:
      "\(name): says what cannot be read here, perhaps of a newer version; it is left out, and the rhythm goes on"
    }
  }

  func name(of refusal: Refusal) -> String {
    guard case .belongsTo(let identity) = refusal else { return refusal.description }
    return "the rhythm belongs to \(name(of: identity)) until that peer stops it"
  }

  private func name(of identity: Identity) -> String {
    names[identity] ?? identity.description
  }
}
