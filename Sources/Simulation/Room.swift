import Ensemble
import MIDI
public import MusicalTime
import PeerProtocol
import RTPMIDI
public import Rhythm

/// A room of simulated peers: hosts with clocks of their own on a virtual network, and what happens in it, as a script has
/// it. All of it follows from the seed, bit for bit.
///
/// It belongs to one thread. Real-time: not safe.
public final class Room {
  public struct Settings: Sendable {
    public var peers = 4
    public var network = VirtualNetwork.lan
    public var seed: UInt64 = 1
    /// How many clock probes a second each peer lets another send, at most. They say so to each other, as peers with many
    /// sessions do; with few probes an evening is simulated sooner, and no easier to play.
    public var pace: UInt16 = 50
    /// What everybody plays.
    public var table: StepTable
    /// What the rule off does is prevented.
    package var off: Rule?

    public init(table: StepTable) { self.table = table }
  }

  /// A machine that a peer runs on, again and again perhaps.
  struct Host {
    let identity: Identity
    let name: String
    let clock: VirtualClock
    /// Nil while it does not run.
    var peer: VirtualPeer?
    var lives = 0
    /// The highest term, as it is kept across restarts.
    var term: UInt32 = 0
    /// What its player has set, whatever becomes of it.
    var gates = Gates()
    /// Keys that its player holds, and when each is let go.
    var keys: [UInt7] = []
  }

  /// How long it takes until the others have found a peer that announces itself, or see those of the other half again.
  static let discovery = Nanoseconds.milliseconds(200)
  /// How often the room is looked at; one with hundreds, where nobody does as he likes, more seldom.
  private var look: Nanoseconds { .milliseconds(hosts.count <= 16 ? 50 : 250) }

  enum Due: Int { case script, look, meeting }

  let settings: Settings
  let wire: Wire
  private let score: Score
  private let disturbance: RuleMutation
  var hosts: [Host]
  var random: SplitMix
  private let script: any Script
  let inspector: Inspector
  private let end: Instant
  /// Hosts whose peers have come, or come back, and have not been found yet.
  var newcomers: [Int] = []

  /// A room in which `script` is played.
  init(_ settings: Settings, script: any Script, length: Nanoseconds) {
    var random = SplitMix(seed: settings.seed)
    (self.settings, self.script) = (settings, script)
    hosts = (0..<settings.peers).map { n in
      let ahead = Nanoseconds(random.integer(in: 1_000_000_000...1_000_000_000_000))
      let gain = random.integer(in: -100_000...100_000)
      return Host(
        identity: Identity(random.next()), name: "peer \(n + 1)", clock: VirtualClock(ahead: ahead, gain: gain))
    }
    wire = Wire(settings.network, hosts: settings.peers, random: SplitMix(seed: random.next()))
    score = Score(settings.table)
    disturbance = RuleMutation(settings.off)
    inspector = Inspector(settings, length: length)
    end = Instant(nanoseconds: 0) + length
    self.random = random
    disturbance.mastery = { [unowned self] host in
      guard let ensemble = hosts[host].peer?.core.ensemble, ensemble.role == .master else { return nil }
      return ensemble.claim
    }
    inspector.room = self
    wire.events.push(.room, host: Due.script.rawValue, at: wire.now)
    wire.events.push(.room, host: Due.look.rawValue, at: wire.now + look)
  }

  /// True time.
  var now: Instant { wire.now }

  /// Plays until `instant` of true time, or the end.
  ///
  /// - Returns: whether it goes on after that.
  public func run(until instant: Instant) -> Bool {
    let limit = min(instant, end)
    while let event = wire.advance(until: limit) {
      let host = Int(event.host)
      switch event.kind {
      case .packet:
        if let peer = hosts[host].peer {
          peer.receive(Int(event.value))
        } else {
          wire.release(Int(event.value))
        }
      case .control:
        guard let peer = hosts[host].peer, peer.life == event.value, peer.isControlDue else { break }
        peer.work()
        hosts[host].term = peer.core.ensemble.highestTerm
        inspector.noteLevel(of: peer)
        notice(peer)
      case .clock:
        guard let peer = hosts[host].peer, peer.life == event.value, peer.isClockDue else { break }
        peer.round()
        notice(peer)
      case .room: handle(Due(rawValue: host)!)
      }
    }
    wire.now = limit
    return limit < end
  }

  /// What has come of it so far.
  public var outcome: Outcome { inspector.outcome(packets: wire.sent, lost: wire.lost) }

  private func handle(_ due: Due) {
    switch due {
    case .script: wire.events.push(.room, host: Due.script.rawValue, at: script.act(in: self))
    case .look:
      inspector.look()
      wire.events.push(.room, host: Due.look.rawValue, at: now + look)
    case .meeting: introduce()
    }
  }

  private func notice(_ peer: VirtualPeer) {
    guard !peer.news.isEmpty else { return }
    inspector.notice(peer.news, of: peer)
    peer.news = []
  }

  // MARK: What a script does

  /// A peer begins to run at `host`, or runs again after a crash, with what it had kept.
  func enter(_ host: Int, activity: UInt8 = 0) {
    guard hosts[host].peer == nil else { return }
    hosts[host].lives += 1
    let known = hosts[host]
    var ensemble = EnsembleState(identity: known.identity, highestTerm: known.term)
    if disturbance.rule == .failover { ensemble.masterLoss = .stop }
    if disturbance.rule != .gate { ensemble.gates = known.gates }
    let own = known.clock.own(at: now)
    let peer = VirtualPeer(
      host: host, life: known.lives, name: known.name, ensemble: ensemble,
      connections: Connections(to: [], own: known.identity, at: own),
      clock: known.clock, wire: wire, score: score, pace: settings.pace, disturbance: disturbance,
      random: SplitMix(seed: random.next()))
    hosts[host].peer = peer
    peer.core.ensemble.setActivity(activity, at: own)
    peer.wake(in: .zero)
    inspector.entered(host)
    announce([host])
  }

  /// Its process is no more, from one moment to the next.
  func crash(_ host: Int) {
    inspector.gone(host)
    hosts[host].peer?.releaseArrivals()
    hosts[host].peer = nil
    hosts[host].keys = []
  }

  /// It says goodbye.
  func leave(_ host: Int) {
    guard let peer = hosts[host].peer else { return }
    peer.leave()
    notice(peer)
    crash(host)
    for other in hosts.compactMap(\.peer) where wire.reaches(host, other.host) {
      let roster = other.core.roster
      other.core.connections.withdrawn(
        peer.identity, as: hosts[host].name, isMet: { roster.session(of: $0) != nil }, now: other.now)
      other.wake(in: .zero)
    }
  }

  /// Divides the network, or heals it.
  func divide(into parts: [UInt8]) {
    wire.divide(into: parts)
    inspector.divided()
    announce(Array(hosts.indices))
  }

  /// Has a peer's player do something.
  func command<Failure: Error>(
    _ host: Int, _ body: (PeerCore, Instant) throws(Failure) -> Void
  ) throws(Failure) {
    guard let peer = hosts[host].peer else { return }
    defer {
      peer.keepUp()
      hosts[host].term = peer.core.ensemble.highestTerm
      inspector.noteLevel(of: peer)
      notice(peer)
    }
    try body(peer.core, peer.now)
  }

  /// Changes what a peer lets the others do to it.
  func setGates(_ host: Int, _ change: (inout Gates) -> Void) {
    change(&hosts[host].gates)
    inspector.changedGates(host)
    guard disturbance.rule != .gate else { return }
    let gates = hosts[host].gates
    command(host) { core, _ in core.ensemble.gates = gates }
    hosts[host].peer?.wake(in: .zero)
  }

  /// The peer that is master, if there is one alone.
  var master: Int? {
    let masters = hosts.indices.filter { hosts[$0].peer?.core.ensemble.role == .master }
    return masters.count == 1 ? masters[0] : nil
  }

  /// The host of a peer.
  func host(of identity: Identity) -> Int? { hosts.firstIndex { $0.identity == identity } }
}

/// What happens in a room.
protocol Script: AnyObject {
  /// Does what is due; gives the instant at which to be called again.
  func act(in room: Room) -> Instant
}
