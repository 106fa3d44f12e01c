import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import Realtime
import Rhythm
import Text

// Execution of the player's commands.
extension Peer {
  /// Executes a command. If the command is not possible now, logs the reason.
  ///
  /// - Parameter page: the player on a web page who sends the command; nil: the local player.
  func execute(_ command: PlayerCommand, by page: Identity? = nil) {
    let now = MonotonicClock.now
    if command.controlsRhythm { remoteLog.beginCommand(at: now) }
    do throws(CommandError) { try execute(command, by: page, at: now) } catch {
      log.notice("\(core.description(of: error))")
    }
  }

  private func execute(_ command: PlayerCommand, by page: Identity?, at now: Instant) throws(CommandError) {
    switch command {
    case .startOrStop where ensemble.role == .master: try stop(at: now)
    case .startOrStop, .start: try ensemble.start(tempo: tempo.value, at: now)
    case .countIn(let bars): try countIn(bars: bars, at: now)
    case .stop: try stop(at: now)
    case .continue: try ensemble.continue(tempo: tempo.value, at: now)
    case .locate(let bars): try ensemble.locate(bars: bars)
    case .tempo(let difference): try change(tempoBy: difference, at: now)
    case .setTempo(let requested): try change(tempo: requested, at: now)
    case .rampTempo(let requested, let beats): try change(tempo: requested, over: beats, at: now)
    case .activity(let level): ensemble.setActivity(level, of: page, at: now)
    case .adopt(let device): adopt(device)
    case .join(let joining): if let page { join(joining, as: page, at: now) }
    case .part: if let page { part(page, at: now) }
    case .movement(let strength):
      guard let page else { break }
      ensemble.moved(strength, by: page, at: now)
      records.addMotion(strength, of: page, at: now)
    case .partner(let name):
      let partner = name.flatMap { player(called: $0) }
      guard name == nil || partner != nil else { break }
      ensemble.change(page ?? identity, at: now) { $0.partner = partner }
    case .total(let rule):
      ensemble.chooseRule(rule, at: now)
      let holds = ensemble.role == .master ? "" : "; it holds while this peer is the master"
      log.info("total activity: the \(rule) of the activities of all players\(holds)")
    case .level(let part, let percent):
      guard has(part) else { break }
      let change = "\(part.name): level \(percent) % from the next bar on"
      try changeMix(change, at: now) { $0.setLevel(percent, ofPart: Int(part.rawValue)) }
    case .plays(let part, let plays):
      guard has(part) else { break }
      let change = "\(part.name): \(plays ? "on" : "off") from the next bar on"
      try changeMix(change, at: now) { $0.setPlays(plays, part: Int(part.rawValue)) }
    case .quiet(let requested):
      let isQuiet = requested ?? !ensemble.latestMix.isQuiet
      let change =
        isQuiet
        ? "quiet: the rhythm and all players do not sound at any Tutti peer, until you press s again"
        : "quiet off: the rhythm sounds from the next bar on"
      try changeMix(change, at: now) { $0.isQuiet = isQuiet }
    case .fill: try playFill(at: now)
    case .mute(let name, let isMuted): try mute(isMuted, name, at: now)
    case .loudness(let percent): set(loudness: percent)
    case .latency(let milliseconds): set(latency: milliseconds)
    case .offer(let name):
      // peer(called:) has informed the player if there is no such peer.
      if let name, peer(called: name) == nil { break }
      try ensemble.offer(to: name.flatMap { peer(called: $0) }, at: now)
    case .ask(let asks):
      try ensemble.askToLead(asks, at: now)
      if asks, let master = ensemble.role.master {
        let wait = "when it offers the role, take it with the key t or the command `take`"
        log.info("the role of master: \(core.name(of: master)) is asked for it for 60 s; \(wait)")
      }
    case .take: try ensemble.take(at: now)
    case .gate(let rule):
      ensemble.gates.apply(GateRule(rule.gates, open: rule.open, for: rule.peer.map { resolved($0) }))
      let kinds = rule.gates.map { "\($0)" }.joined(separator: ", ")
      log.info(
        "gates: \(kinds) \(rule.open ? "open" : "closed") for \(rule.peer.map { resolved($0) } ?? "all other peers")")
      if let name = rule.peer { reportAbsence(of: name, in: "gate") }
    case .ledBy(let leaders):
      setLeaders(leaders)
      let names = leaders.map { $0.cleanName() ?? $0 }
      let deputies = names.dropFirst().joined(separator: ", then ")
      let absence = deputies.isEmpty ? "" : "; while \(names[0]) is absent, \(deputies)"
      log.info("the rhythm: \(names.first.map { "only \($0)" } ?? "any peer") may control it\(absence)")
      for name in leaders { reportAbsence(of: name, in: "led-by") }
    case .hear(.peer(let name, let hearing)):
      core.hearing.apply(.peer(resolved(name), hearing))
      reportAbsence(of: name, in: "hear")
    case .hear(let rule): core.hearing.apply(rule)
    case .play(let name):
      let identity = name.flatMap { peer(called: $0) }
      guard name == nil || identity != nil else { break }
      core.recipient = identity
      log.info("notes: are now sent to \(recipient)")
    case .playToNext: playToNext()
    case .note(let key, let velocity, let touchedAt):
      if let page { return playNote(key, velocity: velocity, touchedAt: touchedAt, by: page, at: now) }
      core.play(.noteOn(localChannel, key: UInt7(masking: key), velocity: UInt7(masking: velocity)))
    case .control(let number, let value):
      core.play(.controlChange(localChannel, controller: UInt7(masking: number), value: UInt7(masking: value)))
    case .shape(let name, let controller, let value): shape(name, controller: controller, value: value)
    case .pitches(let name):
      let source = name.flatMap { player(called: $0) }
      guard name == nil || source != nil else { break }
      core.pitchSource = source
      ensemble.change(identity, at: now) { $0.partner = source }
      report(instrument.borrowPitches(from: name), at: now)
      network.play(instrument.settings(for: core, pages: pages))
    case .phrase(let command):
      if let page { execute(command, by: page, at: now) } else { execute(command, at: now) }
    case .instrument(let instrument, let name): choose(instrument, named: name)
    case .strike:
      guard instrument.isChosen else {
        return log.notice("instrument: none; choose one with the key i or the command `instrument NAME`")
      }
      // Key 60, middle C, matters only to an instrument whose pitch follows the played key.
      core.play(.noteOn(localChannel, key: 60, velocity: 88))
    case .tilt(let change):
      // The network thread knows the present value of the control. Earlier messages of the player can change it.
      executeOutputs(at: now)
      network.execute(.tilt(by: change))
      network.rings.signal.signal()
    case .pageDelay(let delay): self.page = PageReport(port: self.page.port, delay: delay)
    case .click(let instant): clock.send(.click(instant))
    case .savePatch(let path):
      let (log, name) = (log, patch.name)
      patches.checker.save(patch, to: path) { error in
        if let error { log.warning("\(error)") } else { log.notice("rhythm \(name): saved as \(path)") }
      }
    case .patch(let patch, let name):
      let effect = patches.choose(
        patch, named: name, at: changeableTempo(at: now), in: core, soundLead: sound.lead, at: now)
      play(effect, at: now)
    case .score(let chosen):
      let playsRhythm = ensemble.playsRhythmBesideScore
      report(try scores.choose(chosen, playsRhythm: playsRhythm, in: core, at: now), at: now)
    case .withRhythm(let isOn): try ensemble.play(besideScore: isOn, at: now)
    case .bar(let number): try ensemble.go(toBar: try bar(numbered: number), at: now)
    case .loop(let first, let last):
      let bars = (try bar(numbered: first), try bar(numbered: last))
      try ensemble.loop(min(bars.0, bars.1)..<max(bars.0, bars.1) + 1, at: now)
    case .vamp(true): try ensemble.loop(nil, at: now)
    case .vamp(false): try ensemble.endLoop(at: now)
    case .ending(let number): try ensemble.takeEnding(number, at: now)
    case .scoreTempo(let percent):
      if refuses("the tempo", remedy: "change it there", at: now) { return }
      try ensemble.change(tempoFactor: UInt32((percent * 10_000).rounded()), at: now)
    case .scorePart(let part, let level):
      report(try scores.setLevel(level, ofPart: part, in: core), at: now)
      clock.set(scores.levels)
    case .seek(let host): report(surroundings.seek(host, in: core, at: now), at: now)
    case .connect(let host): report(surroundings.connect(toHost: host, in: core, at: now), at: now)
    case .policy(let kind): report(surroundings.choose(kind, in: core, at: now), at: now)
    case .showRoster: showRoster()
    case .showGates: for line in ensemble.gates.listing { log.info("\(line)") }
    case .leave: lifecycle.leave(core, isHeard: sound.isHeard, at: now)
    }
  }

  /// Executes a command that concerns a phrase.
  private func execute(_ command: PhraseCommand, at now: Instant) {
    switch command {
    case .record(let bars): report(instrument.phrases.record(bars: bars, with: core, at: now), at: now)
    case .send(let name):
      if let receiver = player(called: name) {
        report(instrument.phrases.send(to: receiver, called: name, from: identity, with: core), at: now)
      }
    case .play, .vary:
      report(instrument.repeatPhrase(isVaried: command == .vary, in: core), at: now)
      network.play(instrument.settings(for: core, pages: pages))
    case .stop:
      report(instrument.stopPhrase(), at: now)
      network.play(instrument.settings(for: core, pages: pages))
    }
  }

  /// Changes the sound of the instrument of the peer with this name or identity.
  private func shape(_ name: String, controller: UInt8, value: UInt8) {
    guard let player = player(called: name) else { return }
    do throws(PeerCore.ShapingError) {
      try core.shape(player, controller: UInt7(masking: controller), value: UInt7(masking: value))
    } catch {
      let reason =
        switch error {
        case .noChannel: "has no MIDI channel of its own; try again in a second"
        case .gateIsClosed: "the gate `modification` is closed to you; ask the player to open it"
        case .doesNotShape:
          "only its player can set controller \(controller); set for example 1 (`tilt forward`) or 74 (`tilt sideways`)"
        }
      log.notice("\(name): \(reason)")
    }
  }

  /// The index of the bar of the score with a printed number. If no bar has this number, the bars are counted from 1. `#12` is always the
  /// twelfth bar: pages use it, because several bars can have the same number, or none.
  private func bar(numbered number: String) throws(CommandError) -> Int {
    guard let score = ensemble.scoreDigest.flatMap({ ensemble.score($0) }) else { throw .noScore }
    let place = number.hasPrefix("#") ? number.dropFirst() : nil
    if place == nil, let index = score.bars.firstIndex(where: { $0.number == number }) { return index }
    guard let count = Int(place ?? number[...]), score.bars.indices.contains(count - 1) else {
      throw .noSuchBar(count: score.bars.count)
    }
    return count - 1
  }

  /// Starts the rhythm after a count-in of a number of bars.
  private func countIn(bars: Int, at now: Instant) throws(CommandError) {
    guard let countIn = CountIn(bars: bars, of: ensemble.startMeter ?? patch.meter) else {
      let limit = CountIn.maximumClicks
      return log.notice("count-in: \(bars) bars of \(patches.name) have more than \(limit) beats; enter `count-in 1`")
    }
    try ensemble.start(tempo: tempo.value, countIn: countIn, at: now)
  }

  /// Plays the fill of the rhythm in the next bar.
  private func playFill(at now: Instant) throws(CommandError) {
    guard ensemble.role != .master || patch.fill != nil else {
      return log.notice("fill: \(patches.name) has none; add the field `fill` to its file")
    }
    try ensemble.playFill(at: now)
    log.info("fill: in the next bar, at all peers")
  }

  /// Whether the rhythm that plays has this part. If it does not, informs the player. If the local peer is not the master, the change itself
  /// is refused, with that reason.
  private func has(_ part: Part) -> Bool {
    guard ensemble.role == .master, let notice = patches.absence(of: part) else { return true }
    log.notice("\(notice)")
    return false
  }

  /// Mutes or unmutes the player of the peer `name`.
  private func mute(_ isMuted: Bool, _ name: String, at now: Instant) throws(CommandError) {
    // player(called:) has informed the player if there is no such player.
    guard let identity = player(called: name) else { return }
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
    let present = presentTempo(at: now)
    let bpm = min(max((present.bpm * 1000).rounded() / 1000 + difference, range.lowerBound), range.upperBound)
    if let requested = try? Tempo(bpm: bpm) { try change(tempo: requested, at: now) }
  }

  /// The tempo of the rhythm if the local peer is the master; otherwise, the tempo at which it starts a rhythm.
  private func presentTempo(at now: Instant) -> Tempo {
    ensemble.role == .master ? ensemble.tempo(at: now) : tempo.value
  }

  /// The tempo that the player can change by the command `tempo`. Nil if another peer is the master, if an external clock controls the
  /// rhythm, or if a score has its own tempo.
  private func changeableTempo(at now: Instant) -> Tempo? {
    guard ensemble.role.master == nil, core.clocks.leader(of: ensemble) == nil, ensemble.scoreDigest == nil else {
      return nil
    }
    return presentTempo(at: now)
  }

  /// Stops the rhythm, unless an external clock controls it.
  private func stop(at now: Instant) throws(CommandError) {
    if refuses("the rhythm", remedy: "stop it there", at: now) { return }
    try ensemble.stop(now: now)
  }

  /// Changes the tempo of the rhythm and of later starts, unless an external clock controls the rhythm.
  ///
  /// - Parameter beats: the number of quarter notes over which the tempo of the rhythm changes gradually; nil: it changes at once.
  private func change(tempo requested: Tempo, over beats: Int? = nil, at now: Instant) throws(CommandError) {
    if refuses("the tempo", remedy: "change it there", at: now) { return }
    if ensemble.role != .idle {
      if let beats {
        try ensemble.change(tempo: requested, over: beats, at: now)
      } else {
        try ensemble.change(tempo: requested, at: now)
      }
    }
    tempo.choose(requested)
  }

  /// The channel of notes that the player plays by command: the channel of the local peer, or channel 16 (zero-based 15),
  /// which all peers without a channel share.
  private var localChannel: Channel { ensemble.channel ?? Channel(wire: 15) }

  /// The identity of the peer that is shown by the name `name`, because several peers have the name of this peer; otherwise `name`.
  private func resolved(_ name: String) -> String {
    ensemble.peer(distinctlyNamed: name).map { "\($0)" } ?? name
  }

  /// Sets the peers that may control the rhythm, by name or identity: the leader and then its deputies; none: any peer may.
  func setLeaders(_ leaders: [String]) {
    let names = leaders.map { resolved($0.cleanName() ?? $0) }
    ensemble.gates.setLeaders(names, local: names.first { $0 == configuration.name || $0 == "\(identity)" })
  }
}

extension Gates {
  /// One line for the default, one for each peer with exceptions, and one for the peers that may control the rhythm, for the player.
  fileprivate var listing: [String] {
    func line(_ peer: String, _ state: (Gate) -> Bool?) -> String {
      let groups = [true, false].compactMap { open in
        let kinds = Gate.allCases.filter { state($0) == open }.map { "\($0)" }
        return kinds.isEmpty ? nil : kinds.joined(separator: ", ") + (open ? " open" : " closed")
      }
      return "gates for \(peer): " + groups.joined(separator: "; ")
    }
    let special = exceptions.sorted { $0.key < $1.key }.map { peer, exception in line(peer) { exception[$0] } }
    return [line(special.isEmpty ? "all peers" : "all other peers") { standard[$0] }] + special
      + (leaders.isEmpty ? [] : ["the rhythm: only \(leaders.joined(separator: ", ")) may control it"])
  }
}
