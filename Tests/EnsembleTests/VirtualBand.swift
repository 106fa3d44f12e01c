import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import Playback
import _TestSupport

/// Several ensembles in one process on a virtual network. Each has its own clock. Messages take time, may be lost and
/// may overtake each other. Players crash, leave and come back. A lost controller arrives later, as from a recovery
/// journal: with the newest value and without the instant from which it counts. An ensemble is advanced on input and
/// when its deadline has come, never otherwise. Everything is determined by the seed.
struct VirtualBand {
  enum Letter {
    case timelineMessage(TimelineMessage)
    case presence(Presence)
    case exclusive([UInt8])
    case message(Message, at: Instant)
    case journal(UInt7)
  }

  enum Occurrence {
    /// The next round of clock probes.
    case probes
    case letter(Letter, from: Int, to: Int)
  }

  var world: VirtualWorld<Occurrence>
  var players: [Player]
  /// Returns whether two players hear each other. A function that returns false for some pairs divides the network.
  var connected: (Int, Int) -> Bool = { _, _ in true }
  /// The time between two clock probes of a pair.
  var pace = Nanoseconds.milliseconds(40)
  /// The newest value of each controller, by sender and receiver, for ``Letter/journal(_:)``.
  var journals: [[UInt8: UInt8]]
  /// Whether activity and totals are delivered.
  let carriesActivity: Bool
  private var isProbing = true

  /// - Parameters:
  ///   - activity: the initial activity of the first players; the others have 0. Without it, activity and totals are not delivered.
  ///   - joined: whether all players join after a second, and hear each other's presence.
  init(players count: Int, seed: UInt64, loss: Double = 0, activity: [UInt8]? = nil, joined: Bool = true) {
    var random = SplitMix(seed: seed)
    carriesActivity = activity != nil
    let activity = activity ?? []
    players = (0..<count).map { n in
      Player(
        EnsembleState(identity: Identity(random.next()), activity: n < activity.count ? activity[n] : 0),
        ahead: Nanoseconds(random.integer(in: -10_000_000_000_000...10_000_000_000_000)))
    }
    journals = Array(repeating: [:], count: count * count)
    world = VirtualWorld(at: Instant(nanoseconds: 1_000_000_000), random: random, loss: loss)
    world.add(.probes, at: now)
    guard joined else { return }
    run(for: .seconds(1))
    for a in players.indices { for b in players.indices where a != b { join(a, b) } }
    run(for: .milliseconds(300))
  }

  /// True time.
  var now: Instant { world.now }
  /// The random numbers of the seed.
  var random: SplitMix {
    get { world.random }
    set { world.random = newValue }
  }
  var loss: Double {
    get { world.loss }
    set { world.loss = newValue }
  }
  /// The range of the one-way delay in nanoseconds.
  var delay: ClosedRange<Int64> {
    get { world.delays }
    set { world.delays = newValue }
  }

  /// The local time of player `n`.
  func own(_ n: Int) -> Instant { players[n].localTime(at: now) }
  /// The true time at which `step` sounds by the schedule of player `n`.
  func due(_ step: Step, by n: Int) -> Instant {
    players[n].trueTime(of: players[n].ensemble.schedule.deadline(Tick(of: step)))
  }
  func identity(_ n: Int) -> Identity { players[n].ensemble.identity }
  func role(_ n: Int) -> Role { players[n].ensemble.role }
  /// The players that are alive and lead a rhythm.
  var masters: [Int] { players.indices.filter { players[$0].isAlive && role($0) == .master } }
  /// All players by identity, lowest first.
  var line: [Int] { players.indices.sorted { identity($0) < identity($1) } }

  // MARK: Joining and leaving

  mutating func join(_ a: Int, _ b: Int, named name: String? = nil) {
    players[a].ensemble.joined(identity(b), named: name, at: own(a))
    drain(a)
  }

  /// All players join each other.
  mutating func meet(named names: [String] = []) {
    for a in players.indices { for b in players.indices where a < b { meet(a, b, named: names) } }
  }

  mutating func meet(_ a: Int, _ b: Int, named names: [String] = []) {
    for (x, y) in [(a, b), (b, a)] { join(x, y, named: y < names.count ? names[y] : nil) }
  }

  mutating func part(_ a: Int, _ b: Int) {
    for (x, y) in [(a, b), (b, a)] {
      players[x].ensemble.left(identity(y), at: own(x))
      drain(x)
    }
  }

  /// From now on, player `n` sends and receives nothing.
  mutating func crash(_ n: Int) { players[n].isAlive = false }

  /// Player `n` says BY to all others and ends.
  mutating func leave(_ n: Int) {
    players[n].isAlive = false
    for other in players.indices where other != n && players[other].isAlive {
      players[other].ensemble.left(identity(n), at: own(other))
      settle(other)
    }
  }

  /// Starts player `n` again with the identity and the highest term that it had saved.
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

  /// All sessions of player `n` begin again.
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

  // MARK: Time

  /// Lets true time pass.
  ///
  /// - Parameter probing: whether the players probe each other's clocks.
  mutating func run(for length: Nanoseconds, probing: Bool = true) {
    isProbing = probing
    let end = now + length
    while true {
      while let event = world.takeEvent() { handle(event) }
      var next = min(end, world.nextEvent)
      for n in players.indices {
        let wakes = wake(n)
        if wakes < next { next = wakes }
      }
      // A player may have sent a message that arrives at once.
      next = min(next, world.nextEvent)
      if next <= now, world.nextEvent > now { break }
      world.advance(to: next)
    }
  }

  private mutating func handle(_ event: Occurrence) {
    switch event {
    case .letter(let letter, let sender, let receiver): deliver(letter, from: sender, to: receiver)
    case .probes:
      world.add(.probes, at: now + pace)
      if isProbing { probe() }
    }
  }

  /// Lets player `n` do what is due.
  ///
  /// - Returns: the true time at which it has something to do again.
  private mutating func wake(_ n: Int) -> Instant {
    let player = players[n]
    guard player.isAlive else { return .distantFuture }
    if player.isChanged || player.wakes <= now {
      if player.isChanged || player.deadline <= own(n) { settle(n) }
      let local = own(n)
      player.playTicks(at: local)
      player.isChanged = false
      let due = min(player.deadline, player.ticksDue)
      // A deadline that remains due after four advances is looked at again a millisecond later. One that lies more than
      // a day ahead stands for none.
      player.wakes =
        due <= local
        ? now + .milliseconds(1) : due > local + .seconds(86_400) ? .distantFuture : player.trueTime(of: due)
    }
    return player.wakes
  }

  /// Advances player `n` as long as its deadline has passed, and sends its messages.
  private mutating func settle(_ n: Int) {
    let (player, local) = (players[n], own(n))
    player.deadline = player.ensemble.nextDeadline
    var rounds = 0
    while player.deadline <= local, rounds < 4 {
      player.ensemble.advance(to: local)
      player.deadline = player.ensemble.nextDeadline
      rounds += 1
    }
    if rounds == 4 { player.spins += 1 }
    drain(n)
  }
}
