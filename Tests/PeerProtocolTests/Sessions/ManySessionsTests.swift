import MusicalTime
import PeerProtocol
import RTPMIDI
import Testing
import _TestSupport

/// Tests of several peers on one host, and of many sessions at the same time. Endpoint `k` has the identity 100 + `k`.
/// `standing` contains the established sessions of each endpoint.
@Suite struct ManySessionsTests {
  /// Endpoints 1 and 2 have different ports of one host: all addresses from 1 000 000 to 1 999 999 are on one host. Endpoint 0 is
  /// on another host.
  private func twoPeersOnOneHost() -> EndpointNetwork {
    var network = EndpointNetwork(3, .tutti)
    network.move(1, to: 1_000_000)
    network.move(2, to: 1_000_002)
    for k in 1...2 { _ = network.connect(k, to: 0) }
    network.run(for: .seconds(1))
    return network
  }

  @Test func peersOnOneHostHaveOneSessionEach() throws {
    var network = twoPeersOnOneHost()
    #expect(Set(network.standing[0].values.map(\.info.control)) == [.at(1_000_000), .at(1_000_002)])
    #expect(Set(network.standing[0].values.map(\.identity)) == [101, 102])
    // One peer leaves, the other stays.
    network.endpoints[1].closeAll(at: network.clock(1))
    network.drain(1)
    network.run(for: .seconds(100))
    #expect(network.areTogether(0, 2) && network.standing[1].isEmpty)
  }

  @Test func restartOfOnePeerDoesNotAffectTheOther() throws {
    var network = twoPeersOnOneHost()
    let id = try #require(network.standing[0].first { $0.value.identity == 102 }?.key)
    network.restart(1, seed: 4711)
    network.run(for: .seconds(3))
    #expect(network.standing[0].count == 2 && network.standing[0][id]?.identity == 102)
    #expect(network.standing[0].values.contains { $0.info.ssrc == network.localSSRC(1) && $0.identity == 101 })
    #expect(network.standing[1].count == 1 && network.standing[2].count == 1)
  }

  /// A single session sends a request every 20 ms. A thousand sessions together send 1000 requests per second, not 50 000.
  /// Despite this lower rate, no peer is regarded as silent, as lost or as a standard device.
  @Test func thousandSessionsShareTheProbeRate() {
    let now = Instant(nanoseconds: 1_000_000_000)
    let endpoint = Endpoint(name: "master", identity: 1, random: SplitMix(seed: 1))
    for number in 1...1000 {
      let command = SessionCommand(
        .invitation, token: UInt32(number), ssrc: UInt32(number), mark: endpoint.peerExtension?.announcement)
      let invitation = octets { _ = command.append(to: &$0) }
      endpoint.receive(invitation, from: .at(2 * number), port: .control, at: now)
      endpoint.receive(invitation, from: .at(2 * number + 1), port: .data, at: now)
      // `verify` exchanges the clock packets that prove that the peer receives, and so establishes the session.
      for output in endpoint.verify(UInt32(number), at: .at(2 * number + 1), now: now) {
        // The first request of a session is not answered.
        if case .extensionPacket(let session, _, _) = output { endpoint.sendProbe(on: session) { _, _ in now } }
      }
    }
    var requests: [Int] = []
    var instants: [Set<Instant>] = []
    /// Invitations (IN) to peers that are regarded as silent, lost sessions, and peers that are regarded as standard devices.
    var unexpectedOutputs = 0
    for second in 0..<6 {
      requests.append(0)
      instants.append([])
      let end = now + .seconds(Int64(second + 1))
      var next = now + .seconds(Int64(second))
      while next < end {
        endpoint.advance(to: next)
        while case let outputs = endpoint.drain(), !outputs.isEmpty {
          for output in outputs {
            switch output {
            case .extensionPacket(let session, let to, _):
              requests[second] += 1
              instants[second].insert(next)
              var reply: ClockProbe?
              endpoint.sendProbe(on: session) { probe, _ in
                var probe = probe
                probe.transmit = next
                #expect(probe.rateLimit == 1, "each peer may send one request per second")
                reply = probe.answer(
                  from: UInt32(to.number / 2), identity: UInt64(to.number), receivedAt: next, sentAt: next)
                return next
              }
              endpoint.receive(octets { _ = reply?.append(to: &$0) }, from: to, port: .data, at: next)
            // Octets 2 and 3 are the letters of the command. Only IN has the second letter N.
            case .send(let datagram, _, _, .control) where datagram[3] == UInt8(ascii: "N"): unexpectedOutputs += 1
            case .lost: unexpectedOutputs += 1
            case .extended(_, let event) where RecognitionEvent(event) == .standardDevice: unexpectedOutputs += 1
            default: break
            }
          }
        }
        #expect(endpoint.nextDeadline.map { $0 > next } == true)
        next = min(endpoint.nextDeadline ?? end, end)
      }
    }
    #expect(endpoint.establishedCount == 1000 && unexpectedOutputs == 0)
    // The intervals are 1 s plus a random part of up to 1/16 s, so 941 to 1000 requests per second are sent on average. 875
    // leaves a margin: the sessions began at one instant, and their requests are not evenly spread yet.
    #expect(requests.dropFirst(2).allSatisfy { (875...1000).contains($0) }, "\(requests)")
    #expect(
      instants.last.map { $0.count > 100 } == true,
      "the requests are spread, although all sessions began at one instant")
  }

  /// One nanosecond before its deadline, an endpoint has no output and no other deadline.
  @Test(arguments: UInt64(1)...10, [EndpointNetwork.Kind.standard, .tutti])
  func nothingIsDueBeforeTheDeadline(seed: UInt64, kind: EndpointNetwork.Kind) {
    var network = EndpointNetwork(6, kind, seed: seed)
    var random = SplitMix(seed: seed)
    network.loss = 0.3
    for k in 1..<6 { _ = network.connect(k, to: 0) }
    for _ in 0..<40 {
      let isCut = random.integer(in: 0...3) == 0
      network.cutOff = isCut ? [Int(random.integer(in: 0...5))] : []
      // If a peer is cut off, a long wait reaches the limits of silence. No other peer is silent.
      network.run(for: .milliseconds(random.integer(in: 1...(isCut ? 2500 : 500))))
      for k in 0..<6 {
        guard let next = network.endpoints[k].nextDeadline else { continue }
        network.endpoints[k].advance(to: next - Nanoseconds(1))
        #expect(network.endpoints[k].drain() == [] && network.endpoints[k].nextDeadline == next, "seed \(seed)")
      }
    }
  }
}
