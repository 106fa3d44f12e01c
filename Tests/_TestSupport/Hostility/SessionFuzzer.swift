import MusicalTime
import PeerProtocol
import RTPMIDI
import Simulation

/// An ``Endpoint`` among four genuine peers, their imitators and any number of hostile strangers.
///
/// Each input is one of: a hostile datagram like one peer's, from its address or a stranger's; a stranger's handshake,
/// whole or half; a genuine datagram, in any order, twice or never; some time; a peer that plays, is restarted, connects or
/// leaves. After each, what must always hold is looked at: the bounds of everything that grows, each datagram counted once
/// as accepted or under one reason, and nothing left that was due.
public final class SessionFuzzer: Fuzzer {
  private struct Flight {
    let datagram: [UInt8]
    let from: SocketAddress
    let to: SocketAddress
  }

  private static let controls = [(0, 5004), (1, 5004), (1, 5006), (2, 5004), (3, 5004)].map {
    SocketAddress(host: $0, port: $1)
  }

  /// The one under test, of host 0, and the genuine ones, two of them on one host.
  private var peers: [GenuinePeer] = []
  /// Of each, one that sends what it has sent, damaged.
  private var imitators: [HostileDatagrams] = []
  private var flights: [Flight] = []
  private var random: SplitMix
  private let seed: UInt64
  private var now = Instant(nanoseconds: 1_000_000_000)
  private var inputs = 0
  /// The most sessions that the endpoint under test has had at a time.
  public private(set) var mostSessions = 0

  public init(seed: UInt64) {
    self.seed = seed
    random = SplitMix(seed: seed)
    for k in Self.controls.indices {
      peers.append(GenuinePeer(number: k, seed: random.next()))
      imitators.append(HostileDatagrams(seed: random.next()))
    }
  }

  private var tested: Endpoint { peers[0].endpoint }

  /// What has become of the datagrams given to the endpoint under test.
  public var counters: DatagramCounters { tested.counters }

  public var account: String {
    let counts = counters
    return """
      sessions \(tested.establishedCount), \(mostSessions) at most; datagrams \(counts.received), \
      accepted \(counts.accepted), malformed \(counts.malformed), unknown commands \(counts.unknownCommands), \
      unknown sources \(counts.unknownSources), replayed \(counts.replayed), rejected probes \(counts.rejectedExtensionPackets), \
      unmatched clocks \(counts.unmatchedClocks), implausible clocks \(counts.implausibleClocks), \
      unexpected answers \(counts.unexpectedAnswers), refused invitations \(counts.refusedInvitations), \
      rejected stamps \(tested.peerExtension?.rejectedStamps ?? 0)
      """
  }

  public func run(inputs count: Int) throws(FuzzFailure) {
    for _ in 0..<count {
      try step()
      inputs += 1
    }
  }

  private func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  private func pickPeer() -> Int { 1 + pick(Self.controls.count - 1) }
  private func pickPort() -> Port { pick(4) == 0 ? .control : .data }

  /// Of so few that the genuine peers find room as well, then for a while of more than there are places for.
  private func pickStranger() -> SocketAddress {
    SocketAddress(host: UInt32(10 + pick(inputs / 100_000 % 4 == 3 ? 3000 : 800)), port: 5004)
  }

  private func step() throws(FuzzFailure) {
    switch pick(100) {
    case 0..<40: try imitate()
    case 40..<50: try shakeHands()
    case 50..<75: try deliver()
    case 75..<90: play(pickPeer())
    case 90..<99: try pass(.microseconds(Int64(pick(20_000))))
    default: try disturb()
    }
  }

  /// A hostile datagram, as a rule from the address and at the port where the imitated peer's come.
  private func imitate() throws(FuzzFailure) {
    let k = pickPeer()
    let port = pickPort()
    let control = pick(4) == 0 ? pickStranger() : Self.controls[k]
    let source = pick(8) == 0 ? pickPort() : port
    try give(imitators[k].next(), from: source == .control ? control : control.data, port)
  }

  /// A stranger that does all that it takes to get a session, and no more; at times not all of it.
  private func shakeHands() throws(FuzzFailure) {
    let control = pickStranger()
    let name = pick(4) == 0 ? String(repeating: "n", count: pick(1200)) : nil
    let command = SessionCommand(.invitation, token: UInt32(pick(1 << 32)), ssrc: UInt32(pick(1 << 32)), name: name)
    let datagram = octets { _ = command.append(to: &$0) }
    let part = pick(10)
    if part != 0 { try give(datagram, from: control, .control) }
    if part != 1 { try give(datagram, from: control.data, .data) }
  }

  /// One of the datagrams under way, any; it may come again, or have been lost.
  private func deliver() throws(FuzzFailure) {
    guard !flights.isEmpty else { return }
    let flight = flights.remove(at: pick(flights.count))
    let fate = pick(10)
    if fate == 0 { return }
    if fate == 1 { flights.append(flight) }
    guard let k = Self.controls.firstIndex(where: { $0 == flight.to || $0.data == flight.to }) else { return }
    let port: Port = flight.to == Self.controls[k] ? .control : .data
    if k == 0 { return try give(flight.datagram, from: flight.from, port) }
    peers[k].endpoint.receive(flight.datagram, from: flight.from, port: port, at: now)
    send(from: k)
  }

  /// A genuine peer plays, or comes again when it has been thrown out.
  private func play(_ k: Int) {
    guard peers[k].endpoint.establishedCount > 0 else {
      connect(k, to: 0)
      send(from: k)
      return
    }
    let packet = peers[k].play(at: now)
    guard !packet.isEmpty else { return }
    put(Flight(datagram: packet, from: Self.controls[k].data, to: Self.controls[0].data), of: k)
  }

  /// Peers come and go, and time passes by the minute.
  private func disturb() throws(FuzzFailure) {
    let k = pick(Self.controls.count)
    switch pick(8) {
    case 0, 1: connect(0, to: k)
    case 2, 3: connect(k, to: 0)
    case 4 where k > 0 && pick(20) == 0: peers[k] = GenuinePeer(number: k, seed: random.next())
    case 5 where k > 0 || pick(20) == 0: peers[k].endpoint.closeAll(at: now)
    default: try pass(.milliseconds(Int64(pick(pick(200) == 0 ? 70_000 : 500))))
    }
    send(from: k)
    send(from: 0)
  }

  private func connect(_ k: Int, to other: Int) {
    _ = try? peers[k].endpoint.connect(to: Self.controls[other], data: Self.controls[other].data, at: now)
  }

  private func give(_ datagram: [UInt8], from address: SocketAddress, _ port: Port) throws(FuzzFailure) {
    tested.receive(datagram, from: address, port: port, at: now, answeredAt: pick(2) == 0 ? now : nil)
    let told = send(from: 0)
    // The steps of a journal, else a message of an octet.
    try check(told <= 16_383 + 4096 + datagram.count + 8, "\(told) outputs of a datagram of \(datagram.count) octets")
    mostSessions = max(mostSessions, tested.establishedCount)
  }

  private func pass(_ time: Nanoseconds) throws(FuzzFailure) {
    now = now + time
    for k in peers.indices {
      let endpoint = peers[k].endpoint
      endpoint.advance(to: now)
      let told = send(from: k)
      try check(told <= 8 * (endpoint.waitingCount + 8) + 8 * 1100, "\(told) outputs of an advance")
      if let next = endpoint.nextDeadline { try check(next > now, "what was due at \(next) is left at \(now)") }
    }
  }

  /// Puts on its way what an endpoint wants sent. Returns how much it had to say.
  @discardableResult private func send(from k: Int) -> Int {
    let outputs = peers[k].endpoint.drain()
    for output in outputs {
      switch output {
      case .send(let datagram, let to, let port):
        let from = port == .control ? Self.controls[k] : Self.controls[k].data
        put(Flight(datagram: datagram, from: from, to: to), of: k)
      case .extensionPacket(let session, let to):
        peers[k].endpoint.sendProbe(on: session) { probe in
          var probe = probe
          probe.transmit = now
          let datagram = octets { _ = probe.append(to: &$0) }
          put(Flight(datagram: datagram, from: Self.controls[k].data, to: to), of: k)
          return now
        }
      case .clockPacket(let session, let to):
        let packet = peers[k].endpoint.clockPacket(on: session, sentAt: now)
        let datagram = octets { _ = packet?.append(to: &$0) }
        put(Flight(datagram: datagram, from: Self.controls[k].data, to: to), of: k)
      case .feedback(_, let sequence): peers[k].acknowledge(sequence)
      default: break
      }
    }
    return outputs.count
  }

  /// What is put on its way is seen by its sender's imitator, and what the one under test sends by all of them at times.
  private func put(_ flight: Flight, of k: Int) {
    if pick(4) == 0 { imitators[k == 0 ? pickPeer() : k].see(flight.datagram) }
    // To strangers nothing is delivered.
    guard flight.to.low & 0xFFFF_FFFF < 10 else { return }
    if flights.count == 256 { flights.remove(at: pick(256)) }
    flights.append(flight)
  }

  private func check(_ holds: Bool, _ what: @autoclosure () -> String) throws(FuzzFailure) {
    guard tested.counters.received == tested.counters.accepted + tested.counters.dropped else {
      throw failure("a datagram is not counted once")
    }
    guard tested.sessionCount <= Endpoint.sessionLimit, tested.halfOpenCount <= 64,
      tested.waitingCount <= 2 * tested.sessionCount
    else {
      throw failure(
        "\(tested.sessionCount) sessions, \(tested.waitingCount) waiting, \(tested.halfOpenCount) half open")
    }
    guard holds else { throw failure(what()) }
  }

  private func failure(_ what: String) -> FuzzFailure { FuzzFailure(what, seed: seed, input: inputs) }
}

extension SocketAddress {
  /// The data port beside this control port.
  fileprivate var data: SocketAddress {
    var data = self
    data.port += 1
    return data
  }
}
