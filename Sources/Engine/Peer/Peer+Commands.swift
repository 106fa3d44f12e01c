import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import Realtime
import Rhythm
import Text

// Execution of the player's commands.
extension Peer {
  /// Executes a command of the player. If the command is not possible now, logs the reason.
  func execute(_ command: PlayerCommand) {
    let now = MonotonicClock.now
    if command.controlsRhythm { remoteLog.beginCommand(at: now) }
    do throws(CommandError) { try execute(command, at: now) } catch { log.notice("\(description(of: error))") }
  }

  private func execute(_ command: PlayerCommand, at now: Instant) throws(CommandError) {
    switch command {
    case .startOrStop where ensemble.role == .master: try stop(at: now)
    case .startOrStop, .start: try ensemble.start(tempo: tempo, at: now)
    case .countIn(let bars): try countIn(bars: bars, at: now)
    case .stop: try stop(at: now)
    case .continue: try ensemble.continue(tempo: tempo, at: now)
    case .locate(let bars):
      let stepsPerBar = patch.meter.stepsPerBar
      try ensemble.locate(Step((ensemble.position.index / stepsPerBar + bars) * stepsPerBar))
    case .tempo(let difference): try change(tempoBy: difference, at: now)
    case .setTempo(let requested): try change(tempo: requested, at: now)
    case .rampTempo(let requested, let beats): try change(tempo: requested, over: beats, at: now)
    case .activity(let level): ensemble.setActivity(level, at: now)
    case .total(let rule): ensemble.totalActivityRule = rule
    case .level(let part, let percent):
      let change = "\(part.name): level \(percent) % from the next bar on"
      try changeMix(change, at: now) { $0.setLevel(percent, ofPart: Int(part.rawValue)) }
    case .plays(let part, let plays):
      let change = "\(part.name): \(plays ? "on" : "off") from the next bar on"
      try changeMix(change, at: now) { $0.setPlays(plays, part: Int(part.rawValue)) }
    case .quiet(let requested):
      let isQuiet = requested ?? !ensemble.latestMix.isQuiet
      let change =
        isQuiet ? "the rhythm and all players are muted at all Tutti peers" : "the rhythm sounds from the next bar on"
      try changeMix(change, at: now) { $0.isQuiet = isQuiet }
    case .mute(let name, let isMuted): try mute(isMuted, name, at: now)
    case .loudness(let percent):
      clock.send(.rhythmLevel(UInt8(min(max(percent, 0), 100))))
      log.info("the rhythm: \(percent) % of its loudness, at this peer only")
    case .offer(let name):
      // peer(called:) has informed the player if there is no such peer.
      if let name, peer(called: name) == nil { break }
      try ensemble.offer(to: name.flatMap { peer(called: $0) }, at: now)
    case .take: try ensemble.take(at: now)
    case .gate(let rule):
      do { try ensemble.gates.apply(rule) } catch { log.warning("\(error)") }
    case .ledBy(let leader): setLeader(leader)
    case .hear(let rule):
      do { try core.hearing.apply(rule) } catch { log.warning("\(error)") }
    case .play(let name):
      let identity = name.flatMap { peer(called: $0) }
      guard name == nil || identity != nil else { break }
      core.recipient = identity
      log.info("notes: are now sent to \(recipient)")
    case .playToNext: playToNext()
    case .note(let key, let velocity):
      core.play(.noteOn(localChannel, key: UInt7(masking: key), velocity: UInt7(masking: velocity)))
    case .control(let number, let value):
      core.play(.controlChange(localChannel, controller: UInt7(masking: number), value: UInt7(masking: value)))
    case .shape(let name, let controller, let value): shape(name, controller: controller, value: value)
    case .pitches(let name): borrowPitches(from: name)
    case .phrase(let command): execute(command, at: now)
    case .instrument(let instrument, let name): choose(instrument, named: name)
    case .strike: strike()
    case .tilt(let change): tilt(by: change)
    case .pageDelay(let delay): page = PageReport(port: page.port, delay: delay)
    case .click(let instant): clock.send(.click(instant))
    case .savePatch(let path): savePatch(to: path)
    case .patch(let patch, let name): choose(patch, named: name)
    case .connect(let host): connect(toHost: host, at: now)
    case .policy(let kind): choose(kind, at: now)
    case .showRoster: showRoster()
    case .leave:
      // A second command to leave takes effect at once.
      leavesAt = isLeaving ? now : departure(at: now)
      isLeaving = true
    }
  }

  /// Starts the rhythm after a count-in of a number of bars.
  private func countIn(bars: Int, at now: Instant) throws(CommandError) {
    guard let countIn = CountIn(bars: bars, of: patch.meter) else {
      let limit = CountIn.maximumClicks
      return log.notice("count-in: \(bars) bars of \(patchName) have more than \(limit) beats; enter `count-in 1`")
    }
    try ensemble.start(tempo: tempo, countIn: countIn, at: now)
  }

  /// Mutes or unmutes the player of the peer `name`.
  private func mute(_ isMuted: Bool, _ name: String, at now: Instant) throws(CommandError) {
    // peer(called:) has informed the player if there is no such peer.
    guard let identity = peer(called: name) else { return }
    try ensemble.mute(isMuted, identity, at: now)
    log.info("\(name): \(isMuted ? "muted" : "no longer muted")")
  }

  /// Changes the mix at the next bar, or at once if it becomes quiet: silence must not wait.
  ///
  /// - Parameter description: the change, as the player reads it.
  private func changeMix(_ description: String, at now: Instant, by change: (inout Mix) -> Void) throws(CommandError) {
    var mix = ensemble.latestMix
    change(&mix)
    try ensemble.change(mix: mix, isImmediate: mix.isQuiet, at: now)
    log.info("\(description)")
  }

  /// Changes the tempo by a number of beats per minute, which can be negative.
  private func change(tempoBy difference: Double, at now: Instant) throws(CommandError) {
    let range = Tempo.range
    // The tempo is stored in nanoseconds per quarter note. Rounding to 0.001 BPM gives the tempo that the player has set.
    let present = ensemble.role == .master ? ensemble.tempo(at: now) : tempo
    let bpm = min(max((present.bpm * 1000).rounded() / 1000 + difference, range.lowerBound), range.upperBound)
    if let requested = try? Tempo(bpm: bpm) { try change(tempo: requested, at: now) }
  }

  /// Stops the rhythm, unless an external clock controls it.
  private func stop(at now: Instant) throws(CommandError) {
    if let clock = externalClock, clock.leads(ensemble) {
      return refuse("the rhythm", controlledBy: clock, remedy: "stop it there", at: now)
    }
    try ensemble.stop(now: now)
  }

  /// Changes the tempo of the rhythm and of later starts, unless an external clock controls the rhythm.
  ///
  /// - Parameter beats: the number of quarter notes over which the tempo of the rhythm changes gradually; nil: it changes at once.
  private func change(tempo requested: Tempo, over beats: Int? = nil, at now: Instant) throws(CommandError) {
    if let clock = externalClock, clock.leads(ensemble) {
      return refuse("the tempo", controlledBy: clock, remedy: "change it there", at: now)
    }
    if ensemble.role != .idle {
      if let beats {
        try ensemble.change(tempo: requested, over: beats, at: now)
      } else {
        try ensemble.change(tempo: requested, at: now)
      }
    }
    tempo = requested
  }

  /// The channel of notes that the player plays by command: the channel of the local peer, or channel 16 (zero-based 15),
  /// which all peers without a channel share.
  var localChannel: Channel { ensemble.channel ?? Channel(wire: 15) }

  /// Sets the only peer that may control the rhythm, by name or identity; nil: any peer may.
  func setLeader(_ leader: String?) {
    guard let leader else { return ensemble.gates.removeLeader() }
    let name = leader.cleanName() ?? leader
    let isLocal = name == configuration.name || name == "\(identity)"
    // If this peer is the leader, it accepts no rhythm commands of other peers: `setLeader(nil)` closes the rhythm gate for all of them.
    ensemble.gates.setLeader(isLocal ? nil : name)
  }

  /// Starts the rhythm without a command (`--start`): half a second after all configured peers are in session, at the latest at the initial
  /// value of ``startsAt``.
  func startIfDue(at now: Instant) {
    guard let due = startsAt else { return }
    // In this half second, new peers measure the clock of this peer.
    let areAllInSession = core.invitations.areAllEstablished && hosts.unresolved.isEmpty
    if areAllInSession, now + .milliseconds(500) < due { startsAt = now + .milliseconds(500) }
    guard now >= due else { return }
    startsAt = nil
    if !areAllInSession {
      let places = (core.invitations.missingPlaces.map(\.description) + hosts.unresolved).joined(separator: ", ")
      log.warning("--start: no session with \(places); the rhythm starts without waiting any longer")
    }
    do throws(CommandError) {
      try ensemble.start(tempo: tempo, at: now)
      if let duration = configuration.duration {
        try ensemble.stop(at: ensemble.schedule.deadline(ensemble.schedule.start) + duration, now: now)
      }
    } catch {
      log.notice("\(description(of: error))")
      // Without a rhythm, there is no end to wait for. The peer leaves after the configured duration.
      if let duration = configuration.duration { leavesAt = now + duration }
    }
  }

  /// Prepares to leave, and returns the instant at which this peer can leave.
  ///
  /// - A master hands the rhythm over if possible, and can leave in a second. If no peer can continue the rhythm, the master stops it.
  /// - A peer whose rhythm ends soon can leave after this end, when its last sounds have faded.
  /// - A follower of a rhythm that continues can leave at once.
  func departure(at now: Instant) -> Instant {
    if ensemble.role == .master {
      // `prepareDeparture` returns whether it has offered the rhythm to another peer.
      if ensemble.prepareDeparture(at: now) { return now + .seconds(1) }
      try? ensemble.stop(now: now)
    }
    let schedule = ensemble.schedule
    // Run 0: no rhythm has played.
    guard schedule.run != 0, schedule.end.index != .max else { return now }
    let end = schedule.deadline(schedule.end)
    // A follower waits only for an end within the lead time of the master. This lead time may be longer than that of the follower, so the
    // limit is the longest lead time that web pages can cause.
    let longestLead = max(ensemble.lead, EnsembleState.maximumPageLead)
    guard ensemble.role == .master || end <= now + longestLead else { return now }
    // After the end, the last sounds fade for up to half a second. If the hits are not audible, only the last messages must be sent.
    return max(now, end + (sound.isHeard ? .milliseconds(500) : .milliseconds(50)))
  }
}
