package import MusicalTime
import PeerProtocol
package import RTPMIDI
import Simulation

/// A simulated network with several endpoints. The network delays, loses, repeats and reorders datagrams. Time is virtual: it jumps to
/// the next arrival or deadline.
///
/// Endpoints are numbered from 0 on. The control port of endpoint `k` has the address 2k and its data port the address 2k + 1,
/// until the endpoint moves. The clock of endpoint `k` is `offsets[k]` ahead of the network's time.
package struct EndpointNetwork {
  package typealias Output = Endpoint.Output

  /// The kind of the endpoints.
  package enum Kind {
    /// Standard RTP-MIDI.
    case standard
    /// With the peer protocol. The identity of endpoint `k` is 100 + k.
    case tutti
  }

  /// A datagram in transit.
  private struct Flight {
    let datagram: [UInt8]
    let from: Int
    let to: Int
  }

  /// An established session of an endpoint.
  package struct Standing {
    package let info: SessionInfo
    /// The identity of the remote peer; nil if the endpoint has not recognised it.
    package var identity: UInt64?
  }

  /// The attempts of an endpoint to connect to a peer again, after the session with this peer was lost.
  private struct Reconnection {
    /// The number of the endpoint.
    let endpoint: Int
    /// The lost session.
    let info: SessionInfo
    /// The identity of the lost peer.
    let identity: UInt64?
    /// When the next attempt is due.
    var next: Instant
    /// When the attempts end.
    let end: Instant
  }

  package let kind: Kind
  /// The endpoints by their numbers.
  package var endpoints: [Endpoint]
  /// The clock of each endpoint minus the network's time.
  package var offsets: [Nanoseconds]
  /// The probability that a datagram is lost, 0...1.
  package var loss: Double {
    get { world.loss }
    set { world.loss = newValue }
  }
  /// The probability that the network sends a second copy of a datagram, 0...1.
  package var repetition: Double = 0
  /// The range of the one-way delay in nanoseconds.
  package var delay: ClosedRange<Int64> {
    get { world.delays }
    set { world.delays = newValue }
  }
  /// Endpoints that neither send nor receive.
  package var cutOff: Set<Int> = []
  /// The endpoints that play the role of standard devices. The network drops clock probes from them and to them, and removes the
  /// announcement of the peer protocol from their invitations and answers.
  package var standardDevices: Set<Int> = []
  /// Whether an endpoint that has lost a recognised peer tries to connect to this peer every second for a minute, as the engine
  /// does.
  package var reconnects = false
  /// The present address of each endpoint's control port. The data port has the next address.
  package private(set) var homes: [Int]
  /// Whether the network answers clock requests (CK0 and probes) on arrival, before it delivers them to the endpoint, as the
  /// network thread of a real peer does.
  package var answersEarly = false
  /// All datagrams sent, by address.
  package private(set) var sent: [Int: [[UInt8]]] = [:]
  /// The number of invitations sent on all ports.
  package private(set) var invitations = 0
  /// The established sessions of each endpoint.
  package private(set) var standing: [[SessionID: Standing]]
  /// The outputs of each endpoint without datagrams and clock measurements.
  private var events: [[Output]]
  /// The clock measurements of each endpoint.
  private var measurements: [[ClockTransit]]
  /// The endpoints that have recognised a peer.
  private var hasRecognised: Set<Int> = []
  private var reconnections: [Reconnection] = []
  /// Time, and the datagrams in transit.
  private var world: EventWorld<Flight>

  /// Creates `count` endpoints without sessions. Each clock is 1000 s ahead of the clock of the previous endpoint. The one-way delay is
  /// 1 ms.
  package init(_ count: Int, _ kind: Kind, seed: UInt64 = 1) {
    world = EventWorld(
      at: Instant(nanoseconds: 0), random: SplitMix(seed: seed), delays: 1_000_000...1_000_000)
    self.kind = kind
    endpoints = []
    offsets = (0..<count).map { .seconds(Int64($0) * 1000 + 10) }
    events = Array(repeating: [], count: count)
    measurements = Array(repeating: [], count: count)
    standing = Array(repeating: [:], count: count)
    homes = (0..<count).map { 2 * $0 }
    for index in 0..<count {
      endpoints.append(makeEndpoint(index, name: "peer \(index)", seed: seed &* 977 &+ UInt64(index)))
    }
  }

  private func makeEndpoint(_ k: Int, name: String, seed: UInt64) -> Endpoint {
    switch kind {
    case .standard: Endpoint(name: name, random: SplitMix(seed: seed))
    case .tutti: Endpoint(name: name, identity: UInt64(100 + k), random: SplitMix(seed: seed))
    }
  }

  /// The time of the network.
  package var now: Instant { world.now }

  /// The time by the clock of endpoint `k`.
  package func clock(_ k: Int) -> Instant { now + offsets[k] }

  /// Invites the original address of endpoint `other` from endpoint `k`.
  ///
  /// - Parameter expectsExtension: whether endpoint `k` expects that the other endpoint has the peer protocol.
  @discardableResult
  package mutating func connect(_ k: Int, to other: Int, expectsExtension: Bool = false) -> SessionID {
    defer { drain(k) }
    return try! endpoints[k].connect(
      to: .at(2 * other), data: .at(2 * other + 1), expectsExtension: expectsExtension, at: clock(k))
  }

  /// Moves the ports of endpoint `k`: its control port gets the address `home`, which is even, and its data port `home` + 1.
  package mutating func move(_ k: Int, to home: Int) { homes[k] = home }

  /// Replaces endpoint `k` by a new endpoint with the same name, identity and address. The replaced endpoint sends no BY.
  package mutating func restart(_ k: Int, seed: UInt64) {
    endpoints[k] = makeEndpoint(k, name: endpoints[k].name, seed: seed)
    standing[k] = [:]
    reconnections.removeAll { $0.endpoint == k }
  }

  /// The endpoint that has this control or data port; nil if there is none.
  private func owner(of address: Int) -> Int? {
    for k in homes.indices where homes[k] == address & ~1 { return k }
    return nil
  }

  /// Sends a datagram from the address `from` to the address `to`.
  package mutating func send(_ datagram: [UInt8], from: Int, to: Int) {
    var datagram = datagram
    sent[from, default: []].append(datagram)
    if Self.command(of: datagram) == Self.invitation { invitations += 1 }
    if !cutOff.isEmpty || !standardDevices.isEmpty {
      let (sender, receiver) = (owner(of: from) ?? -1, owner(of: to) ?? -1)
      guard !cutOff.contains(sender), !cutOff.contains(receiver) else { return }
      let isForDevice = standardDevices.contains(sender) || standardDevices.contains(receiver)
      if isForDevice, ClockProbe(datagram.span) != nil { return }
      if standardDevices.contains(sender), case .session(var command)? = try? ControlPacket(datagram.span) {
        command.mark = nil
        datagram = octets { _ = command.append(to: &$0) }
      }
    }
    // A datagram and its repetition are independent: the repetition can arrive although the datagram is lost.
    let isLost = world.losesPacket()
    let isRepeated = repetition > 0 && Double.random(in: 0..<1, using: &world.random) < repetition
    for _ in 0..<(isLost ? 0 : 1) + (isRepeated ? 1 : 0) {
      world.add(Flight(datagram: datagram, from: from, to: to), at: now + world.delay())
    }
  }

  /// The letters IN as a number.
  private static let invitation: UInt16 = 0x494E

  /// The command of a control packet: its two letters as a big-endian number; nil for another datagram.
  static func command(of datagram: [UInt8]) -> UInt16? {
    guard datagram.count > 4, datagram[0] == 0xFF else { return nil }
    return UInt16(datagram[2]) << 8 | UInt16(datagram[3])
  }

  /// Executes the outputs of endpoint `k`: sends its datagrams, and records its measurements and events.
  package mutating func drain(_ k: Int) {
    let endpoint = endpoints[k]
    for output in endpoint.drain() {
      switch output {
      case .send(let datagram, let to, _, let port):
        send(datagram, from: homes[k] + (port == .data ? 1 : 0), to: to.number)
      case .extensionPacket(let session, let to, _):
        var request: ClockProbe?
        endpoint.sendProbe(on: session) { probe, _ in
          request = probe
          return clock(k)
        }
        request?.transmit = clock(k)
        if let request { send(octets { _ = request.append(to: &$0) }, from: homes[k] + 1, to: to.number) }
      case .clockPacket(let session, let to, _):
        if let packet = endpoint.clockPacket(on: session, sentAt: clock(k)) {
          send(octets { _ = packet.append(to: &$0) }, from: homes[k] + 1, to: to.number)
        }
      case .clock(_, let transit): measurements[k].append(transit)
      default:
        events[k].append(output)
        track(output, of: k)
      }
    }
  }

  /// Updates the established sessions and the reconnections.
  private mutating func track(_ output: Output, of k: Int) {
    switch output {
    case .established(let id, let info):
      standing[k][id] = Standing(info: info)
      reconnections.removeAll { $0.endpoint == k && $0.info.control == info.control }
    case .extended(let id, let event):
      guard case .recognised(let identity) = RecognitionEvent(event) else { break }
      hasRecognised.insert(k)
      standing[k][id]?.identity = identity.bits
      reconnections.removeAll { $0.endpoint == k && $0.identity == identity.bits }
    case .closed(let id), .refused(let id): standing[k][id] = nil
    case .lost(let id):
      guard let lost = standing[k].removeValue(forKey: id), lost.identity != nil, reconnects else { break }
      reconnections.append(
        Reconnection(
          endpoint: k, info: lost.info, identity: lost.identity, next: now + .seconds(1), end: now + .seconds(60)))
    default: break
    }
  }

  /// Whether an invitation, a revival or a reconnection of any endpoint is pending. A revival is the invitation of a peer whose
  /// session is silent.
  ///
  /// Two cases do not count:
  /// - a reconnection to a peer that is already in session;
  /// - an invitation that the endpoint has accepted on the control port, but that the inviting peer does not complete. Such an invitation
  ///   expires.
  package var isConnecting: Bool {
    for endpoint in endpoints {
      let count = endpoint.establishedCount
      // `sessionCount` also contains the invitations of the endpoint, and `waitingCount` its revivals and candidates.
      if endpoint.sessionCount != count || endpoint.waitingCount != count { return true }
    }
    return reconnections.contains { pending in
      !standing[pending.endpoint].values.contains { $0.info.control == pending.info.control }
    }
  }

  /// Begins the reconnections that are due.
  private mutating func reconnect() {
    let now = now
    reconnections.removeAll { $0.end <= now }
    for n in reconnections.indices where reconnections[n].next <= now {
      let (k, info) = (reconnections[n].endpoint, reconnections[n].info)
      _ = try? endpoints[k].connect(to: info.control, data: info.data, expectsExtension: true, at: clock(k))
      reconnections[n].next = now + .seconds(1)
    }
    for k in endpoints.indices { drain(k) }
  }

  /// Lets time pass until `isDone` returns true, but at most for `length`. Returns whether `isDone` has returned true.
  @discardableResult
  package mutating func run(
    for length: Nanoseconds, until isDone: (borrowing EndpointNetwork) -> Bool = { _ in false }
  ) -> Bool {
    let end = now + length
    while !isDone(self) {
      // The next event is the arrival of a datagram, a deadline of an endpoint, or a reconnection. Events at the same instant
      // are handled in this order.
      var deadline = (at: Instant.distantFuture, endpoint: -1)
      for k in endpoints.indices {
        if let next = endpoints[k].nextDeadline, next - offsets[k] < deadline.at { deadline = (next - offsets[k], k) }
      }
      var reconnection = Instant.distantFuture
      for pending in reconnections where pending.next < reconnection { reconnection = pending.next }
      let arrival = world.nextEvent
      if arrival <= end, arrival <= min(deadline.at, reconnection) {
        world.advance(to: arrival)
        if let flight = world.takeEvent() { deliver(flight) }
      } else if reconnection <= end, reconnection < deadline.at {
        world.advance(to: reconnection)
        reconnect()
      } else if deadline.at <= end {
        world.advance(to: deadline.at)
        endpoints[deadline.endpoint].advance(to: clock(deadline.endpoint))
        drain(deadline.endpoint)
      } else {
        world.advance(to: end)
        return false
      }
    }
    return true
  }

  /// Delivers a datagram to its endpoint, after an early answer if ``answersEarly`` is set.
  private mutating func deliver(_ flight: Flight) {
    guard let k = owner(of: flight.to), !cutOff.contains(k) else { return }
    let arrival = clock(k)
    var answer: Instant?
    if answersEarly {
      let endpoint = endpoints[k]
      /// The local SSRC in the session with the sender of the datagram; nil if there is none.
      func localSSRC(for ssrc: UInt32) -> UInt32? {
        standing[k].values.first { $0.info.ssrc == ssrc && $0.info.data == .at(flight.from) }?.info.localSSRC
      }
      // The packet with count 0 is CK0.
      if let packet = ClockPacket(flight.datagram.span), packet.count == 0, let ssrc = localSSRC(for: packet.ssrc) {
        let reply = packet.reply(from: ssrc, sentAt: arrival)!
        send(octets { _ = reply.append(to: &$0) }, from: flight.to, to: flight.from)
        answer = arrival
      }
      if let identity = endpoint.peerExtension?.identity, let probe = ClockProbe(flight.datagram.span),
        let ssrc = localSSRC(for: probe.ssrc),
        let reply = probe.answer(
          from: ssrc, identity: identity, rateLimit: endpoint.probeRateLimit, receivedAt: arrival,
          sentAt: arrival)
      {
        send(octets { _ = reply.append(to: &$0) }, from: flight.to, to: flight.from)
        answer = arrival
      }
    }
    endpoints[k].receive(
      flight.datagram, from: .at(flight.from), port: flight.to % 2 == 0 ? .control : .data, at: arrival,
      answeredAt: answer)
    drain(k)
  }

  /// The outputs of endpoint `k` without datagrams and clock measurements.
  package func events(of k: Int) -> [Output] { events[k] }

  /// The clock measurements of endpoint `k`.
  package func transits(_ k: Int) -> [ClockTransit] { measurements[k] }

  /// Whether endpoint `k` has recognised a peer.
  package func isRecognised(_ k: Int) -> Bool { hasRecognised.contains(k) }
}
