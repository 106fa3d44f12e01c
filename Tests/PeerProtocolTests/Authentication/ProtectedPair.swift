import BasicContainers
import MusicalTime
import PeerProtocol
import RTPMIDI
import _TestSupport

/// Two endpoints that exchange datagrams without delay. The pair also does the work of the receiving threads: it checks
/// the tags and answers clock probes.
struct ProtectedPair {
  /// One of the two peers.
  struct Node {
    let endpoint: Endpoint
    let control: SocketAddress
    var data: SocketAddress { SocketAddress(high: control.high, low: control.low, scope: 0, port: control.port + 1) }
    /// Checks the tags of the established session.
    var opener: DatagramOpener?
    /// Writes the tags of the answers to clock probes.
    var replier: DatagramSealer?
    /// The established session.
    var session: SessionID?
    /// All outputs, except those that send a datagram.
    var outputs: [Endpoint.Output] = []
  }

  /// A datagram that one of the peers has sent.
  struct Sent {
    let octets: [UInt8]
    let sender: Int
    let port: Port
  }

  var nodes: [Node]
  /// The probes in flight.
  private var inFlight: [Sent] = []
  /// All datagrams so far.
  private(set) var sent: [Sent] = []
  /// Whether the network loses a datagram.
  var loses: (Sent) -> Bool = { _ in false }

  static let key = GroupKey([UInt8](repeating: 0x5A, count: 32))

  /// Creates peer 0 with the key `first` and peer 1 with the key `second`. A key is nil for a peer without a passkey.
  init(_ first: GroupKey? = key, _ second: GroupKey? = key) {
    nodes = [Self.node(0, first, seed: 1), Self.node(1, second, seed: 2)]
  }

  /// A peer with identity `n` + 1.
  static func node(_ n: Int, _ key: GroupKey?, seed: UInt64) -> Node {
    let endpoint = Endpoint(name: "peer \(n)", identity: UInt64(n + 1), key: key, random: SplitMix(seed: seed))
    return Node(endpoint: endpoint, control: SocketAddress(host: UInt32(n + 1), port: 5004))
  }

  /// Lets peer `n` invite the other peer.
  @discardableResult
  mutating func connect(from n: Int, at now: Instant) throws -> SessionID {
    let other = nodes[1 - n]
    let id = try nodes[n].endpoint.connect(to: other.control, data: other.data, at: now)
    exchange(at: now)
    return id
  }

  /// Lets both endpoints do what is due at `now`, and delivers datagrams until neither endpoint sends another one.
  mutating func exchange(at now: Instant) {
    for node in nodes { node.endpoint.advance(to: now) }
    var isQuiet = false
    while !isQuiet {
      isQuiet = inFlight.isEmpty
      let probes = inFlight
      inFlight = []
      for probe in probes {
        transmit(probe, at: now)
      }
      for n in nodes.indices {
        for output in nodes[n].endpoint.drain() {
          isQuiet = false
          handle(output, of: n, at: now)
        }
      }
    }
  }

  /// Lets the time pass in steps of 50 ms.
  mutating func exchange(from start: Instant, to end: Instant) {
    var now = start
    while now <= end {
      exchange(at: now)
      now = now + .milliseconds(50)
    }
  }

  private mutating func handle(_ output: Endpoint.Output, of n: Int, at now: Instant) {
    switch output {
    case .send(let octets, _, _, let port):
      transmit(Sent(octets: octets, sender: n, port: port), at: now)
    case .established(let id, _):
      nodes[n].session = id
      let keys = nodes[n].endpoint.keys(of: id)
      nodes[n].opener = keys.map { DatagramOpener($0) }
      nodes[n].replier = keys.map { DatagramSealer($0, thread: .network) }
      nodes[n].outputs.append(output)
    // A clock probe is due.
    case .extensionPacket(let id, _, _):
      nodes[n].endpoint.sendProbe(on: id) { probe, sealer in
        send(probe, of: n, sealedBy: &sealer, at: now)
        return now
      }
    // The pair sends no CK0.
    case .clockPacket: break
    case .closed(let id), .lost(let id):
      if nodes[n].session == id { (nodes[n].session, nodes[n].opener) = (nil, nil) }
      nodes[n].outputs.append(output)
    default: nodes[n].outputs.append(output)
    }
  }

  /// Sends a probe. The probe arrives later in the running call of ``exchange(at:)``, or in the next call.
  private mutating func send(_ probe: ClockProbe, of n: Int, sealedBy sealer: inout DatagramSealer?, at now: Instant) {
    var probe = probe
    probe.transmit = now
    var packet = RigidArray<UInt8>(capacity: 100)
    _ = probe.append(to: &packet)
    sealer?.seal(&packet, port: .data, at: now)
    inFlight.append(Sent(octets: (0..<packet.count).map { packet[$0] }, sender: n, port: .data))
  }

  /// Records a datagram, and delivers it unless the network loses it.
  private mutating func transmit(_ datagram: Sent, at now: Instant) {
    sent.append(datagram)
    if !loses(datagram) { deliver(datagram.octets, to: 1 - datagram.sender, datagram.port, at: now) }
  }

  /// Delivers a datagram to peer `n`, with the address of the other peer as its source.
  mutating func deliver(_ octets: [UInt8], to n: Int, _ port: Port, at now: Instant) {
    let other = nodes[1 - n]
    let source = port == .control ? other.control : other.data
    // If the tag is valid, the endpoint gets the content and learns that the datagram is authentic. All other datagrams reach the endpoint
    // unchanged.
    if let count = nodes[n].opener?.open(octets.span, port: port) {
      if let probe = ClockProbe(octets.span), let id = nodes[n].session, let ssrc = nodes[n].endpoint.localSSRC(of: id),
        let answer = probe.answer(from: ssrc, identity: UInt64(n + 1), receivedAt: now, sentAt: now)
      {
        var replier = nodes[n].replier
        send(answer, of: n, sealedBy: &replier, at: now)
        nodes[n].replier = replier
      }
      nodes[n].endpoint.receive(Array(octets.prefix(count)), from: source, port: port, at: now, isAuthentic: true)
    } else {
      nodes[n].endpoint.receive(octets, from: source, port: port, at: now)
    }
  }
}
