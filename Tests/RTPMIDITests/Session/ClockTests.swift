import MIDI
import MusicalTime
import RTPMIDI
import Seeds
import Testing

@Suite struct ClockTests {
  @Test func clockPacketsSixQuickOnesSixSlowerOnesThenEveryTenSeconds() {
    var network = VirtualNetwork(2)
    network.delay = 0...0
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(30))
    // At 0, 0.5 ... 2.5 s, at 4, 5.5 ... 11.5 s, then 21.5 s; each is one CK0 and one CK2.
    #expect(network.sent("CK", by: 1).count == 26 && network.sent("CK", by: 3).count == 13)
  }

  @Test func withEqualDelaysBothWaysTheOffsetIsExact() {
    var network = VirtualNetwork(2)
    network.offsets = [Nanoseconds(123_456_789_012), Nanoseconds(-5_000_000_077)]
    network.delay = 3_000_000...3_000_000
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(5))
    for (own, other) in [(0, 1), (1, 0)] {
      let offset = network.offsets[other] - network.offsets[own]
      let exchanges = network.exchanges(own)
      #expect(exchanges.count { $0.resolution == .microseconds(100) } == 7)
      #expect(exchanges.count { $0.resolution == Nanoseconds(1) } > 40)
      for exchange in exchanges {
        let ahead = (exchange.remoteReceived - exchange.sent).count + (exchange.remoteSent - exchange.received).count
        let error = offset.count - ahead / 2
        #expect(exchange.received - exchange.sent == .milliseconds(6))
        #expect(exchange.resolution == Nanoseconds(1) ? error == 0 : (0..<100_000).contains(error))
      }
    }
  }

  @Test func probesEveryFiftyMillisecondsThenEveryHundred() {
    var network = VirtualNetwork(2)
    network.delay = 0...0
    _ = network.connect(0, to: 1)
    network.run(for: .milliseconds(999))
    let probes = { network.sent("TU", by: 1).count { $0[5] == 0 } }
    #expect(probes() == 20)
    network.run(for: .seconds(10))
    #expect(probes() == 20 + 100)
  }

  @Test func aForeignPeerIsProbedThreeTimes() throws {
    var network = VirtualNetwork(1)
    let invitation = SessionCommand(.invitation, token: 1, ssrc: 9)
    network.send(octets { _ = invitation.append(to: &$0) }, from: 2, to: 0)
    network.run(for: .milliseconds(1))
    network.send(octets { _ = invitation.append(to: &$0) }, from: 3, to: 1)
    network.run(for: .milliseconds(3000))
    #expect(network.news(0).count == 1)
    network.run(for: .milliseconds(1))
    let id = try #require(network.session(0))
    #expect(network.news(0).last == .foreign(id))
    network.run(for: .seconds(50))
    #expect(network.sent("TU", by: 1).count == 3)
    // It is not foreign after all: it asks, and is answered. So it is asked until it answers: at once, twenty times a tenth
    // of a second apart, then a second apart.
    let request = ClockProbe(ssrc: 9, identity: 5, sentAt: Instant(nanoseconds: 77))
    network.send(octets { _ = request.append(to: &$0) }, from: 3, to: 1)
    network.run(for: .milliseconds(5100))
    #expect(network.sent("TU", by: 1).count == 3 + 1 + 21 + 3)
  }

  @Test func answersThatNothingAskedForAreDropped() throws {
    var network = VirtualNetwork(2)
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(1))
    let exchanges = network.exchanges(0).count
    let clock = try #require(network.sent("CK", by: 3).last)
    let probe = try #require(network.sent("TU", by: 3).last { $0[5] == 1 })
    var otherProbe = probe
    otherProbe[20] ^= 1
    var otherClock = clock
    otherClock[19] ^= 1
    // Everything in flight arrives first.
    network.run(for: .milliseconds(3))
    let before = network.endpoints[0].counters
    let seen = network.exchanges(0).count
    #expect(seen >= exchanges)
    for datagram in [clock, probe, otherProbe, otherClock] {
      network.endpoints[0].receive(datagram, from: 3, port: .data, at: network.clock(0))
      network.endpoints[0].receive(datagram, from: 5, port: .data, at: network.clock(0))
    }
    let after = network.endpoints[0].counters
    #expect(after.strangerProbes - before.strangerProbes == 4)
    #expect(after.unmatchedClocks - before.unmatchedClocks == 2)
    #expect(after.unknownSources - before.unknownSources == 2)
    #expect(network.endpoints[0].drain() == [])
  }

  /// Every network up to 30 % loss: established, recognised, and each exchange true to its four instants.
  @Test(arguments: UInt64(1)...200) func lossyNetworks(seed: UInt64) {
    var network = VirtualNetwork(2, seed: seed)
    var random = SplitMix(seed: seed)
    network.loss = Double(random.integer(in: 0...30)) / 100
    network.repetition = 0.05
    network.delay = 50_000...random.integer(in: 100_000...80_000_000)
    network.offsets = [
      Nanoseconds(random.integer(in: -1 << 55...1 << 55)), Nanoseconds(random.integer(in: 0...1 << 50)),
    ]
    network.answersEarly = seed % 2 == 0
    _ = network.connect(0, to: 1)
    let isMet = network.run(for: .seconds(60)) { $0.isRecognised(0) && $0.isRecognised(1) }
    #expect(isMet, "seed \(seed): \(network.news(0)) \(network.news(1))")
    network.run(for: .seconds(3))
    for (own, other) in [(0, 1), (1, 0)] {
      #expect(network.endpoints[own].establishedCount == 1, "seed \(seed)")
      let counters = network.endpoints[own].counters
      #expect(counters.received == counters.accepted + counters.dropped, "seed \(seed)")
      #expect(network.exchanges(own).count > 10, "seed \(seed)")
      for exchange in network.exchanges(own) {
        let (sent, received) = (exchange.sent - network.offsets[own], exchange.received - network.offsets[own])
        let (there, back) = (
          exchange.remoteReceived - network.offsets[other], exchange.remoteSent - network.offsets[other]
        )
        // By the network's own time, one after the other; remote instants are rounded down.
        #expect(sent < there + exchange.resolution && there <= back && back < received, "seed \(seed)")
      }
    }
  }
}
