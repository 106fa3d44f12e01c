import BasicContainers
import MIDI
import MusicalTime
import RTPMIDI
import Testing
import _TestSupport

/// Delivery of the messages of a session. The addresses 0 and 1 are the control and the data port of endpoint 0, and 2 and 3 are those
/// of endpoint 1.
@Suite struct DeliveryTests {
  /// Two endpoints in session, and the session of endpoint 1. The clock of endpoint 0 has run for a year, so its time stamps have
  /// wrapped 73 times.
  private func session() throws -> (EndpointNetwork, SessionID) {
    var network = EndpointNetwork(2, .standard)
    network.offsets[0] = .seconds(365 * 86_400)
    _ = network.connect(0, to: 1)
    network.run(for: .milliseconds(100))
    return (network, try #require(network.session(1)))
  }

  @Test func messagesAreReportedWithTimeStampAndArrival() throws {
    var (network, id) = try session()
    var sender = PacketSender(ssrc: network.localSSRC(0), sequence: 65_535)
    var expected: [Endpoint.Output] = []
    for message in [.start, .clock, .controlChange(Channel(1)!, controller: 11, value: 64)] as [Message] {
      // The time stamp is 20 ms ahead, in units of 100 us. The network delays each datagram by one millisecond.
      let stamp = Instant(hundredMicroseconds: (network.clock(0) + .milliseconds(20)).hundredMicroseconds)
      let packet = try #require(encoded { sender.encode(message, at: stamp, into: &$0) })
      network.send(packet, from: 1, to: 3)
      expected.append(
        .message(id, message, at: stamp, arrival: network.clock(1) + .milliseconds(1), isRecovered: false))
      network.run(for: .milliseconds(10))
    }
    #expect(network.events(of: 1).suffix(3) == expected[...])
  }

  /// A time stamp has the lower 32 bits of the peer's clock. The endpoint takes the upper bits from the CK0 of the peer. The peer has
  /// the SSRC 9 and the ports 2 and 3.
  @Test func clockPacketsProvideTheUpperBitsOfTimeStamps() throws {
    var network = EndpointNetwork(1, .standard)
    let remote = Instant(hundredMicroseconds: 365 * 86_400 * 10_000)
    network.connect(0, to: 1)
    let invitation = try #require(network.sent("IN", by: 0).first)
    // Octets 8 to 11 are the token.
    let answer = SessionCommand(
      .accepted, token: invitation[8..<12].reduce(0) { $0 << 8 | UInt32($1) }, ssrc: 9)
    let clock = ClockPacket(ssrc: 9, sentAt: remote)
    var sender = PacketSender(ssrc: 9, sequence: 0)
    let before = octets { _ = sender.encode(.start, at: remote, into: &$0) }
    let after = octets { _ = sender.encode(.clock, at: remote + .seconds(1), into: &$0) }
    for (datagram, from, to) in [
      (octets { _ = answer.append(to: &$0) }, 2, 0), (octets { _ = answer.append(to: &$0) }, 3, 1),
      (before, 3, 1), (octets { _ = clock.append(to: &$0) }, 3, 1), (after, 3, 1),
    ] {
      network.send(datagram, from: from, to: to)
      network.run(for: .milliseconds(1))
    }
    let instants = network.events(of: 0).compactMap { if case .message(_, _, let at, _, _) = $0 { at } else { nil } }
    // The instant whose upper bits are 0.
    let low = Instant(hundredMicroseconds: Int64(RTPHeader.timestamp(of: remote)))
    #expect(instants == [low, remote + .seconds(1)], "before CK0, the upper bits are taken as 0")
  }

  /// A System Exclusive in packets of at most 80 octets is reassembled. A System Exclusive with more data octets than the limit
  /// is dropped and counted. The next System Exclusive is delivered.
  @Test func systemExclusiveMessagesAreReassembledUpToTheLimit() throws {
    var (network, id) = try session()
    var sender = PacketSender(ssrc: network.localSSRC(0), sequence: 65_535)
    let limit = Endpoint.systemExclusiveCapacity
    for length in [limit, limit + 1, limit] {
      let data = (0..<length).map { UInt8(truncatingIfNeeded: $0 + length) & 0x7F }
      let stamp = Instant(hundredMicroseconds: network.clock(0).hundredMicroseconds)
      let earlier = network.events(of: 1).count
      var sent = 0
      while sent < data.count {
        var packet = RigidArray<UInt8>(capacity: 80)
        sent = try #require(sender.encode(systemExclusive: rigid(data), from: sent, at: stamp, into: &packet))
        network.send((0..<packet.count).map { packet[$0] }, from: 1, to: 3)
      }
      network.run(for: .milliseconds(10))
      let events = network.events(of: 1).dropFirst(earlier).filter {
        if case .systemExclusive = $0 { true } else { false }
      }
      // The last packet arrived 1 ms after it had left.
      let arrival = network.clock(1) - .milliseconds(9)
      let delivered = Endpoint.Output.systemExclusive(id, data, at: stamp, arrival: arrival)
      #expect(events == (length > limit ? [] : [delivered]))
    }
    #expect(network.endpoints[1].statistics(of: id)?.droppedSystemExclusives == 1)
  }

  @Test func duplicatePacketsCountOnceAndFeedbackFollows() throws {
    var (network, id) = try session()
    var sender = PacketSender(ssrc: network.localSSRC(0), sequence: 65_535)
    // The network delivers each datagram twice.
    network.repetition = 1
    for _ in 0..<24 {
      let packet = try #require(encoded { sender.encode(.clock, at: network.clock(0), into: &$0) })
      network.send(packet, from: 1, to: 3)
      network.run(for: .milliseconds(20))
    }
    network.repetition = 0
    let clocks = network.events(of: 1).count { if case .message(id, .clock, _, _, _) = $0 { true } else { false } }
    #expect(clocks == 24 && network.endpoints[1].counters.replayed >= 24)
    #expect(network.endpoints[1].statistics(of: id)?.duplicates == 24)
    // The feedback leaves one second after the first of the packets, which arrive within half a second. So one RS acknowledges all.
    network.run(for: .seconds(1))
    let other = try #require(network.session(0))
    #expect(network.sent("RS", by: 2).count == 1)
    // The packets have the sequence numbers 65 535, 0, 1 ... 22.
    #expect(network.events(of: 0).last == .feedback(other, sequence: 22))
    network.run(for: .seconds(10))
    #expect(network.sent("RS", by: 2).count == 1, "no feedback without new packets")
  }

  /// Channel messages and guard packets are acknowledged within 100 ms, because another packet may not follow soon. Ticks are
  /// acknowledged within a second, because other ticks follow them. In the table, nil is a guard packet.
  @Test func feedbackFollowsWithin100MillisecondsIfThePeerWaits() throws {
    for (message, milliseconds) in [(.clock, 1000), (.noteOn(Channel(2)!, key: 60, velocity: 9), 100), (nil, 100)]
      as [(Message?, Int64)]
    {
      var (network, _) = try session()
      var sender = PacketSender(ssrc: network.localSSRC(0), sequence: 7)
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

  /// The journal of the packet after a loss repairs the loss. Recovered messages are marked. The endpoint reports once that the
  /// peer sends journals.
  @Test func lostMessagesAreRecovered() throws {
    var (network, id) = try session()
    var sender = PacketSender(ssrc: network.localSSRC(0), sequence: 65_535)
    sender.sendsJournal = true
    let instant = network.clock(0)
    for (message, isLost) in [(.start, false), (.clock, true), (.clock, false)] as [(Message, Bool)] {
      let packet = try #require(encoded { sender.encode(message, at: instant, into: &$0) })
      if !isLost { network.send(packet, from: 1, to: 3) }
      network.run(for: .milliseconds(10))
    }
    let stamp = Instant(hundredMicroseconds: instant.hundredMicroseconds)
    // The first and the third packet arrived 1 ms after they had left.
    let arrivals = [network.clock(1) - .milliseconds(29), network.clock(1) - .milliseconds(9)]
    #expect(
      network.events(of: 1).suffix(4) == [
        .peerSendsJournals(id), .message(id, .start, at: stamp, arrival: arrivals[0], isRecovered: false),
        .message(id, .clock, at: stamp, arrival: arrivals[1], isRecovered: true),
        .message(id, .clock, at: stamp, arrival: arrivals[1], isRecovered: false),
      ])
    #expect(network.endpoints[1].statistics(of: id)?.recovered == 1)
  }

  /// The endpoint acknowledges a packet with a journal of more than 128 octets within 100 ms, so that the sender can shorten the journal.
  /// The packet contains a tick, because the endpoint acknowledges a note within 100 ms even if the journal is short. The packets of the
  /// notes are lost.
  @Test(arguments: [(64, 1), (8, 0)]) func longJournalIsAcknowledgedSoon(notes: UInt8, feedbacks: Int) throws {
    var (network, _) = try session()
    var sender = PacketSender(ssrc: network.localSSRC(0), sequence: 1)
    sender.sendsJournal = true
    for key in 0..<notes {
      let note = Message.noteOn(Channel(1)!, key: UInt7(masking: key), velocity: 64)
      _ = try #require(encoded { sender.encode(note, at: network.clock(0), into: &$0) })
    }
    network.send(try #require(encoded { sender.encode(.clock, at: network.clock(0), into: &$0) }), from: 1, to: 3)
    network.run(for: .milliseconds(110))
    // A journal with n notes has 3 + 3 + 2 + 2 n octets: the headers of the recovery journal, of the channel journal and of Chapter N, and
    // a log for each note. The journal has 136 octets for 64 notes, and 24 for 8 notes.
    #expect(network.sent("RS", by: 2).count == feedbacks)
  }

  @Test func packetsOutsideASessionAreDropped() throws {
    var (network, _) = try session()
    var sender = PacketSender(ssrc: network.localSSRC(0), sequence: 65_535)
    let packet = try #require(encoded { sender.encode(.stop, at: network.clock(0), into: &$0) })
    let before = network.events(of: 1)
    network.send(packet, from: 0, to: 3)  // from the control port
    network.send(packet, from: 1, to: 2)  // to the control port
    network.send(packet, from: 9, to: 3)  // from another address
    // With another SSRC.
    var stranger = PacketSender(ssrc: sender.ssrc ^ 1, sequence: 0)
    network.send(try #require(encoded { stranger.encode(.stop, at: network.clock(0), into: &$0) }), from: 1, to: 3)
    network.run(for: .milliseconds(10))
    #expect(network.events(of: 1) == before && network.endpoints[1].counters.unknownSources == 4)
  }

  @Test func restartedDeviceWithTheSameSSRCIsHeardAgain() throws {
    var (network, old) = try session()
    var sender = PacketSender(ssrc: network.localSSRC(0), sequence: 65_535)
    for _ in 0..<200 {
      network.send(try #require(encoded { sender.encode(.clock, at: network.clock(0), into: &$0) }), from: 1, to: 3)
    }
    network.run(for: .milliseconds(10))
    // The restarted device begins with the same sequence number, which is 199 numbers behind the highest.
    sender = PacketSender(ssrc: sender.ssrc, sequence: 65_535)
    let again = SessionCommand(.invitation, token: 4711, ssrc: sender.ssrc)
    network.send(octets { _ = again.append(to: &$0) }, from: 0, to: 2)
    network.run(for: .milliseconds(10))
    network.send(octets { _ = again.append(to: &$0) }, from: 1, to: 3)
    network.run(for: .milliseconds(10))
    // The CK0 of the device belongs to the old session, because the SSRC is the same. This CK0 does not establish the new session.
    // The endpoint sends a CK0 of the new session after a second. The answer of the device establishes the new session.
    network.verify(sender.ssrc, at: 1, by: 1)
    #expect(network.session(1) == old)
    network.run(for: .seconds(1))
    let request = try #require(network.sent("CK", by: 3).compactMap { ClockPacket($0.span) }.last { $0.count == 0 })
    network.send(octets { _ = request.reply(from: sender.ssrc, sentAt: network.now)!.append(to: &$0) }, from: 1, to: 3)
    network.run(for: .milliseconds(10))
    network.send(try #require(encoded { sender.encode(.start, at: network.clock(0), into: &$0) }), from: 1, to: 3)
    network.run(for: .milliseconds(2))
    let id = try #require(network.session(1))
    guard case .message(id, .start, _, _, _) = network.events(of: 1).last else {
      Issue.record("\(String(describing: network.events(of: 1).last))")
      return
    }
    #expect(id != old && network.events(of: 1).contains(.lost(old)) && network.endpoints[1].establishedCount == 1)
  }
}
