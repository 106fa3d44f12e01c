import Ensemble
import MusicalTime
import PeerProtocol
import Playback
import Seeds

/// Several ensembles in one process, each with a clock of its own, on a virtual network: messages take time, may be
/// lost or overtaken. Players crash, leave and come back. Everything comes from the seed. Steps are heard as the shipped
/// cursor hands them to the sound; an ensemble is advanced when its deadline has come and on input, never otherwise.
struct VirtualBand {
  private struct Message {
    var due: Instant
    var to: Int
    var from: Int
    var letter: Letter
  }

  private enum Letter {
    case timelineMessage(TimelineMessage)
    case exclusive([UInt8])
  }

  private(set) var now = Instant(nanoseconds: 1_000_000_000)
  var players: [Player]
  var loss: Double
  var delay: ClosedRange<Int64> = 100_000...3_000_000
  /// Pairs that hear each other; false cuts the network in two halves.
  var connected: (Int, Int) -> Bool = { _, _ in true }
  /// The time between two probes of a pair.
  var pace = Nanoseconds.milliseconds(20)
  private var random: SplitMix
  private var messages: [Message] = []
  private var nextProbe = Instant(nanoseconds: 1_000_000_000)

  init(players count: Int, seed: UInt64, loss: Double = 0) {
    var random = SplitMix(seed: seed)
    players = (0..<count).map { n in
      Player(
        EnsembleState(identity: Identity(random.next())),
        ahead: Nanoseconds(random.integer(in: -10_000_000_000_000...10_000_000_000_000)))
    }
    self.random = random
    self.loss = loss
    run(for: .seconds(1))
    for a in players.indices { for b in players.indices where a != b { join(a, b) } }
    // Presence too is heard before anything happens.
    run(for: .milliseconds(300))
  }

  /// The seed's own random numbers, for what happens.
  mutating func integer(in range: ClosedRange<Int64>) -> Int64 { random.integer(in: range) }

  func own(_ n: Int) -> Instant { own(n, at: now) }
  private func own(_ n: Int, at instant: Instant) -> Instant {
    let player = players[n]
    return instant + player.ahead + Nanoseconds(instant.nanoseconds / 1_000_000 * player.skew)
  }
  /// When `step` sounds by the schedule of player `n`, in true time.
  func due(_ step: Step, by n: Int) -> Instant { truth(n, of: players[n].ensemble.schedule.deadline(Tick(of: step))) }
  /// The true time at an instant of a player's clock, to the microsecond's fraction.
  private func truth(_ n: Int, of instant: Instant) -> Instant {
    let rough = instant - players[n].ahead
    return rough
      - Nanoseconds(rough.nanoseconds / 1_000_000 * players[n].skew * 1_000_000 / (1_000_000 + players[n].skew))
  }
  func identity(_ n: Int) -> Identity { players[n].ensemble.identity }

  func role(_ n: Int) -> Role { players[n].ensemble.role }
  /// Those alive who lead a rhythm.
  var masters: [Int] { players.indices.filter { players[$0].isAlive && role($0) == .master } }
  /// By identity, lowest first.
  var line: [Int] { players.indices.sorted { identity($0) < identity($1) } }

  mutating func join(_ a: Int, _ b: Int) {
    players[a].ensemble.joined(identity(b), at: own(a))
    drain(a)
  }

  /// Says nothing more, and hears nothing.
  mutating func crash(_ n: Int) { players[n].isAlive = false }

  /// Says BY to everybody, and is gone.
  mutating func leave(_ n: Int) {
    players[n].isAlive = false
    for other in players.indices where other != n && players[other].isAlive {
      players[other].ensemble.left(identity(n), at: own(other))
      settle(other)
    }
  }

  /// Is there again, started anew, with the term that was kept.
  mutating func restart(_ n: Int, resuming timelineMessage: TimelineMessage? = nil) throws(CommandError) {
    let old = players[n].ensemble
    players[n].ensemble = EnsembleState(identity: old.identity, highestTerm: old.highestTerm)
    (players[n].cursor, players[n].run) = (TickCursor(lead: EnsembleState.standardSoundLead), 0)
    (players[n].moment, players[n].ticked) = (TickCursor(lead: .zero), nil)
    players[n].isAlive = true
    if let timelineMessage {
      try command(n) { ensemble, now throws(CommandError) in try ensemble.resume(timelineMessage, at: now) }
    }
    rejoin(n)
  }

  /// All its sessions begin anew.
  mutating func rejoin(_ n: Int) {
    for other in players.indices where other != n && players[other].isAlive && connected(n, other) {
      join(other, n)
      join(n, other)
    }
  }

  mutating func command<E: Error>(_ n: Int, _ body: (inout EnsembleState, Instant) throws(E) -> Void) throws(E) {
    try body(&players[n].ensemble, own(n))
    settle(n)
  }

  /// What a peer does after each input.
  private mutating func settle(_ n: Int) {
    var rounds = 0
    while players[n].ensemble.nextDeadline <= own(n), rounds < 4 {
      players[n].ensemble.advance(to: own(n))
      rounds += 1
    }
    if rounds == 4 { players[n].spins += 1 }
    drain(n)
  }

  /// Lets true time pass in steps of a millisecond.
  mutating func run(for length: Nanoseconds) {
    let end = now + length
    while now < end {
      now = now + .milliseconds(1)
      if now >= nextProbe {
        nextProbe = nextProbe + pace
        probe()
      }
      let arrived = messages.filter { $0.due <= now }
      messages.removeAll { $0.due <= now }
      for message in arrived {
        guard players[message.to].isAlive, connected(message.from, message.to) else { continue }
        let (n, sender) = (message.to, identity(message.from))
        players[n].ensemble.heard(sender, at: own(n))
        switch message.letter {
        case .timelineMessage(let timelineMessage):
          players[n].ensemble.received(timelineMessage, from: sender, at: own(n))
        case .exclusive(let octets): players[n].ensemble.received(systemExclusive: octets, from: sender, at: own(n))
        }
        settle(n)
      }
      for n in players.indices {
        let player = players[n]
        guard player.isAlive, player.isAwake || own(n) >= player.wakes else { continue }
        settle(n)
        hear(n)
        player.lookAhead()
      }
    }
  }

  private mutating func hear(_ n: Int) {
    let schedule = players[n].ensemble.schedule
    while let tick = players[n].moment.take(in: schedule, at: own(n)) {
      if let last = players[n].ticked, last.run == schedule.run || schedule.continues, tick != last.tick + 1 {
        players[n].disorder += 1
      }
      players[n].ticked = (tick, schedule.run)
    }
    while let tick = players[n].cursor.take(in: schedule, at: own(n)) {
      if players[n].run != schedule.run {
        players[n].run = schedule.run
        players[n].runs.append([])
        players[n].continues.append(schedule.continues)
      }
      guard let step = tick.beginsStep else { continue }
      let at = truth(n, of: schedule.deadline(tick))
      players[n].runs[players[n].runs.count - 1].append(Sounded(step: step, at: at))
    }
  }

  private mutating func drain(_ n: Int) {
    for effect in players[n].ensemble.takeOutputs() {
      players[n].outputs.append(effect)
      if case .event(let event) = effect { players[n].events.append(event) }
      switch effect {
      case .timelineMessage(let timelineMessage, let to, _): post(.timelineMessage(timelineMessage), from: n, to: to)
      case .presence(let presence, let to, _): post(.exclusive(presence.systemExclusive), from: n, to: to)
      case .offer(let offer, let to, _): post(.exclusive(offer.systemExclusive), from: n, to: to)
      case .event(.role(let role)): players[n].roles.append((role, now))
      default: break
      }
    }
  }

  private mutating func post(_ letter: Letter, from n: Int, to: Identity?) {
    for other in players.indices where other != n && (to == nil || to == identity(other)) && connected(n, other) {
      guard Double(random.next() >> 11) / Double(1 << 53) >= loss else { continue }
      let late = Nanoseconds(random.integer(in: delay))
      messages.append(Message(due: now + late, to: other, from: n, letter: letter))
    }
  }

  private mutating func probe() {
    for a in players.indices where players[a].isAlive {
      for b in players.indices where a != b && players[b].isAlive && connected(a, b) {
        guard Double(random.next() >> 11) / Double(1 << 53) >= loss else { continue }
        let out = Nanoseconds(random.integer(in: delay))
        let back = Nanoseconds(random.integer(in: delay))
        let answered = own(b, at: now - back)
        let question = ClockTransit(.out, sent: own(a, at: now - back - out), received: answered)
        players[a].ensemble.measured(question, with: identity(b), at: own(a))
        let answer = ClockTransit(.back, sent: answered, received: own(a))
        players[a].ensemble.measured(answer, with: identity(b), at: own(a))
        settle(a)
      }
    }
  }
}
