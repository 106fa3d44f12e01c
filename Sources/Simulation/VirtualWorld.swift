import Ensemble
import MIDI
public import MusicalTime
import PeerProtocol
import RTPMIDI
public import Rhythm

/// A simulation: hosts with different clocks, the peers that run on them, a virtual network, and a scenario. The seed
/// determines every event and every bit of the result.
///
/// The true time is the time of the simulation. It begins at 0. The clock of each host shows a different local time.
///
/// A world belongs to one thread. Real-time: not safe.
public final class VirtualWorld {
  /// The settings of a simulation.
  ///
  /// Real-time: not safe.
  public struct Settings: Sendable {
    /// The number of hosts, each with one peer.
    public var peers = 4
    /// The network between all hosts.
    public var network = NetworkModel.lan
    /// The seed of all random numbers.
    public var seed: UInt64 = 1
    /// The probe rate limit: the maximum number of clock probe requests per second that each peer accepts from every other peer. A
    /// low limit makes a simulation faster, but does not make the task of the peers easier.
    public var probeRateLimit: UInt16 = 50
    /// The hits of the rhythms of all peers.
    public var table: StepTable
    /// Whether the random scenario has scores.
    public var hasScores = false
    /// Whether all peers have the same passkey.
    public var hasPasskey = false
    /// Which peers know the addresses of others, and which hosts reach each other. Nil: all hosts reach each other, and the peers discover
    /// each other.
    var shape: BandShape?
    /// The rule that is disabled. Nil in a regular simulation.
    package var disabledRule: EnsembleRule?

    public init(table: StepTable) { self.table = table }
  }

  /// A machine with a clock, on which a peer runs. The peer may be restarted.
  struct Host {
    let identity: Identity
    let name: String
    var clock: VirtualClock
    /// Nil while no peer runs, and while the machine is suspended.
    var peer: VirtualPeer?
    /// The peer on a suspended machine, and the true time at which the suspension began.
    var suspended: (peer: VirtualPeer, since: Instant)?
    /// The number of peers that have been started here.
    var lives = 0
    /// The term of the last claim of the peer. A restarted peer gets this term.
    var term: UInt64 = 0
    /// The gates that the player has set.
    var gates = Gates()
    /// The hosts of the peers whose notes do not sound here. The notes of all other peers sound with 60 % of their
    /// velocity, the default percentage of `--hear`.
    var unheard: Set<Int> = []
    /// The keys that the player holds.
    var keys: [UInt7] = []
  }

  /// The time from the announcement of a peer, or from the end of a partition, until the other peers discover the peer.
  static let discoveryDelay = Nanoseconds.milliseconds(200)
  /// The key of the group, if there is a passkey. The computation of a key from a passkey is not simulated.
  private static let key = GroupKey([UInt8](repeating: 0x5A, count: 32))
  /// The interval between two evaluations of the invariants. It is longer in a world of more than 16 hosts.
  private var checkInterval: Nanoseconds { .milliseconds(hosts.count <= 16 ? 50 : 250) }

  /// An event of the world: the scenario acts, the invariants are evaluated, or the newcomers are discovered. In the
  /// event queue, the raw value takes the place of the host.
  enum Due: Int { case scenario, check, discovery }

  let settings: Settings
  /// The network, which also has the event queue and the true time.
  let wire: VirtualWire
  private let pattern: Pattern
  /// The scores of the world; empty without ``Settings/hasScores``.
  let pieces: [RandomPiece]
  private let mutation: RuleMutation
  var hosts: [Host]
  /// Generates the seeds for the random numbers of new peers.
  var random: SplitMix
  private let scenario: any Scenario
  let checker: InvariantChecker
  /// The true time at which the simulation ends.
  private let end: Instant
  /// The hosts whose peers have joined or become reachable, and have not been discovered yet.
  var newcomers: [Int] = []

  /// Creates a world that runs `scenario` for `length`. Each host gets a clock that is 1 to 1000 s ahead of the true time and
  /// runs up to 100 ppm (100 000 ns per second) faster or slower.
  init(_ settings: Settings, scenario: any Scenario, length: Nanoseconds) {
    var random = SplitMix(seed: settings.seed)
    (self.settings, self.scenario) = (settings, scenario)
    hosts = (0..<settings.peers).map { n in
      let ahead = Nanoseconds(random.integer(in: 1_000_000_000...1_000_000_000_000))
      let gain = random.integer(in: -100_000...100_000)
      return Host(
        identity: Identity(random.next()), name: "peer \(n + 1)", clock: VirtualClock(ahead: ahead, gain: gain))
    }
    wire = VirtualWire(settings.network, hosts: settings.peers, random: SplitMix(seed: random.next()))
    wire.links = settings.shape?.links
    pattern = Pattern(settings.table)
    // The scores must not change the random numbers of the other scenarios.
    var composer = SplitMix(seed: settings.seed ^ 0x5343_4F52_45)
    pieces = settings.hasScores ? (0..<3).map { _ in RandomPiece(&composer) } : []
    mutation = RuleMutation(settings.disabledRule)
    checker = InvariantChecker(settings, length: length)
    end = Instant(nanoseconds: 0) + length
    self.random = random
    // Some rules are disabled only for messages between two masters, so the mutation must know which peers are masters.
    mutation.mastery = { [unowned self] host in
      guard let ensemble = hosts[host].peer?.core.ensemble, ensemble.role == .master else { return nil }
      return ensemble.claim
    }
    checker.world = self
    wire.events.push(.world, host: Due.scenario.rawValue, at: wire.now)
    wire.events.push(.world, host: Due.check.rawValue, at: wire.now + checkInterval)
  }

  /// The true time.
  var now: Instant { wire.now }

  /// Simulates until `instant` of true time or until the end.
  ///
  /// - Returns: false at the end.
  public func run(until instant: Instant) -> Bool {
    let limit = min(instant, end)
    while let event = wire.advance(until: limit) {
      let host = Int(event.host)
      switch event.kind {
      case .packet:
        if let peer = hosts[host].peer {
          peer.receive(Int(event.value))
          collectEvents(of: peer)
        } else {
          wire.release(Int(event.value))
        }
      // A waking is obsolete if it was scheduled for an earlier peer at this host, or if the thread has already run for it.
      case .control:
        guard let peer = hosts[host].peer, peer.life == event.value, peer.isControlDue else { break }
        peer.runControlThread()
        hosts[host].term = peer.core.ensemble.ownTerm
        checker.recordActivity(of: peer)
        collectEvents(of: peer)
      case .clock:
        guard let peer = hosts[host].peer, peer.life == event.value, peer.isClockDue else { break }
        peer.runClockThread()
        collectEvents(of: peer)
      case .network:
        guard let peer = hosts[host].peer, peer.life == event.value, peer.isNetworkDue else { break }
        peer.playTimedMessages()
        collectEvents(of: peer)
      case .world: handle(Due(rawValue: host)!)
      }
    }
    wire.now = limit
    return limit < end
  }

  /// The result so far.
  public var outcome: Outcome {
    var outcome = checker.outcome(packets: wire.sent, lost: wire.lost)
    outcome.forged = (scenario as? RandomScenario)?.hostile?.sent ?? 0
    return outcome
  }

  /// Handles an event of the world. Schedules the next event of the scenario or the next evaluation.
  private func handle(_ due: Due) {
    switch due {
    case .scenario: wire.events.push(.world, host: Due.scenario.rawValue, at: scenario.advance(self))
    case .check:
      checker.evaluate()
      wire.events.push(.world, host: Due.check.rawValue, at: now + checkInterval)
    case .discovery: introduce()
    }
  }

  /// Passes the events of a peer to the checker.
  private func collectEvents(of peer: VirtualPeer) {
    guard !peer.events.isEmpty else { return }
    checker.record(peer.events, of: peer)
    peer.events = []
  }

  // MARK: Actions of a scenario

  /// Starts a peer at `host`. After a restart, the peer has its stored identity and term. Neighbouring hosts choose different rhythms, and
  /// every fifth peer plays its own rhythm.
  func enter(_ host: Int, activity: UInt8 = 0) {
    guard hosts[host].peer == nil else { return }
    hosts[host].lives += 1
    let known = hosts[host]
    var ensemble = EnsembleState(identity: known.identity, ownTerm: known.term)
    // The invariant of the total activity assumes that a further player never lowers it.
    ensemble.chooseRule(.sum, at: .init(nanoseconds: 0))
    if mutation.rule == .failover { ensemble.masterLoss = .stop }
    if mutation.rule != .gate { ensemble.gates = known.gates }
    let localNow = known.clock.local(at: now)
    let peer = VirtualPeer(
      host: host, life: known.lives, name: known.name, key: settings.hasPasskey ? Self.key : nil, ensemble: ensemble,
      invitations: InvitationList(
        to: settings.shape?.configured[host].map { InvitationList.Place(SocketAddress(host: $0, .control)) } ?? [],
        local: known.identity, at: localNow),
      clock: known.clock, wire: wire, pattern: pattern, probeRateLimit: settings.probeRateLimit, mutation: mutation,
      random: SplitMix(seed: random.next()))
    hosts[host].peer = peer
    setHearing(of: peer)
    peer.core.ensemble.setActivity(activity, at: localNow)
    peer.core.ensemble.followsPatch = host % 5 != 4
    peer.choose(pattern.documents[host % pattern.documents.count], at: localNow)
    peer.wake(in: .zero)
    checker.entered(host)
    announce([host])
  }

  /// Ends the process of a peer without a goodbye (BY).
  func crash(_ host: Int) {
    checker.left(host)
    hosts[host].peer?.releaseArrivals()
    hosts[host].peer = nil
    hosts[host].keys = []
  }

  /// Suspends the machine of a peer, as when the lid of a laptop is closed. Until ``resume(_:)``, the machine neither sends nor
  /// receives, and its clock stands still.
  func suspend(_ host: Int) {
    guard let peer = hosts[host].peer else { return }
    checker.left(host)
    peer.releaseArrivals()
    (hosts[host].suspended, hosts[host].peer) = ((peer, now), nil)
  }

  /// Resumes a suspended machine.
  func resume(_ host: Int) {
    guard let (peer, since) = hosts[host].suspended else { return }
    peer.resume(after: now - since)
    (hosts[host].suspended, hosts[host].peer, hosts[host].clock) = (nil, peer, peer.clock)
    checker.entered(host)
  }

  /// Lets a peer end its sessions and then its process.
  func leave(_ host: Int) {
    guard let peer = hosts[host].peer else { return }
    peer.leave()
    collectEvents(of: peer)
    crash(host)
    for other in hosts.compactMap(\.peer) where wire.reaches(host, other.host) {
      let roster = other.core.roster
      other.core.invitations.withdrawn(
        peer.identity, as: hosts[host].name, isInSession: { roster.session(of: $0) != nil }, now: other.now)
      other.wake(in: .zero)
    }
  }

  /// Partitions the network, or ends the partition. `parts` contains, for each host, the number of the part to which it belongs.
  func partition(into parts: [UInt8]) {
    wire.partition(into: parts)
    checker.partitioned()
    announce(Array(hosts.indices))
  }

  /// Executes a command of the player at `host`, and then the outputs of the peer. Does nothing if no peer runs there.
  func command<Failure: Error>(
    _ host: Int, _ body: (PeerCore, Instant) throws(Failure) -> Void
  ) throws(Failure) {
    guard let peer = hosts[host].peer else { return }
    defer {
      peer.performOutputs()
      hosts[host].term = peer.core.ensemble.ownTerm
      checker.recordActivity(of: peer)
      collectEvents(of: peer)
    }
    try body(peer.core, peer.now)
  }

  /// The player at `host` chooses one of the three rhythms of the world.
  func choose(_ rhythm: Int, at host: Int) {
    guard let peer = hosts[host].peer else { return }
    command(host) { _, now in peer.choose(pattern.documents[rhythm], at: now) }
    peer.wake(in: .zero)
  }

  /// The player at `host` chooses a score, or none.
  func choose(score: RandomPiece?, _ playsRhythm: Bool, at host: Int) {
    try? command(host) { core, now throws(CommandError) in
      try core.ensemble.choose(score.map { ($0.score, $0.document) }, playsRhythm: playsRhythm, at: now)
    }
    hosts[host].peer?.wake(in: .zero)
  }

  /// Changes the gates of a peer.
  func setGates(_ host: Int, _ change: (inout Gates) -> Void) {
    change(&hosts[host].gates)
    checker.changedGates(host)
    guard mutation.rule != .gate else { return }
    let gates = hosts[host].gates
    command(host) { core, _ in core.ensemble.gates = gates }
    hosts[host].peer?.wake(in: .zero)
  }

  /// Changes whether the player at `host` hears the player at the host `other`.
  func toggleHearing(_ host: Int, of other: Int) {
    hosts[host].unheard.formSymmetricDifference([other])
    guard let peer = hosts[host].peer else { return }
    command(host) { [self] _, _ in setHearing(of: peer) }
  }

  /// Sets which players the player of a peer hears.
  private func setHearing(of peer: VirtualPeer) {
    var hearing = HearingChoices()
    try? hearing.apply("all=60")
    if mutation.rule != .hearing {
      for other in hosts[peer.host].unheard { try? hearing.apply("\(hosts[other].identity)=0") }
    }
    peer.core.hearing = hearing
  }

  /// The host of the master. Nil if there is no master or more than one.
  var master: Int? {
    let masters = hosts.indices.filter { hosts[$0].peer?.core.ensemble.role == .master }
    return masters.count == 1 ? masters[0] : nil
  }

  /// The host of the peer with this identity.
  func host(of identity: Identity) -> Int? { hosts.firstIndex { $0.identity == identity } }
}
