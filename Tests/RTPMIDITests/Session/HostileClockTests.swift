import MusicalTime
import RTPMIDI
import Testing

/// Stamps that cannot be, from a peer in session and from others.
@Suite struct HostileClockTests {
  private func session() throws -> (VirtualNetwork, SessionID) {
    var network = VirtualNetwork(2)
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(4))
    return (network, try #require(network.session(1)))
  }

  /// A CK0 of peer 0 at endpoint 1, `ahead` of what its clock shows.
  private func ask(_ network: inout VirtualNetwork, ahead: Nanoseconds) {
    let packet = ClockPacket(ssrc: network.endpoints[0].ssrc, sentAt: network.clock(0) + ahead)
    network.endpoints[1].receive(octets { _ = packet.append(to: &$0) }, from: .at(1), port: .data, at: network.clock(1))
    network.drain(1)
  }

  /// What a Start of peer 0, sent now, counts as at endpoint 1.
  private func instant(_ network: inout VirtualNetwork, _ sequence: UInt16) -> Instant? {
    var sender = PacketSender(ssrc: network.endpoints[0].ssrc, sequence: sequence)
    let packet = octets { _ = sender.encode(.start, at: network.clock(0), into: &$0) }
    network.endpoints[1].receive(packet, from: .at(1), port: .data, at: network.clock(1))
    network.drain(1)
    for case .message(_, _, let at, _, _) in network.told[1].reversed() { return at }
    return nil
  }

  private let hour = Nanoseconds.seconds(3600)

  @Test(arguments: [-200_000, -2, 2, 200_000] as [Int64]) func aClockFarOffIsNotBelieved(hours: Int64) throws {
    var (network, _) = try session()
    let now = Instant(hundredMicroseconds: network.clock(0).hundredMicroseconds)
    ask(&network, ahead: .seconds(3600 * hours))
    #expect(network.endpoints[1].counters.implausibleClocks == 1)
    #expect(instant(&network, 1) == now, "what it said changed nothing")
    // A clock that was set agrees with itself.
    ask(&network, ahead: .seconds(3600 * hours))
    #expect(network.endpoints[1].counters.implausibleClocks == 1)
    let step = try #require(instant(&network, 2)) - now
    // The 32 bits of an RTP stamp tell the instant nearest to that clock.
    #expect((step - .seconds(3600 * hours)).magnitude <= .seconds(215_000))
  }

  @Test func twoThatDoNotAgreeAreBothNotBelieved() throws {
    var (network, _) = try session()
    let now = Instant(hundredMicroseconds: network.clock(0).hundredMicroseconds)
    for hours in [5, -7, 20, 100_000] { ask(&network, ahead: .seconds(3600 * Int64(hours))) }
    #expect(network.endpoints[1].counters.implausibleClocks == 4 && instant(&network, 1) == now)
  }

  /// A request of endpoint 1 that has not been answered; nothing reaches endpoint 1 any more.
  private func openRequest(_ network: inout VirtualNetwork) -> ClockProbe {
    var request: ClockProbe?
    while request == nil {
      network.run(for: .milliseconds(1))
      network.isCutOff = [1]
      request = network.sent("TU", by: 3).last.flatMap { ClockProbe($0.span) }.flatMap {
        $0.kind == .request && $0.transmit > network.clock(1) - .milliseconds(1) ? $0 : nil
      }
    }
    return request!
  }

  /// A reply whose stamps say that it was kept for longer than the whole exchange took, or sent before the request came.
  @Test(arguments: [-5000, -2, 3, 5000] as [Int64]) func aReplyThatCannotBe(milliseconds: Int64) throws {
    var (network, id) = try session()
    let request = openRequest(&network)
    let transits = network.transits(1).count
    let before = network.endpoints[1].counters
    let received = network.clock(0)
    let reply = request.answer(
      from: network.endpoints[0].ssrc, identity: 100, receivedAt: received,
      sentAt: received + .milliseconds(milliseconds))!
    network.endpoints[1].receive(octets { _ = reply.append(to: &$0) }, from: .at(1), port: .data, at: network.clock(1))
    network.drain(1)
    #expect(network.endpoints[1].counters.strangerProbes == before.strangerProbes + 1)
    #expect(network.transits(1).count == transits && network.standing[1][id]?.identity == 100)
  }

  /// What request of peer 0 at endpoint 1 does: transits, counts.
  private func ask(_ network: inout VirtualNetwork, _ change: (inout ClockProbe) -> Void) -> [ClockTransit] {
    var request = ClockProbe(ssrc: network.endpoints[0].ssrc, identity: 100, sentAt: network.clock(0))
    change(&request)
    let known = network.transits(1).count
    network.endpoints[1].receive(
      octets { _ = request.append(to: &$0) }, from: .at(1), port: .data, at: network.clock(1))
    network.drain(1)
    return Array(network.transits(1).dropFirst(known))
  }

  /// From a peer with nothing under way to endpoint 1.
  private func quietSession() throws -> VirtualNetwork {
    var (network, _) = try session()
    network.isCutOff = [0, 1]
    network.run(for: .milliseconds(500))
    return network
  }

  @Test func anEchoTellsTheWayOfAReplyOnce() throws {
    var network = try quietSession()
    let (left, arrived) = (network.clock(1) - .milliseconds(5), network.clock(0) - .milliseconds(3))
    let echo = { (probe: inout ClockProbe) in (probe.origin, probe.receive) = (left, arrived) }
    let way = ClockTransit(.out, sent: left, received: arrived)
    let first = ask(&network, echo)
    #expect(first.first == way && first.map(\.direction) == [.out, .back])
    network.run(for: .milliseconds(1))
    #expect(ask(&network, echo).map(\.direction) == [.back], "nothing is told twice")
    network.run(for: .milliseconds(1))
    let older = ask(&network) { ($0.origin, $0.receive) = (left - .milliseconds(20), arrived - .milliseconds(20)) }
    #expect(older.map(\.direction) == [.back])
    #expect(network.endpoints[1].counters.refusedInstants == 0)
  }

  /// What never left, has not left yet, or left long ago; was kept for longer than is true, or was heard after the echo left.
  @Test(
    arguments: [
      (.seconds(-11), .seconds(-11)), (.milliseconds(1), .zero), (.milliseconds(-5), .milliseconds(-7)),
      (.milliseconds(-5), .milliseconds(2)), (Nanoseconds(.max), .zero), (Nanoseconds(.min), .zero),
      (.zero, Nanoseconds(.max)), (.zero, Nanoseconds(.min)),
    ] as [(Nanoseconds, Nanoseconds)])
  func anEchoThatCannotBe(left: Nanoseconds, arrived: Nanoseconds) throws {
    var network = try quietSession()
    let refused = network.endpoints[1].counters.refusedInstants
    let (own, remote) = (network.clock(1), network.clock(0))
    let transits = ask(&network) {
      $0.origin = own + left
      $0.receive = remote + arrived
    }
    #expect(transits == [ClockTransit(.back, sent: remote, received: own)])
    #expect(network.endpoints[1].counters.refusedInstants == refused + 1)
  }

  /// A clock that stands still, or runs backwards; each stamp believable by itself, and a packet of its own.
  @Test(arguments: [0, -1] as [Int64]) func aClockThatDoesNotGoOn(rate: Int64) throws {
    var network = try quietSession()
    let (here, there) = (network.clock(1), network.clock(0))
    var used = 0
    for _ in 0..<300 {
      network.run(for: .milliseconds(20))
      let passed = network.clock(1) - here
      used += ask(&network) { $0.transmit = there + Nanoseconds(rate * passed.count) }.count
    }
    let counters = network.endpoints[1].counters
    #expect(used <= 50, "as long as packets may have overtaken one another")
    #expect(counters.refusedInstants >= 240 && counters.implausibleClocks == 0)
    #expect(network.endpoints[1].establishedCount == 1, "it lives all the same")
    // Set right, it is followed again.
    network.run(for: .seconds(1))
    #expect(ask(&network) { _ in }.count == 1)
  }

  @Test func aClockSetBackGoesOnFromThere() throws {
    var network = try quietSession()
    var used: [Int] = []
    for _ in 0..<8 {
      network.run(for: .milliseconds(20))
      used.append(ask(&network) { $0.transmit = $0.transmit - .seconds(30) }.count)
    }
    #expect(used == [0, 0, 0, 1, 1, 1, 1, 1])
  }

  /// The same datagram again says nothing of the clock.
  @Test func aRequestThatComesTwice() throws {
    var network = try quietSession()
    let stamp = network.clock(0)
    let replayed = network.endpoints[1].counters.replayed
    #expect(ask(&network) { $0.transmit = stamp }.count == 1)
    network.run(for: .milliseconds(1))
    #expect(ask(&network) { $0.transmit = stamp } == [])
    #expect(network.endpoints[1].counters.replayed == replayed + 1)
    #expect(ask(&network) { $0.identity = 77 } == [], "of somebody else")
  }
}
