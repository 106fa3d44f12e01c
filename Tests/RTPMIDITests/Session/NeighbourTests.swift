import MusicalTime
import RTPMIDI
import Seeds
import Testing

/// Several peers on one host, and many sessions at once.
@Suite struct NeighbourTests {
  /// Endpoints 1 and 2 have one host, and each its ports; 0 is elsewhere.
  private func neighbours() -> VirtualNetwork {
    var network = VirtualNetwork(3)
    network.move(1, to: 1_000_000)
    network.move(2, to: 1_000_002)
    for k in 1...2 { _ = network.connect(k, to: 0) }
    network.run(for: .seconds(1))
    return network
  }

  @Test func eachHasItsOwnSession() throws {
    var network = neighbours()
    #expect(Set(network.standing[0].values.map(\.info.control)) == [.at(1_000_000), .at(1_000_002)])
    #expect(Set(network.standing[0].values.map(\.identity)) == [101, 102])
    // One leaves, the other stays.
    network.endpoints[1].closeAll(at: network.clock(1))
    network.drain(1)
    network.run(for: .seconds(100))
    #expect(network.areTogether(0, 2) && network.standing[1].isEmpty)
  }

  @Test func oneIsRestartedTheOtherNotDisturbed() throws {
    var network = neighbours()
    let id = try #require(network.standing[0].first { $0.value.identity == 102 }?.key)
    network.restart(1, seed: 4711)
    network.run(for: .seconds(3))
    #expect(network.standing[0].count == 2 && network.standing[0][id]?.identity == 102)
    #expect(network.standing[0].values.contains { $0.info.ssrc == network.endpoints[1].ssrc && $0.identity == 101 })
    #expect(network.standing[1].count == 1 && network.standing[2].count == 1)
  }

  /// A session's own interval would be 20 ms; a thousand of them are asked 1000 times a second, not 50 000 times. And
  /// none is taken for silent or dead because of it.
  @Test func aThousandSessionsShareTheProbes() {
    let now = Instant(nanoseconds: 1_000_000_000)
    let endpoint = Endpoint(name: "master", identity: 1, random: SplitMix(seed: 1))
    for number in 1...1000 {
      let command = SessionCommand(.invitation, token: UInt32(number), ssrc: UInt32(number))
      let invitation = octets { _ = command.append(to: &$0) }
      endpoint.receive(invitation, from: .at(2 * number), port: .control, at: now)
      endpoint.receive(invitation, from: .at(2 * number + 1), port: .data, at: now)
    }
    var requests: [Int] = []
    var moments: [Set<Instant>] = []
    var others = 0
    for second in 0..<6 {
      requests.append(0)
      moments.append([])
      let end = now + .seconds(Int64(second + 1))
      var next = now + .seconds(Int64(second))
      while next < end {
        endpoint.advance(to: next)
        while case let outputs = endpoint.drain(), !outputs.isEmpty {
          for output in outputs {
            switch output {
            case .probe(let session, let to):
              requests[second] += 1
              moments[second].insert(next)
              var reply: ClockProbe?
              endpoint.sendProbe(on: session) { probe in
                var probe = probe
                probe.transmit = next
                #expect(probe.pace == 1, "and so many from each are taken")
                reply = probe.answer(
                  from: UInt32(to.number / 2), identity: UInt64(to.number), receivedAt: next, sentAt: next)
                return next
              }
              endpoint.receive(octets { _ = reply?.append(to: &$0) }, from: to, port: .data, at: next)
            case .send(let datagram, _, .control) where datagram[3] == UInt8(ascii: "N"): others += 1
            case .lost, .foreign: others += 1
            default: break
            }
          }
        }
        #expect(endpoint.nextDeadline.map { $0 > next } == true)
        next = min(endpoint.nextDeadline ?? end, end)
      }
    }
    #expect(endpoint.establishedCount == 1000 && others == 0)
    #expect(requests.dropFirst(2).allSatisfy { (875...1000).contains($0) }, "\(requests)")
    #expect(moments.last.map { $0.count > 100 } == true, "all began at one moment, and do not ask at one")
  }

  /// The next deadline is when something happens, neither before nor after: looking every millisecond instead brings
  /// nothing to light.
  @Test(arguments: UInt64(1)...10) func deadlinesAreExact(seed: UInt64) {
    var network = VirtualNetwork(6, seed: seed)
    var random = SplitMix(seed: seed)
    network.loss = 0.3
    for k in 1..<6 { _ = network.connect(k, to: 0) }
    for _ in 0..<40 {
      let isCut = random.integer(in: 0...3) == 0
      network.isCutOff = isCut ? [Int(random.integer(in: 0...5))] : []
      network.run(for: .milliseconds(random.integer(in: 1...2500)))
      for k in 0..<6 {
        guard let next = network.endpoints[k].nextDeadline else { continue }
        network.endpoints[k].advance(to: next - Nanoseconds(1))
        #expect(network.endpoints[k].drain() == [] && network.endpoints[k].nextDeadline == next, "seed \(seed)")
      }
    }
  }
}
