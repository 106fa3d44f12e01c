import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI
import Testing
import _TestSupport

/// Tests of clock probes of two peers in session. The addresses 0 and 1 are the control and the data port of endpoint 0, 2 and 3 those of
/// endpoint 1. The endpoints have the identities 100 and 101.
@Suite struct ClockProbeTests {
  @Test func offsetIsExactIfBothDelaysAreEqual() {
    var network = EndpointNetwork(2, .tutti)
    network.offsets = [Nanoseconds(123_456_789_012), Nanoseconds(-5_000_000_077)]
    network.delay = 3_000_000...3_000_000
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(5))
    for (own, other) in [(0, 1), (1, 0)] {
      let offset = network.offsets[other] - network.offsets[own]
      // The transits of clock probes. Those of CK have a resolution of 100 us.
      let transits = network.transits(own).filter { $0.resolution == Nanoseconds(1) }
      // In five seconds, each of the two endpoints begins more than 220 exchanges of request, reply and acknowledgement. These are more
      // than 6 * 220 packets. Both endpoints report the transit of each packet once.
      let repeated = transits.count - Set(transits).count
      // A reply and a request that leave at the same instant give equal transits.
      #expect(transits.count > 6 * 220 && repeated < 10)
      for direction in [ClockTransit.Direction.out, .back] {
        let sameDirection = transits.filter { $0.direction == direction }
        #expect(sameDirection.count > 3 * 220)
        let delay: Nanoseconds = direction == .out ? .milliseconds(3) : .milliseconds(-3)
        #expect(sameDirection.allSatisfy { $0.difference == offset + delay })
      }
    }
  }

  /// The reply reports the transit of the request, the acknowledgement that of the reply, and the next request that of the
  /// acknowledgement.
  @Test(arguments: [ClockProbe.Kind.request, .reply, .acknowledgement]) func transitOfEachKindIsReported(
    kind: ClockProbe.Kind
  ) {
    var network = EndpointNetwork(2, .tutti)
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(1))
    let sent = network.sent("TU", by: 3).compactMap { ClockProbe($0.span) }.filter { $0.kind == kind }
    let reported = Set(network.transits(1).filter { $0.direction == .out }.map(\.sent))
    // In one second, each endpoint begins about 47 to 50 exchanges. The exchanges at the beginning and at the end may be incomplete.
    #expect(sent.count > 45 && sent.dropFirst(2).dropLast(2).allSatisfy { reported.contains($0.transmit) })
  }

  @Test func requestsAre20MillisecondsApartForAMinuteThen100() throws {
    var network = EndpointNetwork(2, .tutti)
    network.delay = 0...0
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(60))
    let probes = { network.sent("TU", by: 1).compactMap { ClockProbe($0.span) }.filter { $0.kind == .request } }
    let early = probes()
    // Each interval is longer by a random part of up to a sixteenth: 2824 to 3000 requests in 60 s, 2909 on average, and 941 to
    // 1000 in 100 s.
    #expect((2840...2960).contains(early.count), "\(early.count)")
    network.run(for: .seconds(100))
    // The first request after the minute is left out, because the interval changes there.
    let late = probes().dropFirst(early.count + 1)
    #expect((940...1000).contains(late.count), "\(late.count)")
    for (probes, interval) in [(ArraySlice(early), Nanoseconds.milliseconds(20)), (late, .milliseconds(100))] {
      let intervals = zip(probes, probes.dropFirst()).map { $1.transmit - $0.transmit }
      let longest = interval + Nanoseconds(interval.count / 16)
      #expect(intervals.allSatisfy { $0 >= interval && $0 <= longest })
      #expect(Set(intervals).count > intervals.count * 9 / 10, "the intervals vary")
    }
  }

  /// The rate limit in the newest probe of the peer limits the requests of the local endpoint.
  @Test(arguments: [1, 2, 9, 50, 65535] as [UInt16]) func rateLimitOfThePeerIsApplied(rateLimit: UInt16) throws {
    var network = EndpointNetwork(2, .tutti)
    network.delay = 0...0
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(2))
    let requests = { network.sent("TU", by: 1).compactMap { ClockProbe($0.span) }.filter { $0.kind == .request } }
    #expect(requests().allSatisfy { $0.rateLimit == 50 }, "one session has the maximum rate")
    // Endpoint 1 is cut off, so the newest probe of endpoint 1 is the one that the test creates. It contains the rate limit of the test.
    network.cutOff = [1]
    let request = ClockProbe(
      ssrc: network.localSSRC(1), identity: 101, rateLimit: rateLimit, sentAt: network.clock(1))
    network.endpoints[0].receive(
      octets { _ = request.append(to: &$0) }, from: .at(3), port: .data, at: network.clock(0))
    network.drain(0)
    let before = requests()
    // After five seconds, the silent peer would be lost.
    network.run(for: .milliseconds(4900))
    let sent = before.suffix(1) + requests().dropFirst(before.count)
    // Endpoint 0 sends at most 50 requests per second.
    let shortest = max(.milliseconds(20), Nanoseconds(1_000_000_000 / Int64(rateLimit)))
    let intervals = zip(sent, sent.dropFirst()).map { $1.transmit - $0.transmit }
    // An interval is longer by a random part of up to a sixteenth. The test allows twice that.
    #expect(intervals.allSatisfy { $0 >= shortest && $0 <= shortest + Nanoseconds(shortest.count / 8) })
    // An interval is at most 1.0625 / rate seconds long in the mean, so 4.9 s contain at least 4.6 * rate intervals. The test requires
    // 4 * rate.
    #expect(intervals.count >= 4 * min(50, Int(rateLimit)))
  }

  /// A packet of the stream of endpoint 0 with the send instant `instant`. The tick in the packet is due 90 ms later, as in a
  /// packet that is sent ahead of time. Its RTP time stamp is therefore not the send time, and only the send instant measures the clock.
  private func packet(_ sender: inout PacketSender, of network: EndpointNetwork, leaving instant: Instant) -> [UInt8] {
    sender.sendsInstants = true
    var packet = octets { _ = sender.encode(.clock, at: network.clock(0) + .milliseconds(90), into: &$0) }
    for index in 0..<8 {
      packet[RTPHeader.instantOffset + index] = UInt8(truncatingIfNeeded: instant.nanoseconds >> (56 - 8 * index))
    }
    return packet
  }

  /// The number of MIDI Clocks that endpoint 1 has received.
  private func clockCount(_ network: EndpointNetwork) -> Int {
    network.events(of: 1).count { if case .message(_, .clock, _, _, _) = $0 { true } else { false } }
  }

  @Test func sendInstantsOfTheStreamAreMeasurements() throws {
    var network = EndpointNetwork(2, .tutti)
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(1))
    // After 300 ms without new datagrams, no datagram is in transit.
    network.cutOff = [0, 1]
    network.run(for: .milliseconds(300))
    network.cutOff = []
    let known = network.transits(1).count
    var sender = PacketSender(ssrc: network.localSSRC(0), sequence: 7)
    let left = network.clock(0)
    let datagram = packet(&sender, of: network, leaving: left)
    let transit = ClockTransit(.back, sent: left, received: network.clock(1) + .milliseconds(1))
    for _ in 0..<2 { network.endpoints[1].receive(datagram, from: .at(1), port: .data, at: transit.received) }
    network.drain(1)
    #expect(network.transits(1).dropFirst(known) == [transit], "the duplicate gives no measurement")
    // Two packets have implausible send instants. One is wrong by an hour. The other comes from a time source that has stood still for five
    // seconds. The MIDI messages Clock of both packets are delivered. Their send instants are rejected.
    let before = try #require(network.endpoints[1].peerExtension).rejectedStamps
    for (instant, milliseconds) in [(left + .seconds(3600), 2), (left, 5000)] as [(Instant, Int64)] {
      let datagram = packet(&sender, of: network, leaving: instant)
      network.endpoints[1].receive(
        datagram, from: .at(1), port: .data, at: transit.received + .milliseconds(milliseconds))
    }
    network.drain(1)
    #expect(network.transits(1).count == known + 1 && clockCount(network) == 3)
    #expect(network.endpoints[1].peerExtension?.rejectedStamps == before + 2)
    let id = try #require(network.session(1))
    #expect(network.events(of: 1).count { $0 == .irregular(id, .implausibleStamp) } == 2, "reported with the session")
  }

  @Test func sendInstantsOfAnUnrecognisedPeerAreNotMeasurements() {
    var network = EndpointNetwork(2, .tutti)
    network.standardDevices = [0]
    _ = network.connect(0, to: 1)
    network.run(for: .milliseconds(10))
    var sender = PacketSender(ssrc: network.localSSRC(0), sequence: 7)
    network.send(packet(&sender, of: network, leaving: network.clock(0)), from: 1, to: 3)
    network.run(for: .milliseconds(10))
    #expect(clockCount(network) == 1)
    // Only CK has given measurements.
    #expect(network.transits(1).allSatisfy { $0.resolution == .microseconds(100) })
  }

  /// A device whose invitation or answer does not announce a Tutti peer gets no packet that a standard device does not know, even if it was
  /// expected to be a Tutti peer. `isInvited` is whether the device is invited or invites.
  @Test(arguments: [false, true]) func deviceWithoutTuttiGetsStandardCommandsOnly(isInvited: Bool) throws {
    var network = EndpointNetwork(2, .tutti)
    network.standardDevices = [1]
    if isInvited { network.connect(0, to: 1, expectsExtension: true) } else { network.connect(1, to: 0) }
    network.run(for: .seconds(60))
    let id = try #require(network.session(0))
    #expect(network.events(of: 0).contains(.peer(id, .standardDevice)))
    let commands = Set([0, 1].flatMap { network.sent[$0] ?? [] }.map { String(decoding: $0[2...3], as: UTF8.self) })
    #expect(commands.isSubset(of: ["IN", "OK", "CK", "RS"]), "\(commands)")
  }

  /// A peer that has announced itself as a Tutti peer, but sends nothing, is out of reach.
  @Test func announcedPeerGetsTwentyProbes() throws {
    var network = EndpointNetwork(1, .tutti)
    let mark = network.endpoints[0].peerExtension?.announcement
    let invitation = SessionCommand(.invitation, token: 1, ssrc: 9, mark: mark)
    network.send(octets { _ = invitation.append(to: &$0) }, from: 2, to: 0)
    network.run(for: .milliseconds(1))
    network.send(octets { _ = invitation.append(to: &$0) }, from: 3, to: 1)
    // The invitation on the data port arrives at 2 ms, and the first probe leaves. `verify`, by which the device proves that it receives,
    // takes 3 ms and ends at 4 ms. The next probe leaves at 252 ms, and 18 more follow, 100 ms apart. The session is lost 100 ms after the
    // last one, at 2152 ms.
    network.verify(9, at: 3, by: 0)
    network.run(for: .milliseconds(2147))
    #expect(network.events(of: 0).count == 1)
    network.run(for: .milliseconds(1))
    let id = try #require(network.session(0))
    #expect(network.events(of: 0).last == .lost(id))
    #expect(network.sent("TU", by: 1).count == 20)
  }

  @Test func deviceThatSendsAProbeGetsProbes() throws {
    var network = EndpointNetwork(1, .tutti)
    let invitation = SessionCommand(.invitation, token: 1, ssrc: 9)
    network.send(octets { _ = invitation.append(to: &$0) }, from: 2, to: 0)
    network.run(for: .milliseconds(1))
    network.send(octets { _ = invitation.append(to: &$0) }, from: 3, to: 1)
    network.verify(9, at: 3, by: 0)
    network.run(for: .seconds(50))
    let id = try #require(network.session(0))
    #expect(network.events(of: 0).last == .peer(id, .standardDevice) && network.sent("TU", by: 1).isEmpty)
    // The device sends a request after all, and gets a reply. Because it does not reply itself, it gets a request at once, twenty
    // requests 100 ms apart, and then one per second.
    let request = ClockProbe(ssrc: 9, identity: 5, sentAt: Instant(nanoseconds: 77))
    #expect(!network.events(of: 0).contains(.peer(id, .tuttiPeer)))
    network.send(octets { _ = request.append(to: &$0) }, from: 3, to: 1)
    network.run(for: .milliseconds(4900))
    #expect(network.events(of: 0).contains(.peer(id, .tuttiPeer)))
    // The reply, 21 requests in two seconds, and two more.
    #expect(network.sent("TU", by: 1).count == 1 + 21 + 2)
    // A silent Tutti peer is lost after five seconds.
    network.run(for: .milliseconds(200))
    #expect(network.events(of: 0).last == .lost(id))
  }

  @Test func unsolicitedRepliesAreDropped() throws {
    var network = EndpointNetwork(2, .tutti)
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(1))
    let clock = try #require(network.sent("CK", by: 3).last)
    // Octet 5 of a probe is its kind, 1 for a reply.
    let probe = try #require(network.sent("TU", by: 3).last { $0[5] == 1 })
    // Octet 27 is the last octet of the origin of a probe, and octet 19 is the last octet of stamp 1 of a CK. The changed stamps match no
    // request.
    var otherProbe = probe
    otherProbe[27] ^= 1
    var otherClock = clock
    otherClock[19] ^= 1
    // All datagrams in transit arrive first.
    network.run(for: .milliseconds(3))
    let before = network.endpoints[0].counters
    let transits = network.transits(0).count
    // Address 3 is the data port of the peer. Address 5 belongs to no peer, so it is an unknown source.
    for datagram in [clock, probe, otherProbe, otherClock] {
      network.endpoints[0].receive(datagram, from: .at(3), port: .data, at: network.clock(0))
      network.endpoints[0].receive(datagram, from: .at(5), port: .data, at: network.clock(0))
    }
    let after = network.endpoints[0].counters
    #expect(after.rejectedExtensionPackets - before.rejectedExtensionPackets == 2)
    #expect(after.unmatchedClocks - before.unmatchedClocks == 2)
    #expect(after.unknownSources - before.unknownSources == 4)
    let report = Endpoint.Output.irregular(try #require(network.session(0)), .unsolicitedReply)
    #expect(network.endpoints[0].drain() == [report, report] && network.transits(0).count == transits)
  }

  /// A peer that was stopped by Ctrl-Z replies when it goes on, seconds later. By then, the local peer awaits only the replies to its last 32
  /// requests. It does not report the other replies as unsolicited.
  @Test func lateRepliesAreNotReported() throws {
    var network = EndpointNetwork(2, .tutti)
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(3))
    let replies = network.sent("TU", by: 3).filter { $0[5] == 1 }
    network.run(for: .milliseconds(3))
    let before = network.endpoints[0].counters.rejectedExtensionPackets
    for reply in replies.prefix(replies.count - 40) {
      network.endpoints[0].receive(reply, from: .at(3), port: .data, at: network.clock(0))
    }
    #expect(network.endpoints[0].counters.rejectedExtensionPackets - before == replies.count - 40)
    #expect(replies.count > 100 && network.endpoints[0].drain() == [])
  }

  /// On networks with up to 30 % loss, the peers recognise each other, and each measurement is exact. The network sends a second copy of
  /// 5 % of the datagrams. With `answersEarly`, a request is answered before the endpoint gets it, as by a network
  /// thread.
  @Test(arguments: UInt64(1)...200) func measurementsAreExactOnLossyNetworks(seed: UInt64) {
    var network = EndpointNetwork(2, .tutti, seed: seed)
    var random = SplitMix(seed: seed)
    network.loss = Double(random.integer(in: 0...30)) / 100
    network.repetition = 0.05
    network.delay = 50_000...random.integer(in: 100_000...80_000_000)
    network.offsets = [
      Nanoseconds(random.integer(in: -1 << 55...1 << 55)), Nanoseconds(random.integer(in: 0...1 << 50)),
    ]
    network.answersEarly = seed % 2 == 0
    _ = network.connect(0, to: 1)
    let areRecognised = network.run(for: .seconds(60)) { $0.isRecognised(0) && $0.isRecognised(1) }
    #expect(areRecognised, "seed \(seed): \(network.events(of: 0)) \(network.events(of: 1))")
    network.run(for: .seconds(3))
    for (own, other) in [(0, 1), (1, 0)] {
      #expect(network.endpoints[own].establishedCount == 1, "seed \(seed)")
      let counters = network.endpoints[own].counters
      #expect(counters.received == counters.accepted + counters.dropped, "seed \(seed)")
      let transits = network.transits(own).filter { $0.resolution == Nanoseconds(1) }
      #expect(transits.count > 40, "seed \(seed)")
      for transit in transits {
        // The instants in network time.
        let (here, there) = (transit.local - network.offsets[own], transit.remote - network.offsets[other])
        let delay = transit.direction == .out ? there - here : here - there
        #expect(network.delay.contains(delay.count), "seed \(seed)")
      }
    }
  }
}
