import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import Playback
import _TestSupport

/// Several players in one process on a virtual network, for tests of ``EnsembleState``. Each player has an ensemble state and a
/// local clock.
///
/// - Messages are delayed, can be lost and can overtake each other.
/// - Players can crash, leave and return.
/// - If a control change is lost, a recovery journal transmits it later: with the newest value, and without the instant from
///   which the value applies.
/// - An ensemble state is advanced only on input and at its deadlines.
/// - The seed determines all random numbers. Two bands with the same seed and the same calls behave equally.
/// - ``Player`` is a class, so copies of a band share their players.
struct VirtualBand {
  /// A datagram between two players.
  enum Datagram {
    /// The data octets of a System Exclusive message.
    case exclusive([UInt8])
    case message(Message)
    /// A recovery journal that contains the controller with this number.
    case journal(UInt7)
  }

  /// An event in the queue of the network.
  enum NetworkEvent {
    /// The next round of clock probes.
    case probes
    /// The arrival of a datagram.
    case datagram(Datagram, from: Int, to: Int)
  }

  var world: EventWorld<NetworkEvent>
  var players: [Player]
  /// Returns whether two players can reach each other. A function that returns false for some pairs partitions the network.
  var connected: (Int, Int) -> Bool = { _, _ in true }
  /// The time between two clock probes of each pair of players.
  var probeInterval = Nanoseconds.milliseconds(100)
  /// The newest value of each controller that was sent, for ``Datagram/journal(_:)``. Element `sender * players.count +
  /// receiver` contains the controllers from this sender to this receiver.
  var journals: [[UInt8: UInt8]]
  /// Whether control changes, which contain activity and totals, are delivered.
  let carriesActivity: Bool
  private var isProbing = true

  /// - Parameters:
  ///   - activity: the initial activity of the first players; the others have 0. A nil element: the player has set none. Nil if activity and totals are not
  ///     delivered.
  ///   - joined: whether all players join each other after a second, and then run for 300 ms to exchange their presences.
  init(players count: Int, seed: UInt64, loss: Double = 0, activity: [UInt8?]? = nil, joined: Bool = true) {
    var random = SplitMix(seed: seed)
    carriesActivity = activity != nil
    let activity = activity ?? []
    // The local clocks differ from true time by up to 10 000 s.
    players = (0..<count).map { n in
      Player(
        EnsembleState(identity: Identity(random.next()), activity: n < activity.count ? activity[n] : 0),
        ahead: Nanoseconds(random.integer(in: -10_000_000_000_000...10_000_000_000_000)))
    }
    journals = Array(repeating: [:], count: count * count)
    world = EventWorld(at: Instant(nanoseconds: 1_000_000_000), random: random, loss: loss)
    world.add(.probes, at: now)
    guard joined else { return }
    run(for: .seconds(1))
    for a in players.indices { for b in players.indices where a != b { join(a, b) } }
    run(for: .milliseconds(300))
  }

  /// True time.
  var now: Instant { world.now }
  /// The generator of all random numbers.
  var random: SplitMix {
    get { world.random }
    set { world.random = newValue }
  }
  /// The probability that a packet is lost, 0...1.
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
  func localTime(of n: Int) -> Instant { players[n].localTime(at: now) }
  /// The true time at which `step` sounds by the schedule of player `n`.
  func dueTime(of step: Step, onScheduleOf n: Int) -> Instant {
    players[n].trueTime(of: players[n].ensemble.schedule.deadline(Tick(of: step)))
  }
  func identity(_ n: Int) -> Identity { players[n].ensemble.identity }
  func role(_ n: Int) -> Role { players[n].ensemble.role }
  /// The players that are alive and are masters.
  var masters: [Int] { players.indices.filter { players[$0].isAlive && role($0) == .master } }
  /// The order in which the players succeed a lost master: by identity, lowest first. The list also contains dead players.
  var successionOrder: [Int] { players.indices.sorted { identity($0) < identity($1) } }

  /// Lets only `leaders` control the rhythm at all players: the leader and then its deputies.
  mutating func lead(by leaders: [Int]) {
    let names = leaders.map { identity($0).description }
    for n in players.indices {
      players[n].ensemble.gates.setLeaders(names, local: names.first { $0 == identity(n).description })
    }
  }

  // MARK: Joining and leaving

  /// Player `a` gets a session with player `b`.
  ///
  /// - Parameter name: the name that player `b` reports.
  mutating func join(_ a: Int, _ b: Int, named name: String? = nil) {
    players[a].ensemble.joined(identity(b), named: name, at: localTime(of: a))
    sendOutputs(of: a)
  }

  /// Puts all players in session with each other.
  ///
  /// - Parameter names: the names of the first players.
  mutating func joinAll(named names: [String] = []) {
    for a in players.indices { for b in players.indices where a < b { joinEachOther(a, b, named: names) } }
  }

  /// Puts two players in session with each other.
  ///
  /// - Parameter names: the names of the first players of the band.
  mutating func joinEachOther(_ a: Int, _ b: Int, named names: [String] = []) {
    for (x, y) in [(a, b), (b, a)] { join(x, y, named: y < names.count ? names[y] : nil) }
  }

  /// Ends the session of two players.
  mutating func endSession(_ a: Int, _ b: Int) {
    for (x, y) in [(a, b), (b, a)] {
      players[x].ensemble.left(identity(y), at: localTime(of: x))
      sendOutputs(of: x)
    }
  }

  /// Crashes player `n`. It sends and receives nothing until it restarts.
  mutating func crash(_ n: Int) { players[n].isAlive = false }

  /// Player `n` quits: it ends all its sessions with BY, which arrives at once.
  mutating func leave(_ n: Int) {
    players[n].isAlive = false
    for other in players.indices where other != n && players[other].isAlive {
      players[other].ensemble.left(identity(n), at: localTime(of: other))
      advanceAndSend(other)
    }
  }

  /// Restarts player `n` with its saved identity and the saved bound of its terms. A peer claims only terms above this bound after a
  /// restart. The bound is 33 to 64 terms above the last term that the peer has claimed (`TermReservation`). The band uses 40.
  ///
  /// - Parameter timelineMessage: the saved timeline message of the rhythm that the player resumes; nil for none.
  mutating func restart(_ n: Int, resuming timelineMessage: TimelineMessage? = nil) throws(CommandError) {
    let old = players[n].ensemble
    players[n].ensemble = EnsembleState(identity: old.identity, ownTerm: old.ownTerm + 40)
    (players[n].cursor, players[n].run) = (TickCursor(lead: EnsembleState.standardSoundLead), 0)
    (players[n].sendCursor, players[n].lastSentTick) = (TickCursor(lead: .zero), nil)
    players[n].isAlive = true
    if let timelineMessage {
      try command(n) { ensemble, now throws(CommandError) in
        try ensemble.resume(timelineMessage, at: now)
      }
    }
    rejoin(n)
  }

  /// Begins new sessions of player `n` with all others that it can reach.
  mutating func rejoin(_ n: Int) {
    for other in players.indices where other != n && players[other].isAlive && connected(n, other) {
      join(other, n)
      join(n, other)
    }
  }

  /// Calls `body` with the ensemble and the local time of player `n`. Then advances the player and sends its messages.
  mutating func command<E: Error>(_ n: Int, _ body: (inout EnsembleState, Instant) throws(E) -> Void) throws(E) {
    try body(&players[n].ensemble, localTime(of: n))
    advanceAndSend(n)
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
        let wakeTime = executeDueWork(of: n)
        if wakeTime < next { next = wakeTime }
      }
      // A player may have sent a message that arrives at once.
      next = min(next, world.nextEvent)
      // `next` is later than `now` unless `end` has been reached or an event is due.
      if next <= now, world.nextEvent > now { break }
      world.advance(to: next)
    }
  }

  private mutating func handle(_ event: NetworkEvent) {
    switch event {
    case .datagram(let datagram, let sender, let receiver): deliver(datagram, from: sender, to: receiver)
    case .probes:
      world.add(.probes, at: now + probeInterval)
      if isProbing { probe() }
    }
  }

  /// Advances the ensemble of player `n` and plays its ticks, as far as they are due. Does nothing before
  /// ``Player/wakeTime``, unless the state of the player has changed.
  ///
  /// - Returns: the next ``Player/wakeTime``, which lies after ``now``.
  private mutating func executeDueWork(of n: Int) -> Instant {
    let player = players[n]
    guard player.isAlive else { return .distantFuture }
    if player.isChanged || player.wakeTime <= now {
      if player.isChanged || player.deadline <= localTime(of: n) { advanceAndSend(n) }
      let local = localTime(of: n)
      player.playTicks(at: local)
      player.isChanged = false
      let due = min(player.deadline, player.ticksDue)
      if due <= local {
        // The deadline is still due after four advances. The player checks it again a millisecond later.
        player.wakeTime = now + .milliseconds(1)
      } else if due > local + .seconds(86_400) {
        // A deadline that is more than a day ahead counts as none.
        player.wakeTime = .distantFuture
      } else {
        player.wakeTime = player.trueTime(of: due)
      }
    }
    return player.wakeTime
  }

  /// Advances the ensemble of player `n` while its deadline is due, at most four times. Then sends its messages.
  private mutating func advanceAndSend(_ n: Int) {
    let (player, local) = (players[n], localTime(of: n))
    player.deadline = player.ensemble.nextDeadline
    var rounds = 0
    while player.deadline <= local, rounds < 4 {
      player.ensemble.advance(to: local)
      player.deadline = player.ensemble.nextDeadline
      rounds += 1
    }
    if rounds == 4 { player.stuckDeadlines += 1 }
    sendOutputs(of: n)
  }
}
