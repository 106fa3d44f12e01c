import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI

/// Evaluates the invariants of a world and collects the figures of the outcome. The checker observes the peers from outside: the
/// steps, the sounds and the events. It knows the true time, the state of the network and the commands of the players.
final class InvariantChecker {
  unowned var world: VirtualWorld!
  /// The state of each host.
  var watched: [HostState]
  /// The state of each pair of hosts. Empty in a world of more than 16 hosts.
  var pairs: [Pair]
  var outcome: Outcome
  /// The number of evaluations so far.
  private var evaluations = 0
  /// The number of rhythms that were started so far.
  var rhythms = 0

  init(_ settings: VirtualWorld.Settings, length: Nanoseconds) {
    watched = Array(repeating: HostState(), count: settings.peers)
    pairs = settings.peers <= 16 ? Array(repeating: Pair(), count: settings.peers * settings.peers) : []
    outcome = Outcome(seed: settings.seed, peers: settings.peers, network: settings.network.name, length: length)
  }

  var now: Instant { world.now }

  func outcome(packets: Int64, lost: Int64) -> Outcome {
    var outcome = self.outcome
    (outcome.packets, outcome.lost) = (packets, lost)
    return outcome
  }

  /// Counts an evaluation of `invariant`, and a violation if `holds` is false.
  func expect(
    _ invariant: Invariant, _ holds: Bool, of host: Int, _ expected: @autoclosure () -> String,
    _ seen: @autoclosure () -> String
  ) {
    outcome.evaluations[invariant, default: 0] += 1
    guard !holds else { return }
    outcome.add(
      Violation(
        invariant: invariant, peer: world.hosts[host].name, seconds: Double(now.nanoseconds) / 1e9,
        expected: expected(),
        seen: seen()))
  }

  // MARK: Actions of the scenario

  func entered(_ host: Int) {
    let (gates, behind) = (watched[host].gatesChanged, watched[host].behind)
    watched[host] = HostState()
    (watched[host].calm, watched[host].roleSince, watched[host].gatesChanged) = (now, now, gates)
    watched[host].behind = behind
    forgetPairs(of: host)
    outcome.hash(UInt32(host))
  }

  func left(_ host: Int) {
    watched[host].held = [:]
    watched[host].last = nil
    noteLastLevel(of: host)
    forgetPairs(of: host)
  }

  func partitioned() {
    for host in watched.indices {
      (watched[host].calm, watched[host].parted) = (now, now)
      noteLastLevel(of: host)
    }
    for index in pairs.indices { pairs[index].apart = nil }
  }

  /// Records the highest activity with which other peers may count a peer that disappears now. The peer may have reported an
  /// activity since the last evaluation, and it may have disappeared once before a short time ago.
  private func noteLastLevel(of host: Int) {
    let before = watched[host].behind
    let counts = now - before.at <= EnsembleState.activityPatience + .milliseconds(500)
    let level = max(highest(host), world.hosts[host].peer?.core.ensemble.activity ?? 0)
    watched[host].behind = (max(level, counts ? before.level : 0), now)
  }

  func changedGates(_ host: Int) { watched[host].gatesChanged = now }

  private func forgetPairs(of host: Int) {
    guard !pairs.isEmpty else { return }
    for other in watched.indices {
      pairs[host * watched.count + other] = Pair()
      pairs[other * watched.count + host] = Pair()
    }
  }

  // MARK: Events of the peers

  /// Records the activity of a peer. The master may receive a value that occurs only between two evaluations.
  func recordActivity(of peer: VirtualPeer) {
    guard !pairs.isEmpty else { return }
    let (level, known) = (peer.core.ensemble.activity, watched[peer.host].levels[evaluations % 12])
    watched[peer.host].levels[evaluations % 12] = min(level, known.lowerBound)...max(level, known.upperBound)
  }

  func record(_ events: [VirtualPeer.Event], of peer: VirtualPeer) {
    for event in events {
      switch event {
      case .step(let step): played(step, by: peer)
      case .sound(let message, let session): sounded(message, from: session, at: peer)
      case .core(let event): reported(event, by: peer)
      }
    }
  }

  private func reported(_ event: Ensemble.Event, by peer: VirtualPeer) {
    switch event {
    case .role(let role):
      outcome.hash(UInt64(bitPattern: now.nanoseconds) ^ UInt64(peer.host))
      if role == .master, watched[peer.host].role == .idle { outcome.starts += 1 }
      noteRhythm(of: peer.host, as: role)
      watched[peer.host].hadPlayed = watched[peer.host].last.map { $0.at > watched[peer.host].roleSince } ?? false
      (watched[peer.host].role, watched[peer.host].roleSince) = (role, now)
      if role != .idle { watched[peer.host].hasEnded = false }
      for other in watched.indices where watched[other].role == .follower(of: peer.identity) {
        if role == .master { watched[other].hasEnded = false }
        if role == .idle, world.wire.reaches(peer.host, other) { watched[other].hasEnded = true }
      }
    case .outranked: outcome.outranked += 1
    case .tookOver: outcome.takeovers += 1
    case .masterLost(let identity):
      // In a session with a leader, no other peer may control the rhythm, and none continues it. A peer cannot continue a
      // rhythm that it has not begun to play, and need not continue a rhythm that its master has ended.
      let isLed = world.hosts[peer.host].gates.areLed
      let hasEnded = world.host(of: identity).map { master in
        world.wire.reaches(master, peer.host) && watched[master].role == .idle
      }
      let mayEnd = isLed || !watched[peer.host].hadPlayed || watched[peer.host].hasEnded || hasEnded == true
      expect(
        .failover, mayEnd, of: peer.host, "the rhythm to continue",
        "an end of the rhythm with \(name(of: identity))")
    default: break
    }
  }

  func name(of identity: Identity) -> String { world.host(of: identity).map { world.hosts[$0].name } ?? "\(identity)" }

  // MARK: Evaluation

  /// Evaluates all invariants.
  func evaluate() {
    evaluations += 1
    // First the activities of all peers: a master may already have received a value that is new since the last evaluation.
    for host in world.hosts.indices {
      guard let level = world.hosts[host].peer?.core.ensemble.activity else { continue }
      watched[host].levels[evaluations % 12] = level...level
    }
    for host in world.hosts.indices { evaluate(host) }
    guard !pairs.isEmpty else { return }
    for a in world.hosts.indices {
      for b in world.hosts.indices where a < b {
        guard let first = world.hosts[a].peer, let second = world.hosts[b].peer else { continue }
        evaluate(first, second)
      }
    }
  }

  private func evaluate(_ host: Int) {
    guard let peer = world.hosts[host].peer else { return }
    expect(
      .rest, peer.spins < 1000, of: host, "a deadline in the future",
      "\(peer.spins) wakings for a deadline that has passed")
    evaluateSteps(of: peer)
    evaluateMaster(of: peer)
    evaluateNotes(at: peer)
    evaluateTotal(of: peer)
    evaluateChannel(of: peer)
  }

  private func evaluate(_ a: VirtualPeer, _ b: VirtualPeer) {
    let areInSession = a.core.roster.session(of: b.identity) != nil && b.core.roster.session(of: a.identity) != nil
    let reaches = world.wire.reaches(a.host, b.host)
    var pair = pairs[a.host * watched.count + b.host]
    // `apart` restarts with each session: a session that is replaced by a new one is missing for a moment.
    pair.apart = reaches && !areInSession ? pair.apart ?? now : nil
    pair.met = areInSession && reaches ? pair.met ?? now : nil
    let (isMaster, isOtherMaster) = (a.core.ensemble.role == .master, b.core.ensemble.role == .master)
    if reaches {
      let isLate = pair.apart.map { now - $0 > .seconds(15) } ?? false
      expect(.meeting, !isLate || pair.isReported, of: a.host, "a session with \(world.hosts[b.host].name)", "none")
      if isLate { pair.isReported = true }
    }
    let isRival =
      pair.met != nil && isMaster && isOtherMaster && a.core.ensemble.admits(.rhythm, from: b.identity)
      && b.core.ensemble.admits(.rhythm, from: a.identity)
    pair.rivals = isRival ? pair.rivals ?? now : nil
    if isMaster || isOtherMaster {
      expect(
        .oneMaster, pair.rivals.map { now - $0 <= .seconds(1) } ?? true, of: a.host, "one master",
        "two: \(world.hosts[b.host].name) is the other")
    }
    if pair.met == nil { pair.sharesChannel = nil }
    if let met = pair.met {
      let channel = a.core.ensemble.channel
      let shares = channel != nil && channel == b.core.ensemble.channel
      pair.sharesChannel = shares ? pair.sharesChannel ?? max(met, now) : nil
      expect(
        .channels, pair.sharesChannel.map { now - $0 <= .seconds(2) } ?? true, of: a.host, "an unshared channel",
        "the channel of \(world.hosts[b.host].name), \(channel.map { "\($0.number)" } ?? "-")")
    }
    pairs[a.host * watched.count + b.host] = pair
    pairs[b.host * watched.count + a.host] = pair
  }

  /// How long two peers have been in session with each other. Nil if they are not.
  func sessionAge(_ a: Int, _ b: Int) -> Nanoseconds? {
    if !pairs.isEmpty { return pairs[a * watched.count + b].met.map { now - $0 } }
    guard let first = world.hosts[a].peer, let second = world.hosts[b].peer,
      first.core.roster.session(of: second.identity) != nil, second.core.roster.session(of: first.identity) != nil
    else { return nil }
    return now - max(watched[a].calm, watched[b].calm)
  }
}
