import MIDI
import MusicalTime
import RTPMIDI
import Testing
import _TestSupport

/// The end of a session. The addresses 0 and 1 are the control and the data port of endpoint 0, and 2 and 3 are those of endpoint 1.
@Suite struct EndTests {
  @Test(arguments: [0, 1]) func byeEndsTheSession(closing: Int) throws {
    var network = EndpointNetwork(2, .standard)
    _ = network.connect(0, to: 1)
    network.run(for: .milliseconds(100))
    let ids = try [#require(network.session(0)), #require(network.session(1))]
    network.endpoints[closing].close(ids[closing], at: network.clock(closing))
    network.drain(closing)
    network.run(for: .milliseconds(100))
    for k in 0...1 {
      #expect(network.events(of: k).last == .closed(ids[k]))
      #expect(network.endpoints[k].establishedCount == 0 && network.endpoints[k].nextDeadline == nil)
    }
    // A second call of `close` has no effect.
    network.endpoints[closing].close(ids[closing], at: network.clock(closing))
    #expect(network.endpoints[closing].drain() == [])
  }

  /// A device restarts with the same SSRC and another token. Then the BY of its earlier session arrives, late or twice. A BY with the token of
  /// the new session ends it, and so does one with the token 0 or without a token.
  @Test(arguments: [0x99, 0]) func byeOfAnEarlierSessionHasNoEffect(end: UInt32) throws {
    var network = EndpointNetwork(1, .standard)
    func invite(_ token: UInt32) {
      let invitation = SessionCommand(.invitation, token: token, ssrc: 9)
      for (from, to) in [(2, 0), (3, 1)] {
        network.send(octets { _ = invitation.append(to: &$0) }, from: from, to: to)
        network.run(for: .milliseconds(2))
      }
      // The endpoint sends CK0 after a second. The answer proves that the device receives.
      network.run(for: .milliseconds(1100))
      let requests = network.sent("CK", by: 1).compactMap { ClockPacket($0.span) }.filter { $0.count == 0 }
      if let answer = requests.last?.reply(from: 9, sentAt: network.now) {
        network.send(octets { _ = answer.append(to: &$0) }, from: 3, to: 1)
      }
    }
    func bye(_ token: UInt32) {
      network.send(octets { _ = SessionCommand(.bye, token: token, ssrc: 9).append(to: &$0) }, from: 2, to: 0)
      network.run(for: .milliseconds(2))
    }
    invite(0x55)
    network.run(for: .seconds(2))
    let old = try #require(network.session(0))
    invite(0x99)
    network.run(for: .seconds(2))
    let new = try #require(network.standing[0].keys.first)
    #expect(new != old && network.endpoints[0].establishedCount == 1)
    let replayed = network.endpoints[0].counters.replayed
    bye(0x55)
    #expect(network.endpoints[0].establishedCount == 1 && network.endpoints[0].counters.replayed == replayed + 1)
    bye(end)
    #expect(network.endpoints[0].establishedCount == 0 && network.events(of: 0).last == .closed(new))
  }

  /// PipeWire and midimonster use another token for each port. Each of both ends the session, or the invitation that is still half open.
  @Test(arguments: [0x10, 0x11]) func byeMayNameTheInvitationOfEitherPort(token: UInt32) {
    var network = EndpointNetwork(1, .standard)
    for (from, to) in [(2, 0), (3, 1)] {
      let invitation = SessionCommand(.invitation, token: UInt32(0x10 + to), ssrc: 9)
      network.send(octets { _ = invitation.append(to: &$0) }, from: from, to: to)
      network.run(for: .milliseconds(2))
    }
    network.verify(9, at: 3, by: 0)
    network.run(for: .seconds(1))
    #expect(network.endpoints[0].establishedCount == 1)
    network.send(octets { _ = SessionCommand(.bye, token: token, ssrc: 9).append(to: &$0) }, from: 2, to: 0)
    network.run(for: .milliseconds(2))
    #expect(network.endpoints[0].establishedCount == 0)
  }

  @Test func closeAllSendsOneByeToEachPeer() {
    var network = EndpointNetwork(4, .standard)
    for other in 1...3 { _ = network.connect(0, to: other) }
    network.run(for: .milliseconds(100))
    network.endpoints[0].closeAll(at: network.clock(0))
    network.drain(0)
    network.run(for: .milliseconds(100))
    #expect(network.sent("BY", by: 0).count == 3)
    for k in 1...3 { #expect(network.endpoints[k].establishedCount == 0) }
  }

  /// `verify` exchanges the clock packets that prove that the device receives.
  @Test func silentDeviceIsLostAfterSixtySeconds() throws {
    var network = EndpointNetwork(1, .standard)
    let invitation = SessionCommand(.invitation, token: 1, ssrc: 9)
    network.send(octets { _ = invitation.append(to: &$0) }, from: 2, to: 0)
    network.run(for: .milliseconds(1))
    network.send(octets { _ = invitation.append(to: &$0) }, from: 3, to: 1)
    network.run(for: .milliseconds(1))
    network.verify(9, at: 3, by: 0)
    network.run(for: .milliseconds(59_900))
    #expect(network.endpoints[0].establishedCount == 1)
    let id = try #require(network.session(0))
    network.run(for: .milliseconds(200))
    #expect(network.events(of: 0).last == .lost(id))
  }

  /// A device that has answered OK, but never sends CK, is lost after 30 s of silence. A device that has sent CK is not.
  @Test(arguments: [false, true]) func deviceWithoutClockIsLostAfterThirtySeconds(sendsClock: Bool) throws {
    var network = EndpointNetwork(1, .standard)
    let id = network.connect(0, to: 1)
    let invitation = try #require(network.sent("IN", by: 0).first)
    // Octets 8 to 11 are the token.
    let token = invitation[8..<12].reduce(0) { $0 << 8 | UInt32($1) }
    let answer = SessionCommand(.accepted, token: token, ssrc: 9)
    for (from, to) in [(2, 0), (3, 1)] {
      network.send(octets { _ = answer.append(to: &$0) }, from: from, to: to)
      network.run(for: .milliseconds(2))
    }
    if sendsClock { network.verify(9, at: 3, by: 0) }
    network.run(for: .milliseconds(29_900))
    #expect(network.endpoints[0].establishedCount == 1)
    network.run(for: .milliseconds(200))
    #expect(network.events(of: 0).contains(.lost(id)) == !sendsClock)
  }

  /// A standard device sends only clock packets, about every ten seconds. The receiving thread may answer CK0 in place of the endpoint.
  /// The answered CK0 still keeps the session alive. With `answersEarly`, the simulated network answers CK0 as this thread does.
  @Test func clockPacketsAnsweredByTheReceivingThreadKeepTheSession() {
    var network = EndpointNetwork(2, .standard)
    network.answersEarly = true
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(300))
    #expect(network.endpoints[0].establishedCount == 1 && network.endpoints[1].establishedCount == 1)
    // Endpoint 0 sends as many CK0 as CK2.
    let answers = network.sent("CK", by: 3).count
    #expect(answers == network.sent("CK", by: 1).count / 2, "one CK1 for each CK0, no duplicates")
    for k in 0...1 { #expect(network.endpoints[k].counters.dropped == 0) }
  }

  @Test func restartedPeerReplacesItsOldSession() throws {
    var network = EndpointNetwork(2, .standard)
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(1))
    let old = try #require(network.session(1))
    network.endpoints[0] = Endpoint(name: "again", random: SplitMix(seed: 77))
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(1))
    let events = network.events(of: 1)
    #expect(events.contains(.lost(old)) && network.session(1) != old)
    #expect(network.endpoints[1].establishedCount == 1 && network.endpoints[0].establishedCount == 1)
    // `info` returns the first session, and `localSSRC` the SSRC of the newest session.
    #expect(network.info(1)?.ssrc != network.localSSRC(0), "the new session has another SSRC")
  }

  /// The initiator invites a silent device again after 30 s, once per second. When the device is heard again, the session
  /// continues, or the session of the revival replaces it.
  @Test func silentDeviceIsRevivedByTheInitiator() {
    var network = EndpointNetwork(2, .standard)
    let id = network.connect(0, to: 1)
    network.run(for: .seconds(20))
    let invitations = network.invitations
    network.cutOff = [1]
    network.run(for: .seconds(40))
    // The device was last heard up to about ten seconds before it was cut off. The invitations therefore begin 20 to 30 s after
    // the cut. The cut ends after 40 s, so there are 10 to 20 invitations, with a tolerance of five.
    let count = network.invitations - invitations
    #expect((5...25).contains(count) && network.sent("IN", by: 2).isEmpty, "only the initiator revives: \(count)")
    network.cutOff = []
    network.run(for: .seconds(30))
    #expect(network.endpoints[0].establishedCount == 1 && network.endpoints[1].establishedCount == 1)
    #expect(network.standing[0][id] != nil || network.events(of: 0).contains(.lost(id)))
  }
}
