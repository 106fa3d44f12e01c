import MusicalTime
import PeerProtocol
public import RTPMIDI
import Simulation

/// A fuzzer of an ``Endpoint`` among four genuine peers, an imitator of each peer, and many hostile strangers. An imitator sends damaged
/// copies of the datagrams of its peer.
///
/// Each input is one of the following:
/// - a hostile datagram that imitates a peer, sent from the peer's address or from the address of a stranger;
/// - an invitation from a stranger on one port or on both ports;
/// - a genuine datagram, which may be reordered, duplicated or lost;
/// - the passage of time;
/// - an action of a genuine peer: it plays, restarts, connects or leaves.
///
/// With a passkey, the genuine peers and the tested endpoint have the same passkey. Most hostile datagrams are then damaged
/// packets of handshakes, and datagrams with wrong tags.
///
/// After each input, the following invariants are checked:
/// - All sizes are within their limits.
/// - Every datagram is counted exactly once, as accepted or as dropped for one reason.
/// - The endpoint has done all work that is due.
public final class SessionFuzzer: Fuzzer {
  /// A datagram in transit.
  private struct Flight {
    let datagram: [UInt8]
    let from: SocketAddress
    let to: SocketAddress
  }

  /// The maximum number of datagrams in transit.
  private static let inFlightLimit = 256
  /// The maximum number of outputs per session or deadline.
  private static let outputsPerSession = 8
  /// The control ports of the tested endpoint (index 0) and of the genuine peers. Two genuine peers are on one host.
  private static let controls = [(0, 5004), (1, 5004), (1, 5006), (2, 5004), (3, 5004)].map {
    SocketAddress(host: $0, port: $1)
  }

  /// The peers. The tested endpoint belongs to the peer at index 0. The others are the genuine peers around it.
  private var peers: [GenuinePeer] = []
  /// One imitator per peer, with the index of the peer.
  private var imitators: [HostileDatagrams] = []
  private var inFlight: [Flight] = []
  private var random: SplitMix
  private let seed: UInt64
  private var now = Instant(nanoseconds: 1_000_000_000)
  private var inputs = 0
  /// The largest number of simultaneous sessions of the tested endpoint so far.
  public private(set) var mostSessions = 0
  /// The largest number of simultaneous candidates of the tested endpoint so far.
  public private(set) var mostCandidates = 0

  private let key: GroupKey?

  /// - Parameter hasPasskey: whether the peers have a passkey.
  public init(seed: UInt64, hasPasskey: Bool = false) {
    self.seed = seed
    key = hasPasskey ? GroupKey([UInt8](repeating: 7, count: 32)) : nil
    random = SplitMix(seed: seed)
    for k in Self.controls.indices {
      peers.append(GenuinePeer(number: k, key: key, seed: random.next()))
      imitators.append(HostileDatagrams(seed: random.next()))
    }
  }

  private var tested: Endpoint { peers[0].endpoint }

  /// The datagram counters of the tested endpoint.
  public var counters: DatagramCounters { tested.counters }

  public var account: String {
    let counts = counters
    return """
      sessions \(tested.establishedCount), \(mostSessions) at most; datagrams \(counts.received), \
      accepted \(counts.accepted), malformed \(counts.malformed), unknown commands \(counts.unknownCommands), \
      unknown sources \(counts.unknownSources), replayed \(counts.replayed), \
      rejected extension packets \(counts.rejectedExtensionPackets), \
      unmatched clocks \(counts.unmatchedClocks), implausible clocks \(counts.implausibleClocks), \
      unexpected answers \(counts.unexpectedAnswers), refused invitations \(counts.refusedInvitations), \
      not authentic \(counts.notAuthentic), wrong proofs \(tested.peerExtension?.rejectedProofs ?? 0), \
      rejected stamps \(tested.peerExtension?.rejectedStamps ?? 0)
      """
  }

  public func run(inputs count: Int) throws(FuzzFailure) {
    for _ in 0..<count {
      try step()
      inputs += 1
    }
  }

  /// Returns a random number in 0..<count.
  private func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  /// Returns the index of a random genuine peer.
  private func pickPeer() -> Int { 1 + pick(Self.controls.count - 1) }
  private func pickPort() -> Port { pick(4) == 0 ? .control : .data }

  /// Returns the control port of a random stranger. There are usually 800 strangers, so that the tested endpoint can also accept
  /// sessions of the genuine peers. In every fourth period of 100 000 inputs, there are 3000 strangers, which is more than
  /// ``Endpoint/sessionLimit``.
  private func pickStranger() -> SocketAddress {
    SocketAddress(host: UInt32(10 + pick(inputs / 100_000 % 4 == 3 ? 3000 : 800)), port: 5004)
  }

  /// Feeds one input.
  private func step() throws(FuzzFailure) {
    // The ranges give the frequency of each input in percent.
    switch pick(100) {
    case 0..<40: try imitate()
    case 40..<50: try inviteFromStranger()
    case 50..<75: try deliver()
    case 75..<90: play(pickPeer())
    case 90..<99: try advance(by: .microseconds(Int64(pick(20_000))))
    default: try disturb()
    }
  }

  /// The tested endpoint receives a hostile datagram, mostly from the address and the port that the imitated peer uses.
  private func imitate() throws(FuzzFailure) {
    let k = pickPeer()
    let port = pickPort()
    let control = pick(4) == 0 ? pickStranger() : Self.controls[k]
    let source = pick(8) == 0 ? pickPort() : port
    try receive(imitators[k].next(), from: source == .control ? control : control.dataPort, port)
  }

  /// A stranger invites the tested endpoint on both ports, or on one of them only. The stranger sends nothing else.
  private func inviteFromStranger() throws(FuzzFailure) {
    let control = pickStranger()
    let name = pick(4) == 0 ? String(repeating: "n", count: pick(1200)) : nil
    let command = SessionCommand(.invitation, token: UInt32(pick(1 << 32)), ssrc: UInt32(pick(1 << 32)), name: name)
    let datagram = octets { _ = command.append(to: &$0) }
    // One invitation in ten is sent only to the data port, and one in ten only to the control port.
    let part = pick(10)
    if part != 0 { try receive(datagram, from: control, .control) }
    if part != 1 { try receive(datagram, from: control.dataPort, .data) }
  }

  /// Delivers, duplicates or loses a random datagram in transit.
  private func deliver() throws(FuzzFailure) {
    guard !inFlight.isEmpty else { return }
    let flight = inFlight.remove(at: pick(inFlight.count))
    // One datagram in ten is lost, and one in ten stays in transit, so that it arrives again.
    let fate = pick(10)
    if fate == 0 { return }
    if fate == 1 { inFlight.append(flight) }
    guard let k = Self.controls.firstIndex(where: { $0 == flight.to || $0.dataPort == flight.to }) else { return }
    let port: Port = flight.to == Self.controls[k] ? .control : .data
    if k == 0 { return try receive(flight.datagram, from: flight.from, port) }
    let (datagram, isAuthentic) = peers[k].open(flight.datagram, port: port)
    peers[k].endpoint.receive(datagram, from: flight.from, port: port, at: now, isAuthentic: isAuthentic)
    send(from: k)
  }

  /// Sends the next packet of a genuine peer. If the peer has no session, it connects to the tested endpoint instead.
  private func play(_ k: Int) {
    guard peers[k].endpoint.establishedCount > 0 else {
      connect(k, to: 0)
      send(from: k)
      return
    }
    let packet = peers[k].play(at: now)
    guard !packet.isEmpty else { return }
    put(Flight(datagram: packet, from: Self.controls[k].dataPort, to: Self.controls[0].dataPort), of: k)
  }

  /// A peer connects, restarts or leaves, or up to 70 s pass. The tested endpoint (index 0) never restarts.
  private func disturb() throws(FuzzFailure) {
    let k = pick(Self.controls.count)
    // A case whose condition does not hold continues with the default: time passes.
    switch pick(8) {
    case 0, 1: connect(0, to: k)
    case 2, 3: connect(k, to: 0)
    case 4 where k > 0 && pick(20) == 0: peers[k] = GenuinePeer(number: k, key: key, seed: random.next())
    case 5 where k > 0 || pick(20) == 0: peers[k].endpoint.closeAll(at: now)
    default: try advance(by: .milliseconds(Int64(pick(pick(200) == 0 ? 70_000 : 500))))
    }
    send(from: k)
    send(from: 0)
  }

  /// Lets the endpoint of peer `k` invite the endpoint of peer `other`.
  private func connect(_ k: Int, to other: Int) {
    _ = try? peers[k].endpoint.connect(to: Self.controls[other], data: Self.controls[other].dataPort, at: now)
  }

  /// Passes a datagram to the tested endpoint, and checks the invariants.
  private func receive(_ datagram: [UInt8], from address: SocketAddress, _ port: Port) throws(FuzzFailure) {
    let (content, isAuthentic) = peers[0].open(datagram, port: port)
    // `answeredAt` is not nil if the network thread of a real peer has already answered the datagram.
    tested.receive(
      content, from: address, port: port, at: now, answeredAt: pick(2) == 0 ? now : nil, isAuthentic: isAuthentic)
    let outputCount = send(from: 0)
    // The bound is the sum of the maximum number of messages of a recovery journal, one message per octet, and the outputs of
    // the session.
    try check(
      outputCount <= EventLimits.journal + datagram.count + Self.outputsPerSession,
      "\(outputCount) outputs of a datagram of \(datagram.count) octets")
    mostSessions = max(mostSessions, tested.establishedCount)
    mostCandidates = max(mostCandidates, tested.candidateCount)
  }

  /// Lets time pass for all endpoints, and checks the invariants.
  private func advance(by time: Nanoseconds) throws(FuzzFailure) {
    now = now + time
    for k in peers.indices {
      let endpoint = peers[k].endpoint
      endpoint.advance(to: now)
      let outputCount = send(from: k)
      // `waitingCount` is the number of deadlines after the advance. It does not contain the deadlines of the sessions that
      // have ended in the advance, so the bound also allows for the maximum number of sessions. The number 8 is a margin.
      try check(
        outputCount <= Self.outputsPerSession * (endpoint.waitingCount + 8) + Self.outputsPerSession
          * Endpoint.sessionLimit,
        "\(outputCount) outputs of an advance")
      if let next = endpoint.nextDeadline { try check(next > now, "work due at \(next) is still pending at \(now)") }
    }
  }

  /// Executes the outputs of the endpoint of peer `k`: puts its datagrams in transit, and updates its keys and its stream.
  ///
  /// - Returns: the number of outputs.
  @discardableResult private func send(from k: Int) -> Int {
    let outputs = peers[k].endpoint.drain()
    for output in outputs {
      switch output {
      case .send(let datagram, let to, _, let port):
        let from = port == .control ? Self.controls[k] : Self.controls[k].dataPort
        put(Flight(datagram: datagram, from: from, to: to), of: k)
      case .extensionPacket(let session, let to, _):
        peers[k].endpoint.sendProbe(on: session) { probe, sealer in
          var probe = probe
          probe.transmit = now
          let datagram = octets {
            _ = probe.append(to: &$0)
            sealer?.seal(&$0, port: .data, at: now)
          }
          put(Flight(datagram: datagram, from: Self.controls[k].dataPort, to: to), of: k)
          return now
        }
      case .clockPacket(let session, let to, _):
        let packet = peers[k].endpoint.clockPacket(on: session, sentAt: now)
        let datagram = octets {
          guard packet?.append(to: &$0) == true else { return }
          peers[k].endpoint.seal(&$0, of: session, port: .data, at: now)
        }
        put(Flight(datagram: datagram, from: Self.controls[k].dataPort, to: to), of: k)
      case .lost(let id), .closed(let id): peers[k].openers[id] = nil
      case .established(let id, let info):
        peers[k].established(id)
        if info.control == Self.controls[0] { peers[k].join(as: info.localSSRC) }
      case .feedback(_, let sequence): peers[k].acknowledge(sequence)
      default: break
      }
    }
    return outputs.count
  }

  /// Puts a datagram of peer `k` in transit. With a probability of 1/4, the imitator of peer `k` also records the datagram. If the
  /// sender is the tested endpoint, the imitator of a random genuine peer records it.
  private func put(_ flight: Flight, of k: Int) {
    if pick(4) == 0 { imitators[k == 0 ? pickPeer() : k].see(flight.datagram) }
    // Datagrams to strangers, whose hosts have numbers from 10 on, are not delivered.
    guard flight.to.low & 0xFFFF_FFFF < 10 else { return }
    if inFlight.count == Self.inFlightLimit { inFlight.remove(at: pick(Self.inFlightLimit)) }
    inFlight.append(flight)
  }

  /// Checks the invariants of the tested endpoint, and that `holds` is true.
  private func check(_ holds: Bool, _ violation: @autoclosure () -> String) throws(FuzzFailure) {
    guard tested.counters.received == tested.counters.accepted + tested.counters.dropped else {
      throw failure("a datagram is not counted exactly once")
    }
    // An endpoint keeps at most 64 half-open invitations, and 64 candidates that it has not invited itself. The tested endpoint itself
    // invites only the addresses in `controls`. A session has at most two deadlines: its own deadline, and the deadline of its revival.
    // A revival is an invitation to a peer whose session is silent.
    guard tested.sessionCount <= Endpoint.sessionLimit, tested.halfOpenCount <= 64,
      tested.candidateCount <= 64 + Self.controls.count,
      tested.waitingCount <= 2 * tested.sessionCount + tested.candidateCount
    else {
      throw failure(
        "\(tested.sessionCount) sessions, \(tested.waitingCount) waiting, \(tested.halfOpenCount) half open")
    }
    guard holds else { throw failure(violation()) }
  }

  private func failure(_ violation: String) -> FuzzFailure { FuzzFailure(violation, seed: seed, input: inputs) }
}
