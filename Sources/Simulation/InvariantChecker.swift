import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI

/// Evaluates the invariants of a world and collects the figures of the outcome. The checker observes the steps, the sounds and the
/// events of the peers. It also knows what the peers do not know: the true time, the state of the network and the commands of all
/// players.
final class InvariantChecker {
  unowned var world: VirtualWorld!
  /// The state of each host.
  var states: [HostState]
  /// The state of each pair of hosts a and b, twice: at index a * hosts + b and at index b * hosts + a. Empty in a world of
  /// more than 16 hosts.
  var pairs: [Pair]
  var outcome: Outcome
  /// The number of evaluations so far.
  private var evaluations = 0
  /// The number of rhythms that were started so far.
  var rhythms = 0
  /// The last change of a band (``evaluateBands()``), and the parts of the network at the last evaluation.
  var bandChangedAt = Instant(nanoseconds: 0)
  var lastBands: [[Int]] = []

  init(_ settings: VirtualWorld.Settings, length: Nanoseconds) {
    states = Array(repeating: HostState(), count: settings.peers)
    pairs = settings.peers <= 16 ? Array(repeating: Pair(), count: settings.peers * settings.peers) : []
    outcome = Outcome(seed: settings.seed, peers: settings.peers, network: settings.network.name, length: length)
  }

  var now: Instant { world.now }

  /// The result so far, with these numbers of packets sent and lost.
  func outcome(packets: Int64, lost: Int64) -> Outcome {
    var outcome = self.outcome
    (outcome.packets, outcome.lost) = (packets, lost)
    return outcome
  }

  /// Counts an evaluation of `invariant` for the peer at `host`, and a violation if `holds` is false. `expected` and `seen`
  /// describe the violation.
  func expect(
    _ invariant: Invariant, holds: Bool, of host: Int, expected: @autoclosure () -> String,
    seen: @autoclosure () -> String
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

  /// Begins a new state for `host`, where a peer was started or resumed. The last change of the gates and the last disappearance are
  /// kept, because both still affect other peers.
  func entered(_ host: Int) {
    bandChangedAt = now
    let (gatesChanged, disappearance) = (states[host].gatesChanged, states[host].disappearance)
    states[host] = HostState()
    (states[host].disturbedAt, states[host].roleSince, states[host].gatesChanged) = (now, now, gatesChanged)
    states[host].disappearance = disappearance
    forgetPairs(of: host)
    outcome.hash(UInt32(host))
  }

  /// Records that the process of the peer at `host` ends now, or that its machine is suspended now.
  func left(_ host: Int) {
    bandChangedAt = now
    states[host].held = [:]
    states[host].lastStep = nil
    recordDisappearance(of: host)
    forgetPairs(of: host)
  }

  /// Records that a partition of the network begins or ends now.
  func partitioned() {
    bandChangedAt = now
    for host in states.indices {
      (states[host].disturbedAt, states[host].phaseChangedAt) = (now, now)
      recordDisappearance(of: host)
    }
    // The time in which two peers must get into session (``Invariant/meeting``) counts from now.
    for index in pairs.indices { pairs[index].apartSince = nil }
  }

  /// Records the highest activity with which other peers may still count a peer that disappears now. The present activity is
  /// included, because the peer may have reported it since the last evaluation. If the peer also disappeared a short time ago, the
  /// activity that was recorded then is included, because other peers may still count the peer with this activity.
  private func recordDisappearance(of host: Int) {
    let previous = states[host].disappearance
    let previousCounts = now - previous.at <= EnsembleState.activityPatience + .milliseconds(500)
    let level = max(highest(host), world.hosts[host].peer?.core.ensemble.activity ?? 0)
    states[host].disappearance = (max(level, previousCounts ? previous.level : 0), now)
  }

  /// Records that the player at `host` changes the gates now.
  func changedGates(_ host: Int) { states[host].gatesChanged = now }

  private func forgetPairs(of host: Int) {
    guard !pairs.isEmpty else { return }
    for other in states.indices {
      pairs[host * states.count + other] = Pair()
      pairs[other * states.count + host] = Pair()
    }
  }

  // MARK: Events of the peers

  /// Adds the activity of a peer to its range since the last evaluation. The master may receive a value that occurs only
  /// between two evaluations.
  func recordActivity(of peer: VirtualPeer) {
    guard !pairs.isEmpty else { return }
    let index = evaluations % HostState.levelCount
    let (level, range) = (peer.core.ensemble.activity, states[peer.host].levels[index])
    states[peer.host].levels[index] = min(level, range.lowerBound)...max(level, range.upperBound)
  }

  /// Records the events of a peer since the last call, and evaluates the invariants that concern a single event.
  func record(_ events: [VirtualPeer.Event], of peer: VirtualPeer) {
    // The other invariants assume that a peer reaches its master directly.
    if world.settings.shape != nil { return recordRoles(events, of: peer) }
    for event in events {
      switch event {
      case .step(let step): played(step, by: peer)
      // All messages that pass a gate are recorded. A note that the player hears more softly, or not at all, is an event `recorded`.
      // If it sounds, it is also an event `heard`.
      case .sound(let message, let session):
        admitted(message, from: session, at: peer)
        heard(message, from: session, at: peer)
      case .heard(let message, let session): heard(message, from: session, at: peer)
      case .recorded(let message, let session): admitted(message, from: session, at: peer)
      case .core(let event): reported(event, by: peer)
      }
    }
  }

  /// Records an event of the ensemble at `peer`.
  private func reported(_ event: Ensemble.Event, by peer: VirtualPeer) {
    switch event {
    case .role(let role):
      outcome.hash(UInt64(bitPattern: now.nanoseconds) ^ UInt64(peer.host))
      if role == .master, states[peer.host].role == .idle { outcome.starts += 1 }
      recordRhythm(of: peer.host, as: role)
      states[peer.host].hadPlayed = states[peer.host].lastStep.map { $0.at > states[peer.host].roleSince } ?? false
      (states[peer.host].role, states[peer.host].roleSince) = (role, now)
      if role != .idle { states[peer.host].hasEnded = false }
      // If the peer is the master of other peers, its rhythm also begins or ends for these followers.
      for other in states.indices where states[other].role == .follower(of: peer.identity) {
        if role == .master { states[other].hasEnded = false }
        if role == .idle, world.wire.reaches(peer.host, other) { states[other].hasEnded = true }
      }
    case .outranked: outcome.outranked += 1
    case .tookOver: outcome.takeovers += 1
    case .masterLost(let identity):
      // The peer may end the rhythm in two cases. It cannot continue a rhythm that it has not begun to play. It need not continue a rhythm
      // that its master has ended.
      let isMasterIdle = world.host(of: identity).map { master in
        world.wire.reaches(master, peer.host) && states[master].role == .idle
      }
      let hasEnded = states[peer.host].hasEnded || isMasterIdle == true
      let mayEnd = !states[peer.host].hadPlayed || hasEnded
      expect(
        .failover, holds: mayEnd, of: peer.host, expected: "the rhythm to continue",
        seen: "its end when \(name(of: identity)) disappeared")
    case .left(let reference):
      // If a new session replaces this session before the next evaluation, the evaluation does not notice the replacement. The
      // time in session is therefore reset here.
      guard !pairs.isEmpty, let other = reference.identity.flatMap({ world.host(of: $0) }) else { break }
      pairs[peer.host * states.count + other].inSessionSince = nil
      pairs[other * states.count + peer.host].inSessionSince = nil
    default: break
    }
  }

  func name(of identity: Identity) -> String { world.host(of: identity).map { world.hosts[$0].name } ?? "\(identity)" }

  // MARK: Evaluation

  /// Evaluates all invariants.
  func evaluate() {
    evaluations += 1
    if world.settings.shape != nil { return evaluateBands() }
    // The activities of all peers are recorded first, because a master may already have received a value that has changed since the
    // last evaluation.
    for host in world.hosts.indices {
      guard let level = world.hosts[host].peer?.core.ensemble.activity else { continue }
      states[host].levels[evaluations % HostState.levelCount] = level...level
    }
    for host in world.hosts.indices { evaluatePeer(at: host) }
    guard !pairs.isEmpty else { return }
    for a in world.hosts.indices {
      for b in world.hosts.indices where a < b {
        guard let first = world.hosts[a].peer, let second = world.hosts[b].peer else { continue }
        evaluatePair(first, second)
      }
    }
  }

  /// Evaluates the invariants of one peer.
  private func evaluatePeer(at host: Int) {
    guard let peer = world.hosts[host].peer else { return }
    // A thousand wakings for the same deadline are an endless loop.
    expect(
      .rest, holds: peer.spins < 1000, of: host, expected: "a deadline in the future",
      seen: "\(peer.spins) wakings for a deadline that has passed")
    evaluateSteps(of: peer)
    evaluateMaster(of: peer)
    evaluateNotes(at: peer)
    evaluateTotal(of: peer)
    evaluateChannel(of: peer)
  }

  /// Evaluates the invariants of two peers: their session, that they are not both masters, and their channels.
  private func evaluatePair(_ a: VirtualPeer, _ b: VirtualPeer) {
    let areInSession = a.core.roster.session(of: b.identity) != nil && b.core.roster.session(of: a.identity) != nil
    let reaches = world.wire.reaches(a.host, b.host)
    var pair = pairs[a.host * states.count + b.host]
    // `apartSince` restarts after each session, because a session can be missing for a moment when a new one replaces it. If the
    // network has lost all packets in one direction for more than five seconds, it allows no session.
    let isCut = world.wire.lossesSince(between: a.host, and: b.host).map { now - $0 > .seconds(5) } ?? false
    pair.apartSince = reaches && !isCut && !areInSession ? pair.apartSince ?? now : nil
    pair.inSessionSince = areInSession && reaches ? pair.inSessionSince ?? now : nil
    let (isMaster, isOtherMaster) = (a.core.ensemble.role == .master, b.core.ensemble.role == .master)
    if reaches, !isCut {
      let isLate = pair.apartSince.map { now - $0 > .seconds(15) } ?? false
      expect(
        .meeting, holds: !isLate || pair.isReported, of: a.host,
        expected: "a session with \(world.hosts[b.host].name)", seen: "none")
      if isLate { pair.isReported = true }
    }
    let isRival =
      pair.inSessionSince != nil && isMaster && isOtherMaster && a.core.ensemble.admits(.rhythm, from: b.identity)
      && b.core.ensemble.admits(.rhythm, from: a.identity)
    pair.rivalsSince = isRival ? pair.rivalsSince ?? now : nil
    if isMaster || isOtherMaster {
      expect(
        .oneMaster, holds: pair.rivalsSince.map { now - $0 <= .seconds(1) } ?? true, of: a.host, expected: "one master",
        seen: "two masters; the other one is \(world.hosts[b.host].name)")
    }
    if pair.inSessionSince == nil {
      pair.sharesChannelSince = nil
    } else {
      let channel = a.core.ensemble.channel
      let shares = channel != nil && channel == b.core.ensemble.channel
      pair.sharesChannelSince = shares ? pair.sharesChannelSince ?? now : nil
      expect(
        .channels, holds: pair.sharesChannelSince.map { now - $0 <= .seconds(2) } ?? true, of: a.host,
        expected: "a channel of its own",
        seen: "channel \(channel.map { "\($0.number)" } ?? "-"), which \(world.hosts[b.host].name) uses too")
    }
    pairs[a.host * states.count + b.host] = pair
    pairs[b.host * states.count + a.host] = pair
  }

  /// The time for which the peers at two hosts have been in session with each other; nil if they are not in session. In a world
  /// without ``pairs``, the time since the last disturbance of one of the two.
  func sessionAge(_ a: Int, _ b: Int) -> Nanoseconds? {
    if !pairs.isEmpty { return pairs[a * states.count + b].inSessionSince.map { now - $0 } }
    guard let first = world.hosts[a].peer, let second = world.hosts[b].peer,
      first.core.roster.session(of: second.identity) != nil, second.core.roster.session(of: first.identity) != nil
    else { return nil }
    return now - max(states[a].disturbedAt, states[b].disturbedAt)
  }
}
