import Ensemble
import MusicalTime
import Seeds

/// Several ensembles in one process, each with a clock of its own, on a virtual network: messages take time, may be
/// lost or overtaken. Everything comes from the seed. Steps are heard as the shipped cursor hands them to the sound.
struct VirtualBand {
  struct Sounded: Equatable {
    var step: Step
    /// When the step sounds, in true time.
    var at: Instant
  }

  struct Player {
    var ensemble: Ensemble
    /// This peer's clock minus true time, at instant 0 of it.
    var ahead: Nanoseconds
    /// Parts per million by which it is faster.
    var skew: Int64 = 0
    var cursor = PlanCursor(lead: Ensemble.standardSoundLead)
    /// Steps in the order in which they were handed over, one list a run.
    var runs: [[Sounded]] = []
    var run: UInt32 = 0
    var events: [Ensemble.Effect] = []
  }

  private struct Message {
    var due: Instant
    var to: Int
    var from: Int
    var statement: Statement
  }

  private(set) var now = Instant(nanoseconds: 1_000_000_000)
  var players: [Player]
  var loss: Double
  var delay: ClosedRange<Int64> = 100_000...3_000_000
  /// Pairs that hear each other; false cuts the network in two halves.
  var connected: (Int, Int) -> Bool = { _, _ in true }
  private var random: SplitMix
  private var messages: [Message] = []
  private var nextProbe = Instant(nanoseconds: 1_000_000_000)

  init(players count: Int, seed: UInt64, loss: Double = 0) {
    var random = SplitMix(seed: seed)
    players = (0..<count).map { n in
      Player(
        ensemble: Ensemble(identity: Identity(random.next())),
        ahead: Nanoseconds(random.integer(in: -10_000_000_000_000...10_000_000_000_000)))
    }
    self.random = random
    self.loss = loss
    run(for: .seconds(1))
    for a in players.indices { for b in players.indices where a != b { join(a, b) } }
  }

  func own(_ n: Int) -> Instant { own(n, at: now) }
  private func own(_ n: Int, at instant: Instant) -> Instant {
    instant + players[n].ahead + Nanoseconds(instant.nanoseconds / 1_000_000 * players[n].skew)
  }
  /// When `step` sounds by the plan of player `n`, in true time.
  func due(_ step: Step, by n: Int) -> Instant { truth(n, of: players[n].ensemble.plan.deadline(Tick(of: step))) }
  /// The true time at an instant of a player's clock, to the microsecond's fraction.
  private func truth(_ n: Int, of instant: Instant) -> Instant {
    let rough = instant - players[n].ahead
    return rough
      - Nanoseconds(rough.nanoseconds / 1_000_000 * players[n].skew * 1_000_000 / (1_000_000 + players[n].skew))
  }
  func identity(_ n: Int) -> Identity { players[n].ensemble.identity }

  mutating func join(_ a: Int, _ b: Int) { players[a].ensemble.joined(identity(b), at: own(a)) }

  mutating func command<E: Error>(_ n: Int, _ body: (inout Ensemble, Instant) throws(E) -> Void) throws(E) {
    try body(&players[n].ensemble, own(n))
    drain(n)
  }

  /// Lets true time pass in steps of a millisecond.
  mutating func run(for length: Nanoseconds) {
    let end = now + length
    while now < end {
      now = now + .milliseconds(1)
      if now >= nextProbe {
        nextProbe = nextProbe + .milliseconds(20)
        probe()
      }
      let arrived = messages.filter { $0.due <= now }
      messages.removeAll { $0.due <= now }
      for message in arrived {
        players[message.to].ensemble.received(message.statement, from: identity(message.from), at: own(message.to))
        drain(message.to)
      }
      for n in players.indices {
        players[n].ensemble.advance(to: own(n))
        drain(n)
        hear(n)
      }
    }
  }

  private mutating func hear(_ n: Int) {
    let plan = players[n].ensemble.plan
    while let tick = players[n].cursor.take(in: plan, at: own(n)) {
      if players[n].run != plan.run {
        players[n].run = plan.run
        players[n].runs.append([])
      }
      guard let step = tick.beginsStep else { continue }
      let at = truth(n, of: plan.deadline(tick))
      players[n].runs[players[n].runs.count - 1].append(Sounded(step: step, at: at))
    }
  }

  private mutating func drain(_ n: Int) {
    for effect in players[n].ensemble.takeEffects() {
      players[n].events.append(effect)
      guard case .tell(let statement, let to) = effect else { continue }
      for other in players.indices where other != n && (to == nil || to == identity(other)) && connected(n, other) {
        guard Double(random.next() >> 11) / Double(1 << 53) >= loss else { continue }
        let late = Nanoseconds(random.integer(in: delay))
        messages.append(Message(due: now + late, to: other, from: n, statement: statement))
      }
    }
  }

  private mutating func probe() {
    for a in players.indices {
      for b in players.indices where a != b && connected(a, b) {
        guard Double(random.next() >> 11) / Double(1 << 53) >= loss else { continue }
        let out = Nanoseconds(random.integer(in: delay))
        let back = Nanoseconds(random.integer(in: delay))
        let answered = own(b, at: now - back)
        let question = ClockTransit(.out, sent: own(a, at: now - back - out), received: answered)
        players[a].ensemble.measured(question, with: identity(b), at: own(a))
        let answer = ClockTransit(.back, sent: answered, received: own(a))
        players[a].ensemble.measured(answer, with: identity(b), at: own(a))
        drain(a)
      }
    }
  }
}
