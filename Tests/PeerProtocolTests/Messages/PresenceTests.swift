import MIDI
import MusicalTime
import PeerProtocol
import Testing
import _TestSupport

/// Tests of the encoding of ``Presence``, in which a Tutti peer reports its state.
@Suite struct PresenceTests {
  @Test func layoutIsAsDocumented() {
    let presence = Presence(
      identity: Identity(0x0102_0304_8506_0708), claim: Claim(term: 0x81, identity: Identity(0xFF)),
      channel: Channel(16), gates: GateSet(bits: 0b1010), takesOver: true, activity: 100, asksToLead: true,
      players: PlayerSummary(list: DocumentDigest(high: 0x51, low: 0x52), count: 3, sum: 0x0110, maximum: 0x64),
      mutedSlots: 0x8000_0000_0000_0005, rhythm: DocumentDigest(high: 0x1122_3344_5566_7788, low: 0x99),
      answer: .refused(DocumentDigest(high: 0xA1, low: 0x7F)!),
      page: PageReport(port: 8080, delay: .milliseconds(171)),
      lastRun: LastRun(
        term: 0x83, tempo: Tempo(nanosecondsPerQuarter: 0x1DCD_6500)!, rhythm: DocumentDigest(high: 0xB2, low: 0x61)),
      number: 0x0102_0304_0506_0788,
      memberGates: MemberGates(Identity(0x9122_3344_5566_77F8), GateSet(bits: 0b0110)),
      score: DocumentDigest(high: 0xC1, low: 0x62))
    // After the first row, each row encodes up to seven octets. Its first byte contains the top bits of these octets, the top bit
    // of the first octet in bit 6. The comments give the octets after decoding. The flags 13 are: a claim (01), would take over (02),
    // asks to lead (10).
    #expect(
      presence.systemExclusive == [
        0x7D, 0x54, 0x03, 0x02,  // non-commercial use; 'T'; version 3; kind 2, presence
        0x04, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,  // identity, 1 to 7: 01 02 03 04 85 06 07
        0x00, 0x08, 0x13, 0x00, 0x00, 0x00, 0x00, 0x00,  // identity, 8: 08; flags 13; term, 1 to 5: zeros
        0x10, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00,  // term, 6 to 8: 00 00 81; claimant, 1 to 4: zeros
        0x08, 0x00, 0x00, 0x00, 0x7F, 0x10, 0x0A, 0x64,  // claimant, 5 to 8: 00 00 00 FF; channel; gates; activity
        0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,  // digest of the rhythm, 1 to 7
        0x40, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // digest of the rhythm, 8: 88, and 9 to 14: zeros
        0x24, 0x00, 0x19, 0x12, 0x1F, 0x10, 0x02, 0x00,  // 15 and 16: 00 99; delay: 18 (180 ms); port: 1F 90; refused
        0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x21,  // digest of the answer, 2 to 8
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // 9 to 15
        0x00, 0x7F, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // 16; term of the last run, 1 to 6
        0x28, 0x00, 0x03, 0x1D, 0x4D, 0x65, 0x00, 0x00,  // 7 and 8: 00 83; tempo: 1D CD 65 00; digest, 1
        0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x32,  // digest of the rhythm of the last run, 2 to 8
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // 9 to 15
        0x00, 0x61, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // 16; digest of the list of players, 1 to 6
        0x00, 0x00, 0x51, 0x00, 0x00, 0x00, 0x00, 0x00,  // 7 to 13
        0x00, 0x00, 0x00, 0x52, 0x03, 0x01, 0x10, 0x64,  // 14 to 16; count; sum: 01 10; maximum
        0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // muted slots, 1 to 7: 80, zeros
        0x00, 0x05, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06,  // 8; number, 1 to 6
        0x30, 0x07, 0x08, 0x11, 0x22, 0x33, 0x44, 0x55,  // 7 and 8: 07 88; member, 1 to 5: 91 22 33 44 55
        0x10, 0x66, 0x77, 0x78, 0x06, 0x00, 0x00, 0x00,  // 6 to 8: 66 77 F8; gates for the member; score, 1 to 3
        0x04, 0x00, 0x00, 0x00, 0x00, 0x41, 0x00, 0x00,  // 4 to 10: the eighth is C1
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x62,  // 11 to 16
      ])
    #expect(Presence(systemExclusive: presence.systemExclusive) == presence)
  }

  @Test(arguments: UInt64(1)...20) func encodedPresenceDecodesToItself(seed: UInt64) {
    var random = SplitMix(seed: seed)
    for _ in 0..<100 {
      // Channels 1 and 10 cannot be claimed. Their numbers stand for no channel.
      let number = Int(random.integer(in: 1...16))
      let digest = DocumentDigest(high: random.next(), low: random.next())!
      let claim = Claim(term: random.next() >> 1 | 1, identity: Identity(random.next()))
      let presence = Presence(
        identity: Identity(random.next()), claim: random.next() % 2 == 0 ? claim : nil,
        channel: number == 1 || number == 10 ? nil : Channel(number),
        gates: GateSet(bits: UInt8(truncatingIfNeeded: random.next())), takesOver: random.next() % 2 == 0,
        activity: UInt8(random.next() % 128), hasSetActivity: random.next() % 2 == 0,
        asksToLead: random.next() % 2 == 0,
        players: PlayerSummary(
          list: DocumentDigest(high: 0, low: random.next() % 3), count: Int(random.integer(in: 1...64)),
          sum: Int(random.integer(in: 127...8128)), maximum: UInt8(random.next() % 128)),
        mutedSlots: random.next(),
        // The digest is nil if all bits are 0.
        rhythm: DocumentDigest(high: 0, low: random.next() % 4),
        answer: [.none, .playsItsOwn, .ready(digest), .refused(digest)][Int(random.next() % 4)],
        page: PageReport(
          port: UInt16(random.integer(in: 0...65535)), delay: .milliseconds(random.integer(in: 0...500))),
        lastRun: random.next() % 2 == 0
          ? nil
          : LastRun(
            term: random.next() >> 1 | 1,
            tempo: Tempo(nanosecondsPerQuarter: random.integer(in: 60_000_000...3_003_000_000))!,
            rhythm: DocumentDigest(high: random.next() % 2, low: 0)), number: random.next(),
        memberGates: MemberGates(Identity(random.next() % 3), GateSet(bits: UInt8(truncatingIfNeeded: random.next()))))
      let octets = presence.systemExclusive
      #expect(Presence(systemExclusive: octets) == presence, "seed \(seed)")
      #expect(octets.count == 179 && octets.allSatisfy { $0 < 0x80 })
      for count in 0..<octets.count { #expect(Presence(systemExclusive: Array(octets.prefix(count))) == nil) }
      // Octets after the last field belong to a later release.
      #expect(Presence(systemExclusive: octets + [0]) == presence && TimelineMessage(systemExclusive: octets) == nil)
      // A damaged octet does not trap.
      var damaged = octets
      damaged[Int(random.integer(in: 0...160))] = UInt8(truncatingIfNeeded: random.next())
      _ = Presence(systemExclusive: damaged)
      // A message between peers has at most 236 octets.
      let relayed = RelayedPresence(presence, hops: 15, clock: nil)
      #expect(RelayedPresence(systemExclusive: relayed.systemExclusive) == relayed, "seed \(seed)")
      #expect(relayed.systemExclusive.count == 208)
    }
  }

  @Test func delayOfThePageIsRoundedUpTo10MillisecondsAndAtMost400() {
    for (delay, reported) in [(-5, 0), (0, 0), (1, 10), (10, 10), (171, 180), (391, 400), (400, 400), (5000, 400)] {
      let page = PageReport(port: 80, delay: .milliseconds(Int64(delay)))
      let presence = Presence(
        identity: Identity(1), claim: nil, channel: nil, gates: .all, takesOver: false, page: page)
      #expect(page.delay == .milliseconds(Int64(reported)), "\(delay)")
      #expect(Presence(systemExclusive: presence.systemExclusive)?.page == page, "\(delay)")
    }
    #expect(PageReport(delay: Nanoseconds(.max)).delay == .milliseconds(400))
    #expect(PageReport(port: 0).port == nil)
  }

  /// Returns the index of the byte in a message that contains the lower seven bits of an octet of the presence. Four bytes precede the
  /// encoded octets. Each group of seven octets has eight bytes.
  private func index(_ octet: Int) -> Int { 4 + octet / 7 * 8 + 1 + octet % 7 }

  /// There are four gates, and no gates for no member.
  @Test func gatesOutOfRangeAreRejected() throws {
    let member = try #require(MemberGates(Identity(2), .none))
    let presence = Presence(
      identity: Identity(1), claim: nil, channel: nil, gates: .none, takesOver: false, memberGates: member)
    for octet in [26, 136] {
      var octets = presence.systemExclusive
      #expect(octets[index(octet)] == 0)
      octets[index(octet)] = 15
      let decoded = try #require(Presence(systemExclusive: octets))
      #expect((octet == 26 ? decoded.gates : decoded.memberGates?.gates) == .all)
      octets[index(octet)] = 16
      #expect(Presence(systemExclusive: octets) == nil, "octet \(octet)")
    }
    var octets = presence.systemExclusive
    #expect(octets[index(135)] == 2)
    octets[index(135)] = 0
    #expect(try #require(Presence(systemExclusive: octets)).memberGates == nil)
    octets[index(136)] = 1
    #expect(Presence(systemExclusive: octets) == nil)
    #expect(MemberGates(Identity(0), .all) == nil)
  }

  /// The limit of the delay is 40 units of 10 ms. A value below 128 has no top bit, so the byte in the message equals octet 44.
  @Test func longerDelayOfThePageIsRejected() {
    let presence = Presence(
      identity: Identity(1), claim: nil, channel: nil, gates: .all, takesOver: false,
      page: PageReport(delay: .milliseconds(400)))
    var octets = presence.systemExclusive
    let delay = index(44)
    #expect(octets[delay] == 40)
    octets[delay] = 41
    #expect(Presence(systemExclusive: octets) == nil)
  }

  @Test func channelsOfActivityAndDrumsCannotBeClaimed() throws {
    for number in [1, 10] {
      let presence = Presence(
        identity: Identity(1), claim: nil, channel: Channel(number), gates: .all, takesOver: false)
      #expect(Presence(systemExclusive: presence.systemExclusive) == nil)
    }
  }
}
