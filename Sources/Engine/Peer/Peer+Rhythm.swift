import Ensemble
import MIDI
import MusicalTime
import Realtime

// What the player asks, and what the ensemble decides.
extension Peer {
  func obey(_ command: PlayerCommand) {
    let now = MonotonicClock.now
    do throws(CommandError) {
      switch command {
      case .startOrStop where ensemble.role == .master: try stop(at: now)
      case .startOrStop, .start: try ensemble.start(tempo: tempo, at: now)
      case .stop: try stop(at: now)
      case .continue: try ensemble.continue(tempo: tempo, at: now)
      case .locate(let bars):
        let bar = configuration.patch.meter.stepsPerBar
        try ensemble.locate(Step((ensemble.position.index / bar + bars) * bar))
      case .tempo(let difference):
        let range = Tempo.range
        let bpm = min(max((tempo.bpm * 1000).rounded() / 1000 + difference, range.lowerBound), range.upperBound)
        if let wish = try? Tempo(bpm: bpm) { try change(tempo: wish, at: now) }
      case .setTempo(let wish): try change(tempo: wish, at: now)
      case .offer(let name):
        if let name, peer(called: name) == nil { break }
        try ensemble.offer(to: name.flatMap { peer(called: $0) }, at: now)
      case .take: try ensemble.take(at: now)
      case .leave:
        // Once more while leaving: at once.
        leavesAt = isLeaving ? now : departure(at: now)
        isLeaving = true
      default: obeyOther(command, at: now)
      }
    } catch {
      log.notice("\(name(of: error))")
    }
  }

  private func stop(at now: Instant) throws(CommandError) {
    guard outsideClock?.leads(ensemble) != true else {
      return log.notice("the rhythm is that of \(outsideClockName); stop it there")
    }
    try ensemble.stop(now: now)
  }

  private func change(tempo wish: Tempo, at now: Instant) throws(CommandError) {
    guard outsideClock?.leads(ensemble) != true else { return log.notice("the tempo is that of \(outsideClockName)") }
    if ensemble.role != .idle { try ensemble.change(tempo: wish, at: now) }
    tempo = wish
  }

  /// What has nothing to do with the rhythm.
  private func obeyOther(_ command: PlayerCommand, at now: Instant) {
    switch command {
    case .activity(let level): ensemble.setActivity(level, at: now)
    case .total(let rule): ensemble.activityRule = rule
    case .gate(let rule):
      do { try ensemble.gates.apply(rule) } catch { log.warning("\(error)") }
    case .ledBy(let leader): lead(by: leader)
    case .play(let name):
      let identity = name.flatMap { peer(called: $0) }
      guard name == nil || identity != nil else { break }
      core.addressee = identity
      log.info("your notes go to \(addressee)")
    case .playToNext: playToNext()
    case .note(let key, let velocity):
      core.play(.noteOn(ownChannel, key: UInt7(masking: key), velocity: UInt7(masking: velocity)), at: now)
    case .control(let number, let value):
      core.play(
        .controlChange(ownChannel, controller: UInt7(masking: number), value: UInt7(masking: value)), at: now)
    case .showCompany: showCompany()
    default: break
    }
  }

  /// The channel of what the player plays without an instrument.
  private var ownChannel: Channel { ensemble.channel ?? Channel(wire: 15) }

  /// One peer alone controls the rhythm; nil: anyone does.
  func lead(by leader: String?) {
    let isOwn = leader == configuration.name || leader == "\(identity)"
    ensemble.gates.ledBy(isOwn ? nil : leader)
    // Whoever leads follows nobody.
    if isOwn { ensemble.gates.set(.rhythm, open: false) }
  }

  /// Starts the rhythm when this peer was told to and everybody it waits for is there.
  func startIfDue(at now: Instant) {
    guard let due = startsAt else { return }
    // Half a second for the newcomers to learn this peer's clock.
    if core.connections.areAllEstablished, now + .milliseconds(500) < due { startsAt = now + .milliseconds(500) }
    guard now >= due else { return }
    startsAt = nil
    if !core.connections.areAllEstablished {
      log.warning("not everybody to connect to has answered; starting with those who have")
    }
    do throws(CommandError) {
      try ensemble.start(tempo: tempo, at: now)
      if let duration = configuration.duration {
        try ensemble.stop(at: ensemble.schedule.deadline(ensemble.schedule.start) + duration, now: now)
      }
    } catch {
      log.notice("\(name(of: error))")
      if let duration = configuration.duration { leavesAt = now + duration }
    }
  }

  /// When to leave, asked at `now`: after the own rhythm, or one about to end, has ended, and its last sounds in a
  /// recording have faded; at once from another's that goes on.
  func departure(at now: Instant) -> Instant {
    if ensemble.role == .master {
      if ensemble.part(at: now) { return now + .seconds(1) }
      try? ensemble.stop(now: now)
    }
    let schedule = ensemble.schedule
    guard schedule.run != 0, schedule.end.index != .max else { return now }
    let end = schedule.deadline(schedule.end)
    // A follower does not stay for an end that is known but far off.
    guard ensemble.role == .master || end <= now + ensemble.lead else { return now }
    return max(now, end + (sound.isHeard ? .milliseconds(500) : .milliseconds(50)))
  }
}
