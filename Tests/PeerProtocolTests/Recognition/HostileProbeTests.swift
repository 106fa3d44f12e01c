import MusicalTime
import PeerProtocol
import RTPMIDI
import Testing
import _TestSupport

/// Tests with implausible stamps in probes. The address 1 is the data port of endpoint 0, 3 that of endpoint 1. Endpoint 0 has the
/// identity 100. `standing` contains the established sessions of each endpoint. Clock probes have the command TU (``ClockProbe``).
@Suite struct HostileProbeTests {
  /// Two endpoints in session, after four seconds.
  private func session() throws -> (EndpointNetwork, SessionID) {
    var network = EndpointNetwork(2, .tutti)
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(4))
    return (network, try #require(network.session(1)))
  }

  /// A request of endpoint 1 that has no reply, because endpoint 1 is cut off from now on.
  private func openRequest(_ network: inout EndpointNetwork) -> ClockProbe {
    var found: ClockProbe?
    while found == nil {
      network.run(for: .milliseconds(1))
      // A real reply takes longer than this millisecond, so it does not arrive any more.
      network.cutOff = [1]
      // `sent` also contains the datagrams of an endpoint that is cut off.
      found = network.sent("TU", by: 3).last.flatMap { ClockProbe($0.span) }.flatMap {
        $0.kind == .request && $0.transmit > network.clock(1) - .milliseconds(1) ? $0 : nil
      }
    }
    return found!
  }

  /// According to the stamps of the forged reply, the peer kept the request for a negative time, or for longer than the round trip. The
  /// test delivers the forged reply at most 1 ms after the request was sent, so this round trip is at most 1 ms. An error of 1 ms is
  /// tolerated.
  @Test(arguments: [-5000, -2, 3, 5000] as [Int64]) func implausibleReplyIsRejected(milliseconds: Int64) throws {
    var (network, id) = try session()
    let request = openRequest(&network)
    let transits = network.transits(1).count
    let before = network.endpoints[1].counters
    let received = network.clock(0)
    let reply = request.answer(
      from: network.localSSRC(0), identity: 100, receivedAt: received,
      sentAt: received + .milliseconds(milliseconds))!
    network.endpoints[1].receive(octets { _ = reply.append(to: &$0) }, from: .at(1), port: .data, at: network.clock(1))
    network.drain(1)
    #expect(network.endpoints[1].counters.rejectedExtensionPackets == before.rejectedExtensionPackets + 1)
    #expect(network.transits(1).count == transits && network.standing[1][id]?.identity == 100)
  }

  /// A reply to an open request, and an acknowledgement of a reply, come from the address of endpoint 0 but have the identity 77.
  @Test func answersWithAnotherIdentityAreRejected() throws {
    var (network, id) = try session()
    let request = openRequest(&network)
    let (here, there) = (network.clock(1), network.clock(0))
    let reply = request.answer(from: network.localSSRC(0), identity: 77, receivedAt: there, sentAt: there)
    let ownReply = ClockProbe(ssrc: network.localSSRC(0), identity: 100, sentAt: there)
      .answer(from: network.localSSRC(1), identity: 101, receivedAt: here, sentAt: here)
    let acknowledgement = ownReply?.answer(from: network.localSSRC(0), identity: 77, receivedAt: there, sentAt: there)
    let before = network.endpoints[1].counters.rejectedExtensionPackets
    for probe in [reply, acknowledgement] {
      network.endpoints[1].receive(octets { _ = probe?.append(to: &$0) }, from: .at(1), port: .data, at: here)
    }
    #expect(network.endpoints[1].counters.rejectedExtensionPackets == before + 2)
    #expect(network.standing[1][id]?.identity == 100)
  }

  /// A session sends up to 50 requests per second. All sessions of an endpoint together send at most 1000 per second. Invitations
  /// without an answer do not slow the probes, because only sessions count: with 61 sessions, each would send 16 per second.
  @Test func invitationsDoNotSlowTheProbes() throws {
    var (network, _) = try session()
    for other in 2..<62 { network.connect(1, to: other) }
    let before = network.sent("TU", by: 3).count
    network.run(for: .seconds(1))
    let requests = network.sent("TU", by: 3).dropFirst(before).count { ClockProbe($0.span)?.kind == .request }
    #expect(requests > 40, "\(requests)")
  }

  /// Delivers a request of peer 0 to endpoint 1, after `change` has changed it. Returns the resulting measurements.
  private func request(_ network: inout EndpointNetwork, _ change: (inout ClockProbe) -> Void) -> [ClockTransit] {
    var probe = ClockProbe(ssrc: network.localSSRC(0), identity: 100, sentAt: network.clock(0))
    change(&probe)
    let known = network.transits(1).count
    network.endpoints[1].receive(
      octets { _ = probe.append(to: &$0) }, from: .at(1), port: .data, at: network.clock(1))
    network.drain(1)
    return Array(network.transits(1).dropFirst(known))
  }

  /// Two endpoints in session, with no datagram in transit to endpoint 1.
  private func quietSession() throws -> EndpointNetwork {
    var (network, _) = try session()
    network.cutOff = [0, 1]
    network.run(for: .milliseconds(500))
    return network
  }

  /// An echo is a request that contains the stamps of an acknowledgement from endpoint 1: its departure in `origin` and its
  /// arrival in `receive`.
  @Test func echoReportsTheTransitOfAnAcknowledgementOnce() throws {
    var network = try quietSession()
    let (left, arrived) = (network.clock(1) - .milliseconds(5), network.clock(0) - .milliseconds(3))
    let echo = { (probe: inout ClockProbe) in (probe.origin, probe.receive) = (left, arrived) }
    let transit = ClockTransit(.out, sent: left, received: arrived)
    let first = request(&network, echo)
    #expect(first.first == transit && first.map(\.direction) == [.out, .back])
    network.run(for: .milliseconds(1))
    #expect(request(&network, echo).map(\.direction) == [.back], "the second echo reports nothing")
    network.run(for: .milliseconds(1))
    let older = request(&network) { ($0.origin, $0.receive) = (left - .milliseconds(20), arrived - .milliseconds(20)) }
    #expect(older.map(\.direction) == [.back], "an echo of an older packet reports nothing")
    #expect(network.endpoints[1].peerExtension!.rejectedStamps == 0)
  }

  /// The departure and the arrival of the echoed packet, relative to the departure of the echo.
  @Test(
    arguments: [
      (.seconds(-11), .seconds(-11)),  // The packet left too long ago.
      (.milliseconds(1), .zero),  // The packet leaves in the future.
      (.milliseconds(-5), .milliseconds(-7)),  // The packet left 5 ms ago, but the peer says that it kept it for 7 ms.
      (.milliseconds(-5), .milliseconds(2)),  // The packet arrives after the echo has left.
      // The arithmetic does not trap.
      (Nanoseconds(.max), .zero), (Nanoseconds(.min), .zero), (.zero, Nanoseconds(.max)), (.zero, Nanoseconds(.min)),
    ] as [(Nanoseconds, Nanoseconds)])
  func implausibleEchoIsRejected(left: Nanoseconds, arrived: Nanoseconds) throws {
    var network = try quietSession()
    let rejected = network.endpoints[1].peerExtension!.rejectedStamps
    let (own, remote) = (network.clock(1), network.clock(0))
    let transits = request(&network) {
      $0.origin = own + left
      $0.receive = remote + arrived
    }
    #expect(transits == [ClockTransit(.back, sent: remote, received: own)])
    #expect(network.endpoints[1].peerExtension!.rejectedStamps == rejected + 1)
  }

  /// A clock that stands still (rate 0) or runs backwards (rate -1). Each of its stamps alone is plausible.
  @Test(arguments: [0, -1] as [Int64]) func clockThatDoesNotAdvanceIsNotFollowed(rate: Int64) throws {
    var network = try quietSession()
    let (here, there) = (network.clock(1), network.clock(0))
    var used = 0
    // A request every 20 ms for six seconds.
    for _ in 0..<300 {
      network.run(for: .milliseconds(20))
      let passed = network.clock(1) - here
      used += request(&network) { $0.transmit = there + Nanoseconds(rate * passed.count) }.count
    }
    let counters = network.endpoints[1].counters
    // A stamp that is not newer is accepted for at most one second (50 requests), because its packet may have been
    // overtaken.
    #expect(used <= 50, "accepted for at most one second")
    #expect(network.endpoints[1].peerExtension!.rejectedStamps >= 240 && counters.implausibleClocks == 0)
    #expect(network.endpoints[1].establishedCount == 1, "the session continues")
    // A corrected clock is followed again.
    network.run(for: .seconds(1))
    #expect(request(&network) { _ in }.count == 1)
  }

  /// After the clock was set back, all its stamps are earlier than the newest stamp from before. Three increases in a row, from one
  /// rejected stamp to the next, show that the clock advances again.
  @Test func clockThatWasSetBackIsFollowedFromTheFourthStamp() throws {
    var network = try quietSession()
    var used: [Int] = []
    for _ in 0..<8 {
      network.run(for: .milliseconds(20))
      used.append(request(&network) { $0.transmit = $0.transmit - .seconds(30) }.count)
    }
    #expect(used == [0, 0, 0, 1, 1, 1, 1, 1])
  }

  /// A duplicate gives no measurement, and neither does a request with another identity.
  @Test func duplicateRequestIsCountedAsReplayed() throws {
    var network = try quietSession()
    let stamp = network.clock(0)
    let replayed = network.endpoints[1].counters.replayed
    #expect(request(&network) { $0.transmit = stamp }.count == 1)
    network.run(for: .milliseconds(1))
    #expect(request(&network) { $0.transmit = stamp } == [])
    #expect(network.endpoints[1].counters.replayed == replayed + 1)
    #expect(request(&network) { $0.identity = 77 } == [], "another identity")
  }
}
