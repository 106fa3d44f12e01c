import BasicContainers
import MIDI
import MusicalTime
import RTPMIDI
import Testing

@Suite struct DeliveryTests {
  /// Two endpoints in session; the first one's clock has run for a year, so that its time stamps have wrapped 73 times.
  private func session() throws -> (VirtualNetwork, SessionID) {
    var network = VirtualNetwork(2)
    network.offsets[0] = .seconds(365 * 86_400)
    _ = network.connect(0, to: 1)
    network.run(for: .milliseconds(100))
    return (network, try #require(network.session(1)))
  }

  @Test func messagesArriveWithTheSendersTimeAndTheirArrival() throws {
    var (network, id) = try session()
    var sender = PacketSender(ssrc: network.endpoints[0].ssrc, sequence: 65_535)
    var expected: [Endpoint.Output] = []
    for message in [.start, .clock, .controlChange(Channel(1)!, controller: 11, value: 64)] as [Message] {
      // Stamped 20 ms ahead.
      let counts = Instant(hundredMicroseconds: (network.clock(0) + .milliseconds(20)).hundredMicroseconds)
      let packet = try #require(encoded { sender.encode(message, at: counts, into: &$0) })
      network.send(packet, from: 1, to: 3)
      expected.append(
        .message(id, message, at: counts, arrival: network.clock(1) + .milliseconds(1), isRecovered: false))
      network.run(for: .milliseconds(10))
    }
    #expect(network.news(1).suffix(3) == expected[...])
  }

  /// A foreign peer's time stamps get their upper bits from its CK0, which is all that it tells of its clock.
  @Test func timeStampsOfAForeignPeer() throws {
    var network = VirtualNetwork(1)
    let remote = Instant(hundredMicroseconds: 365 * 86_400 * 10_000)
    let invitation = SessionCommand(.invitation, token: 1, ssrc: 9)
    let clock = ClockPacket(ssrc: 9, sentAt: remote)
    var sender = PacketSender(ssrc: 9, sequence: 0)
    let before = octets { _ = sender.encode(.start, at: remote, into: &$0) }
    let after = octets { _ = sender.encode(.clock, at: remote + .seconds(1), into: &$0) }
    for (datagram, from, to) in [
      (octets { _ = invitation.append(to: &$0) }, 2, 0), (octets { _ = invitation.append(to: &$0) }, 3, 1),
      (before, 3, 1), (octets { _ = clock.append(to: &$0) }, 3, 1), (after, 3, 1),
    ] {
      network.send(datagram, from: from, to: to)
      network.run(for: .milliseconds(1))
    }
    let instants = network.news(0).compactMap { if case .message(_, _, let at, _, _) = $0 { at } else { nil } }
    let low = Instant(hundredMicroseconds: Int64(RTPHeader.timestamp(of: remote)))
    #expect(instants == [low, remote + .seconds(1)], "before it, the upper bits are taken to be 0")
  }

  @Test func systemExclusives() throws {
    var (network, id) = try session()
    var sender = PacketSender(ssrc: network.endpoints[0].ssrc, sequence: 65_535)
    let data = (0..<4096).map { UInt8(truncatingIfNeeded: $0) & 0x7F }
    let counts = Instant(hundredMicroseconds: network.clock(0).hundredMicroseconds)
    var sent = 0
    while sent < data.count {
      let packet = octets { sent = sender.encode(systemExclusive: rigid(data), from: sent, at: counts, into: &$0)! }
      network.send(packet, from: 1, to: 3)
    }
    network.run(for: .milliseconds(10))
    #expect(
      network.news(1).last == .systemExclusive(id, data, at: counts, arrival: network.clock(1) - .milliseconds(9)))
  }

  @Test func repeatedPacketsAreHeardOnceAndFeedbackFollows() throws {
    var (network, id) = try session()
    var sender = PacketSender(ssrc: network.endpoints[0].ssrc, sequence: 65_535)
    network.repetition = 1
    for _ in 0..<24 {
      let packet = try #require(encoded { sender.encode(.clock, at: network.clock(0), into: &$0) })
      network.send(packet, from: 1, to: 3)
      network.run(for: .milliseconds(20))
    }
    network.repetition = 0
    let clocks = network.news(1).count { if case .message(id, .clock, _, _, _) = $0 { true } else { false } }
    #expect(clocks == 24 && network.endpoints[1].counters.replayed >= 24, "and requests for the time")
    #expect(network.endpoints[1].statistics(of: id)?.duplicates == 24)
    network.run(for: .seconds(1))
    let own = try #require(network.session(0))
    #expect(network.sent("RS", by: 2).count == 1)
    #expect(network.news(0).last == .feedback(own, sequence: 22))
    network.run(for: .seconds(10))
    #expect(network.sent("RS", by: 2).count == 1, "nothing new, no feedback")
  }

  /// What a player says, and a guard packet, is acknowledged within 100 ms; ticks, which follow each other, within a second.
  @Test func whoWaitsForFeedbackHasItSoon() throws {
    for (message, milliseconds) in [(.clock, 1000), (.noteOn(Channel(2)!, key: 60, velocity: 9), 100), (nil, 100)]
      as [(Message?, Int64)]
    {
      var (network, _) = try session()
      var sender = PacketSender(ssrc: network.endpoints[0].ssrc, sequence: 7)
      sender.sendsJournal = true
      let instant = network.clock(0)
      let packet = try #require(
        encoded { packet in
          guard let message else { return sender.encodeGuard(at: instant, into: &packet) }
          return sender.encode(message, at: instant, into: &packet)
        })
      network.send(packet, from: 1, to: 3)
      network.run(for: .milliseconds(milliseconds - 10))
      #expect(network.sent("RS", by: 2).isEmpty)
      network.run(for: .milliseconds(20))
      #expect(network.sent("RS", by: 2).count == 1, "\(message.map { "\($0)" } ?? "guard")")
    }
  }

  /// The journal of the packet after a loss gives back what was lost, and says so; that the peer sends journals is told
  /// once.
  @Test func whatIsLostIsRecovered() throws {
    var (network, id) = try session()
    var sender = PacketSender(ssrc: network.endpoints[0].ssrc, sequence: 65_535)
    sender.sendsJournal = true
    let instant = network.clock(0)
    for (message, isLost) in [(.start, false), (.clock, true), (.clock, false)] as [(Message, Bool)] {
      let packet = try #require(encoded { sender.encode(message, at: instant, into: &$0) })
      if !isLost { network.send(packet, from: 1, to: 3) }
      network.run(for: .milliseconds(10))
    }
    let counts = Instant(hundredMicroseconds: instant.hundredMicroseconds)
    let arrivals = [network.clock(1) - .milliseconds(29), network.clock(1) - .milliseconds(9)]
    #expect(
      network.news(1).suffix(4) == [
        .journals(id), .message(id, .start, at: counts, arrival: arrivals[0], isRecovered: false),
        .message(id, .clock, at: counts, arrival: arrivals[1], isRecovered: true),
        .message(id, .clock, at: counts, arrival: arrivals[1], isRecovered: false),
      ])
    #expect(network.endpoints[1].statistics(of: id)?.recovered == 1)
  }

  /// A journal that has grown long is answered soon, so that its sender can shorten it.
  @Test func aLongJournalIsAcknowledgedSoon() throws {
    var (network, _) = try session()
    var sender = PacketSender(ssrc: network.endpoints[0].ssrc, sequence: 1)
    sender.sendsJournal = true
    for key in 0..<64 as Range<UInt8> {
      let note = Message.noteOn(Channel(1)!, key: UInt7(masking: key), velocity: 64)
      network.send(try #require(encoded { sender.encode(note, at: network.clock(0), into: &$0) }), from: 1, to: 3)
      network.run(for: .milliseconds(1))
    }
    #expect(network.sent("RS", by: 2).isEmpty)
    network.run(for: .milliseconds(100))
    #expect(network.sent("RS", by: 2).count == 1, "64 notes have been told in journals of up to 134 octets")
  }

  @Test func whoIsNotInSessionIsNotHeard() throws {
    var (network, _) = try session()
    var sender = PacketSender(ssrc: network.endpoints[0].ssrc, sequence: 65_535)
    let packet = try #require(encoded { sender.encode(.stop, at: network.clock(0), into: &$0) })
    let told = network.news(1)
    network.send(packet, from: 0, to: 3)  // from the control port
    network.send(packet, from: 1, to: 2)  // to the control port
    network.send(packet, from: 9, to: 3)  // from elsewhere
    var stranger = PacketSender(ssrc: sender.ssrc ^ 1, sequence: 0)
    network.send(try #require(encoded { stranger.encode(.stop, at: network.clock(0), into: &$0) }), from: 1, to: 3)
    network.run(for: .milliseconds(10))
    #expect(network.news(1) == told && network.endpoints[1].counters.unknownSources == 4)
  }

  @Test func aRestartedDeviceWithItsOldSourceIsHeardAgain() throws {
    var (network, old) = try session()
    var sender = PacketSender(ssrc: network.endpoints[0].ssrc, sequence: 65_535)
    for _ in 0..<200 {
      network.send(try #require(encoded { sender.encode(.clock, at: network.clock(0), into: &$0) }), from: 1, to: 3)
    }
    network.run(for: .milliseconds(10))
    sender = PacketSender(ssrc: sender.ssrc, sequence: 65_535)
    let again = SessionCommand(.invitation, token: 4711, ssrc: sender.ssrc)
    network.send(octets { _ = again.append(to: &$0) }, from: 0, to: 2)
    network.run(for: .milliseconds(10))
    network.send(octets { _ = again.append(to: &$0) }, from: 1, to: 3)
    network.run(for: .milliseconds(10))
    network.send(try #require(encoded { sender.encode(.start, at: network.clock(0), into: &$0) }), from: 1, to: 3)
    network.run(for: .milliseconds(2))
    let id = try #require(network.session(1))
    guard case .message(id, .start, _, _, _) = network.news(1).last else {
      Issue.record("\(String(describing: network.news(1).last))")
      return
    }
    #expect(id != old && network.news(1).contains(.lost(old)) && network.endpoints[1].establishedCount == 1)
  }
}
