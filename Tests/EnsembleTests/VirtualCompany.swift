import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import Playback
import Seeds

/// Several ensembles in one process that tell each other all they have to tell: timeline messages, presence, activity. Each has a
/// clock of its own; messages take time, and may be lost. What is lost of a controller comes later, as a recovery journal
/// tells it: the newest value, and not when it counts. An ensemble is advanced when its deadline has come and on input, never
/// otherwise. Everything comes from the seed.
struct VirtualCompany {
  struct Player {
    var ensemble: EnsembleState
    /// This peer's clock minus true time.
    var ahead: Nanoseconds
    var cursor = TickCursor(lead: EnsembleState.standardSoundLead)
    /// What sounded: the step, and the total its layers went by.
    var steps: [(step: Step, total: UInt8)] = []
    var channels: [Channel?] = []
    var doubts: [Event] = []
    /// When it sent which controller.
    var sent: [(at: Instant, controller: UInt7, value: UInt8)] = []
    /// When it presented itself.
    var presented: [(at: Instant, to: Identity)] = []
  }

  private enum Letter {
    case timelineMessage(TimelineMessage)
    case exclusive([UInt8])
    case message(Message, at: Instant)
    case journal(UInt7)
  }

  private struct Envelope {
    var from: Int
    var to: Int
    var letter: Letter
  }

  private(set) var now = Instant(nanoseconds: 1_000_000_000)
  var players: [Player]
  var loss: Double
  var delay: ClosedRange<Int64> = 100_000...3_000_000
  var connected: (Int, Int) -> Bool = { _, _ in true }
  var random: SplitMix
  /// By the millisecond in which they arrive.
  private var mail: [Int64: [Envelope]] = [:]
  private var journals: [[UInt8: UInt8]]

  init(players count: Int, seed: UInt64, loss: Double = 0, activity: [UInt8] = []) {
    var random = SplitMix(seed: seed)
    players = (0..<count).map { n in
      Player(
        ensemble: EnsembleState(
          identity: Identity(random.next()), activity: n < activity.count ? activity[n] : 0),
        ahead: Nanoseconds(random.integer(in: -10_000_000_000_000...10_000_000_000_000)))
    }
    journals = Array(repeating: [:], count: count * count)
    self.random = random
    self.loss = loss
  }

  func own(_ n: Int) -> Instant { now + players[n].ahead }
  func identity(_ n: Int) -> Identity { players[n].ensemble.identity }

  /// Everybody meets everybody.
  mutating func meet(named names: [String] = []) {
    for a in players.indices { for b in players.indices where a < b { meet(a, b, named: names) } }
  }

  mutating func meet(_ a: Int, _ b: Int, named names: [String] = []) {
    for (x, y) in [(a, b), (b, a)] {
      players[x].ensemble.joined(identity(y), named: y < names.count ? names[y] : nil, at: own(x))
      drain(x)
    }
  }

  mutating func part(_ a: Int, _ b: Int) {
    for (x, y) in [(a, b), (b, a)] {
      players[x].ensemble.left(identity(y), at: own(x))
      drain(x)
    }
  }

  mutating func command<E: Error>(_ n: Int, _ body: (inout EnsembleState, Instant) throws(E) -> Void) throws(E) {
    try body(&players[n].ensemble, own(n))
    players[n].ensemble.advance(to: own(n))
    drain(n)
  }

  mutating func setActivity(_ level: UInt8, of n: Int) { command(n) { $0.setActivity(level, at: $1) } }

  /// Lets true time pass in steps of a millisecond.
  mutating func run(for length: Nanoseconds, probing: Bool = true) {
    let end = now + length
    while now < end {
      now = now + .milliseconds(1)
      let millisecond = now.nanoseconds / 1_000_000
      if probing, millisecond % 40 == 0 { probe() }
      for envelope in mail.removeValue(forKey: millisecond) ?? [] { deliver(envelope) }
      for n in players.indices {
        if players[n].ensemble.nextDeadline <= own(n) {
          players[n].ensemble.advance(to: own(n))
          drain(n)
        }
        hear(n)
      }
    }
  }

  private mutating func hear(_ n: Int) {
    let schedule = players[n].ensemble.schedule
    while let tick = players[n].cursor.take(in: schedule, at: own(n)) {
      if let step = tick.beginsStep { players[n].steps.append((step, schedule.intensity.value(at: tick))) }
    }
  }

  private mutating func drain(_ n: Int) {
    for effect in players[n].ensemble.takeOutputs() {
      switch effect {
      case .timelineMessage(let timelineMessage, let to, _): post(.timelineMessage(timelineMessage), from: n, to: to)
      case .presence(let presence, let to, _):
        players[n].presented.append((now, to))
        post(.exclusive(presence.systemExclusive), from: n, to: to)
      case .message(let message, let instant, let to):
        guard case .controlChange(_, let controller, let value) = message else { break }
        players[n].sent.append((now, controller, value.value))
        // A stamp counts whole units of 100 us.
        let stamp = Instant(nanoseconds: instant.nanoseconds / 100_000 * 100_000)
        for other in players.indices where to == nil || to == identity(other) {
          journals[n * players.count + other][controller.value] = value.value
        }
        post(.message(message, at: stamp), from: n, to: to)
      case .event(.channel(let channel)): players[n].channels.append(channel)
      case .event(.warning(let peer, let warning)): players[n].doubts.append(.warning(peer, warning))
      default: break
      }
    }
  }

  private mutating func post(_ letter: Letter, from n: Int, to: Identity?) {
    for other in players.indices where other != n && (to == nil || to == identity(other)) {
      let isLost = !connected(n, other) || isUnlucky()
      let late = Nanoseconds(random.integer(in: delay))
      if !isLost {
        put(Envelope(from: n, to: other, letter: letter), at: now + late)
      } else if case .message(.controlChange(_, let controller, _), _) = letter {
        put(Envelope(from: n, to: other, letter: .journal(controller)), at: now + late + .milliseconds(40))
      }
    }
  }

  private mutating func put(_ envelope: Envelope, at instant: Instant) {
    mail[(instant.nanoseconds + 999_999) / 1_000_000, default: []].append(envelope)
  }

  private mutating func isUnlucky() -> Bool { Double(random.next() >> 11) / Double(1 << 53) < loss }

  private mutating func deliver(_ envelope: Envelope) {
    let (n, sender) = (envelope.to, identity(envelope.from))
    guard connected(envelope.from, n) else {
      if case .journal = envelope.letter { put(envelope, at: now + .milliseconds(50)) }
      return
    }
    players[n].ensemble.heard(sender, at: own(n))
    switch envelope.letter {
    case .timelineMessage(let timelineMessage): players[n].ensemble.received(timelineMessage, from: sender, at: own(n))
    case .exclusive(let octets): players[n].ensemble.received(systemExclusive: octets, from: sender, at: own(n))
    case .message(let message, let instant):
      _ = players[n].ensemble.received(message, at: instant, isRecovered: false, from: sender, now: own(n))
    case .journal(let controller):
      let value = journals[envelope.from * players.count + n][controller.value] ?? 0
      _ = players[n].ensemble.received(
        .controlChange(Channel(wire: 0), controller: controller, value: UInt7(masking: value)), at: own(envelope.from),
        isRecovered: true, from: sender, now: own(n))
    }
    players[n].ensemble.advance(to: own(n))
    drain(n)
  }

  private mutating func probe() {
    for a in players.indices {
      for b in players.indices where a != b && connected(a, b) {
        guard !isUnlucky() else { continue }
        let out = Nanoseconds(random.integer(in: delay))
        let back = Nanoseconds(random.integer(in: delay))
        let answered = own(b) - back
        players[a].ensemble.heard(identity(b), at: own(a))
        players[a].ensemble.measured(
          ClockTransit(.out, sent: own(a) - back - out, received: answered), with: identity(b), at: own(a))
        players[a].ensemble.measured(
          ClockTransit(.back, sent: answered, received: own(a)), with: identity(b), at: own(a))
        drain(a)
      }
    }
  }
}

// What is common to what is tested of activity.
extension VirtualCompany {
  /// Peers in session, the first of whom plays.
  static func playing(
    _ count: Int, seed: UInt64, loss: Double = 0, activity: [UInt8] = [], rule: ActivityRule = .sum
  ) throws -> VirtualCompany {
    var company = VirtualCompany(players: count, seed: seed, loss: loss, activity: activity)
    for n in company.players.indices { company.players[n].ensemble.activityRule = rule }
    company.meet()
    company.run(for: .seconds(2))
    try company.command(0) { try $0.start(tempo: .standard, at: $1) }
    return company
  }

  /// The total by which a player played its last step.
  func played(by n: Int) -> UInt8? { players[n].steps.last?.total }
}
