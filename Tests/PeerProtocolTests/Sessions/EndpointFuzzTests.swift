import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI
import Testing
import _TestSupport

/// Tests with hostile datagrams on both ports: random, truncated, mutated and replayed.
@Suite struct EndpointFuzzTests {
  /// Two endpoints in session, and a source of datagrams that resemble the datagrams of the session, including RTP.
  private func session(seed: UInt64) throws -> (EndpointNetwork, HostileDatagrams, SessionID) {
    var network = EndpointNetwork(2, .tutti, seed: seed)
    _ = network.connect(0, to: 1)
    network.run(for: .milliseconds(100))
    var sender = PacketSender(ssrc: network.localSSRC(0), sequence: 100)
    for message in [.clock, .start, .pitchBend(Channel(3)!, 100)] as [Message] {
      network.send(try #require(encoded { sender.encode(message, at: network.clock(0), into: &$0) }), from: 1, to: 3)
    }
    let data: [UInt8] = [0x7D, 1, 2, 3]
    network.send(
      octets { _ = sender.encode(systemExclusive: rigid(data), at: network.clock(0), into: &$0) }, from: 1, to: 3)
    network.run(for: .seconds(2))
    var corpus = network.sent.keys.sorted().flatMap { network.sent[$0]! }
    let bye = SessionCommand(.bye, token: 1, ssrc: network.localSSRC(0))
    corpus.append(octets { _ = bye.append(to: &$0) })
    var hostile = HostileDatagrams(seed: seed)
    // The hostile datagrams are mutations of these datagrams.
    for datagram in corpus { hostile.see(datagram) }
    return (network, hostile, try #require(network.session(1)))
  }

  /// Datagrams from addresses other than those of the peer do not reach the session. The endpoints have addresses below 10, and the
  /// strangers have addresses from 10 on.
  @Test(arguments: UInt64(1)...5) func datagramsFromStrangersDoNotReachTheSession(seed: UInt64) throws {
    var (network, hostile, id) = try session(seed: seed)
    let endpoint = network.endpoints[1]
    let before = try #require(endpoint.statistics(of: id))
    let counters = endpoint.counters
    var random = SplitMix(seed: seed)
    for _ in 0..<10_000 {
      let port: Port = random.integer(in: 0...1) == 0 ? .control : .data
      endpoint.receive(
        hostile.next(), from: .at(Int(random.integer(in: 10...1000))), port: port, at: network.clock(1))
    }
    #expect(endpoint.statistics(of: id) == before, "seed \(seed)")
    for output in endpoint.drain() {
      switch output {
      case .closed(id), .lost(id), .clock(id, _), .message(id, _, _, _, _), .systemExclusive(id, _, _, _),
        .feedback(id, _), .extended(id, _):
        Issue.record("seed \(seed): \(output)")
      case .send(_, let to, _, _): if to.number < 10 { Issue.record("seed \(seed): \(output)") }
      default: break
      }
    }
    let after = endpoint.counters
    #expect(after.received - counters.received == 10_000 && after.received == after.accepted + after.dropped)
    // The lower limits show that hostile datagrams have reached each of these checks.
    #expect(after.malformed > 1000 && after.unknownSources > 1000)
    #expect(after.rejectedExtensionPackets == counters.rejectedExtensionPackets)
    #expect(after.unknownCommands > 100 && after.refusedInvitations > 10 && after.unexpectedAnswers > 100)
  }

  /// Datagrams from the peer's addresses do not trap. Only an invitation or a BY ends the session.
  @Test(arguments: UInt64(1)...5) func datagramsFromThePeerDoNotEndTheSession(seed: UInt64) throws {
    var (network, hostile, id) = try session(seed: seed)
    let endpoint = network.endpoints[1]
    let counters = endpoint.counters
    var random = SplitMix(seed: seed)
    var given: UInt64 = 0
    while given < 10_000 {
      let datagram = hostile.next()
      // These commands may end the session.
      if case .session(let command) = try? ControlPacket(datagram.span),
        command.kind == .bye || command.kind == .invitation
      {
        continue
      }
      given += 1
      let (from, port) = random.integer(in: 0...3) == 0 ? (0, Port.control) : (1, Port.data)
      endpoint.receive(datagram, from: .at(from), port: port, at: network.clock(1))
      if given % 100 == 0 { endpoint.advance(to: network.clock(1)) }
    }
    let after = endpoint.counters
    #expect(endpoint.establishedCount == 1 && endpoint.statistics(of: id) != nil, "seed \(seed)")
    #expect(after.received - counters.received == given && after.received == after.accepted + after.dropped)
    #expect(after.malformed > 1000 && after.replayed > 100 && after.accepted > 100 && after.unknownSources > 100)
  }

  /// Genuine peers, imitators and strangers send at the same time, until all limits are reached. An imitator sends
  /// damaged copies of the datagrams of a genuine peer. A stranger sends from an address without a session.
  @Test(arguments: UInt64(1)...4) func limitsHoldAmongGenuineAndHostilePeers(seed: UInt64) throws {
    let fuzzer = SessionFuzzer(seed: seed)
    try fuzzer.run(inputs: 20_000)
    let counters = fuzzer.counters
    // Strangers do not receive, so they get no sessions.
    #expect(fuzzer.mostSessions >= 2 && fuzzer.mostCandidates == 64, "seed \(seed): too few sessions or candidates")
    #expect(counters.accepted > 2000 && counters.malformed > 500 && counters.unknownSources > 500, "seed \(seed)")
    #expect(counters.rejectedExtensionPackets > 20 && counters.refusedInvitations > 20, "seed \(seed): \(counters)")
  }

  /// The endpoint and the genuine peers have the same passkey.
  @Test(arguments: UInt64(1)...2) func limitsHoldWithAPasskey(seed: UInt64) throws {
    let fuzzer = SessionFuzzer(seed: seed, hasPasskey: true)
    try fuzzer.run(inputs: 20_000)
    let counters = fuzzer.counters
    #expect(fuzzer.mostSessions >= 2 && fuzzer.mostCandidates > 4, "seed \(seed): too few sessions or candidates")
    #expect(counters.accepted > 1000 && counters.notAuthentic > 200, "seed \(seed): \(counters)")
  }
}
