import MusicalTime
import RTPMIDI
import Testing
import _TestSupport

@testable import PeerProtocol

/// Tests of probes that arrive before the peer is recognised, and of replies to an earlier session with the peer.
@Suite struct EarlyProbeTests {
  private let start = Instant(nanoseconds: 100_000_000_000)

  /// The probes of an earlier version have the same length, and the same first twelve octets. The peer is reported once and stays a standard
  /// device.
  @Test func peerOfAnotherVersionIsReportedOnce() throws {
    var network = EndpointNetwork(2, .tutti)
    network.standardDevices = [1]
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(1))
    let id = try #require(network.session(0))
    let probe = ClockProbe(ssrc: network.localSSRC(1), identity: 101, sentAt: network.clock(0))
    var bytes = octets { _ = probe.append(to: &$0) }
    #expect(bytes[4] == ClockProbe.version)
    bytes[4] = 2
    for _ in 0..<3 {
      network.endpoints[0].receive(bytes, from: .at(3), port: .data, at: network.clock(0))
      network.drain(0)
    }
    network.run(for: .seconds(5))
    let reported = network.events(of: 0).filter { if case .extended = $0 { true } else { false } }
    #expect(reported == [.peer(id, .standardDevice), .peer(id, .otherVersion(2))])
    #expect(network.session(0) == id && network.standing[0][id]?.identity == nil)
  }

  /// A peer that has not replied to the probes counts as a standard device. Its acknowledgement shows that it is a Tutti peer. No clock
  /// measurement results.
  @Test func acknowledgementBeforeTheRecognitionShowsATuttiPeer() throws {
    var network = EndpointNetwork(2, .tutti)
    network.standardDevices = [1]
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(5))
    let id = try #require(network.session(0))
    #expect(network.events(of: 0).last == .peer(id, .standardDevice))
    let now = network.clock(0)
    let reply = ClockProbe(ssrc: network.localSSRC(1), identity: 101, sentAt: now)
      .answer(from: network.localSSRC(0), identity: 100, receivedAt: now, sentAt: now)
    let acknowledgement = try #require(
      reply?.answer(from: network.localSSRC(1), identity: 101, receivedAt: now, sentAt: now))
    let (counters, transits) = (network.endpoints[0].counters, network.transits(0).count)
    network.endpoints[0].receive(
      octets { _ = acknowledgement.append(to: &$0) }, from: .at(3), port: .data, at: now)
    network.drain(0)
    #expect(network.endpoints[0].counters.accepted == counters.accepted + 1)
    #expect(network.endpoints[0].counters.rejectedExtensionPackets == 0 && network.transits(0).count == transits)
    #expect(network.events(of: 0).last == .peer(id, .tuttiPeer))
  }

  /// The first request of the session leaves at ``start``, another one 20 ms later. Each reply arrives after 30 ms. `sent` is the
  /// transmit stamp to which the reply refers, in milliseconds after ``start``.
  @Test(
    arguments: [
      (20, .recognisesPeer), (0, .recognisesPeer), (-1, .ofEarlierSession), (-9970, .ofEarlierSession),
      (-9971, .late), (1, .rejected), (31, .rejected),
    ] as [(Int64, Recognition.ReplyResult)])
  func replyIsMatchedToASession(sent: Int64, result: Recognition.ReplyResult) throws {
    var recognition = Recognition(seed: 1)
    recognition.begin(at: start)
    for n in Int64(0)...1 { recognition.requestSent(at: start + .milliseconds(20 * n)) }
    let origin = start + .milliseconds(sent)
    let reply = try #require(
      ClockProbe(ssrc: 1, identity: 4, sentAt: origin).answer(
        from: 2, identity: 5, receivedAt: origin, sentAt: origin))
    let arrival = start + .milliseconds(30)
    #expect(recognition.receive(reply, at: arrival, shortestInterval: .zero) == result)
    // A second copy of an accepted reply is rejected.
    if result == .recognisesPeer {
      #expect(recognition.receive(reply, at: arrival, shortestInterval: .zero) == .rejected)
    }
  }

  /// Before the first request, every reply that is at most ten seconds old answers an earlier session.
  @Test func replyBeforeTheFirstRequestIsOfAnEarlierSession() throws {
    var recognition = Recognition(seed: 1)
    recognition.begin(at: start)
    let reply = try #require(
      ClockProbe(ssrc: 1, identity: 4, sentAt: start).answer(from: 2, identity: 5, receivedAt: start, sentAt: start))
    #expect(recognition.receive(reply, at: start, shortestInterval: .zero) == .ofEarlierSession)
    #expect(recognition.receive(reply, at: start + .seconds(11), shortestInterval: .zero) == .late)
  }

  /// A stopped peer answers the requests of three seconds at once when it goes on. The replies to the last 32 of them are used. The others
  /// are late, and a second copy of a reply that was used is rejected.
  @Test func repliesOfAStoppedPeerAreLate() throws {
    var recognition = Recognition(seed: 1)
    recognition.begin(at: start)
    let requests = (Int64(0)..<150).map { start + .milliseconds(20 * $0) }
    for request in requests { recognition.requestSent(at: request) }
    let arrival = start + .seconds(3)
    func receive(_ origin: Instant) throws -> Recognition.ReplyResult {
      let reply = try #require(
        ClockProbe(ssrc: 1, identity: 4, sentAt: origin).answer(
          from: 2, identity: 5, receivedAt: origin, sentAt: arrival))
      return recognition.receive(reply, at: arrival, shortestInterval: .zero)
    }
    let results = try requests.map { try receive($0) }
    #expect(results.prefix(118).allSatisfy { $0 == .late } && results[118] == .recognisesPeer)
    #expect(results.dropFirst(119).allSatisfy { $0 == .accepted })
    #expect(try receive(requests[149]) == .rejected)
  }
}
