import BasicContainers
import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI
import Testing
import _TestSupport

/// Tests of sessions of two Tutti peers: establishment, delivery and end. The addresses 0 and 1 are the control and the data port of
/// endpoint 0, 2 and 3 those of endpoint 1. Endpoint `k` has the identity 100 + `k`.
@Suite struct PeerSessionTests {
  @Test func invitationOnBothPortsEstablishesASession() throws {
    var network = EndpointNetwork(2, .tutti)
    let id = network.connect(0, to: 1)
    // Four datagrams establish the session, and two recognise the peer. Each takes 1 ms.
    network.run(for: .milliseconds(7))
    let (a, b) = (network.endpoints[0], network.endpoints[1])
    let initiator = try #require(network.info(0))
    #expect(network.events(of: 0) == [.established(id, initiator), .peer(id, .recognised(Identity(101)))])
    #expect(initiator.name == "peer 1" && initiator.isInitiator)
    #expect(initiator.control == .at(2) && initiator.data == .at(3))
    let answerer = try #require(network.info(1))
    #expect(answerer.name == "peer 0" && !answerer.isInitiator)
    #expect(answerer.ssrc == initiator.localSSRC && answerer.localSSRC == initiator.ssrc)
    #expect(answerer.control == .at(0) && answerer.data == .at(1))
    #expect(network.sent("IN", by: 0).count == 1 && network.sent("IN", by: 1).count == 1)
    #expect(a.establishedCount == 1 && b.establishedCount == 1)
  }

  @Test func repeatedInvitationsAreAnsweredWithoutASecondSession() throws {
    var network = EndpointNetwork(2, .tutti)
    _ = network.connect(0, to: 1)
    network.run(for: .milliseconds(100))
    let control = try #require(network.sent("IN", by: 0).first)
    let data = try #require(network.sent("IN", by: 1).first)
    for count in 2...4 {
      network.send(control, from: 0, to: 2)
      network.send(data, from: 1, to: 3)
      network.run(for: .milliseconds(20))
      #expect(network.sent("OK", by: 2).count == count && network.sent("OK", by: 3).count == count)
    }
    // The session was established once, and the peer was recognised once.
    #expect(network.events(of: 1).count == 2 && network.endpoints[1].establishedCount == 1)
  }

  @Test(arguments: UInt64(1)...50) func mutualInvitationsMakeOneSession(seed: UInt64) {
    var network = EndpointNetwork(2, .tutti, seed: seed)
    network.delay = 100_000...30_000_000
    let first = network.connect(0, to: 1)
    network.run(for: .milliseconds(Int64(seed % 40)))
    let second = network.connect(1, to: 0)
    // CK0s are ten seconds apart. Five seeds run long enough for several of them.
    let length: Int64 = seed <= 5 ? 100 : 15
    network.run(for: .seconds(length))
    for (k, id) in [(0, first), (1, second)] {
      #expect(network.endpoints[k].establishedCount == 1, "seed \(seed)")
      let events = network.events(of: k)
      #expect(events.count == 2 && network.isRecognised(k), "seed \(seed): \(events)")
      // With seed 40, both invite at the same time. Each endpoint keeps the identifier of its own invitation.
      if seed % 40 == 0 { #expect(network.session(k) == id, "seed \(seed)") }
    }
    // Two CK of the initiator and one of the answerer every ten seconds, whichever endpoint is the initiator.
    #expect(network.sent("CK", by: 1).count + network.sent("CK", by: 3).count > length / 5, "seed \(seed)")
  }

  @Test(arguments: [0, 1]) func byeEndsTheSession(closing: Int) throws {
    var network = EndpointNetwork(2, .tutti)
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
    // The second call has no effect.
    network.endpoints[closing].close(ids[closing], at: network.clock(closing))
    #expect(network.endpoints[closing].drain() == [])
  }

  @Test func closeAllSendsOneByeToEachPeer() {
    var network = EndpointNetwork(4, .tutti)
    for other in 1...3 { _ = network.connect(0, to: other) }
    network.run(for: .milliseconds(100))
    network.endpoints[0].closeAll(at: network.clock(0))
    network.drain(0)
    network.run(for: .milliseconds(100))
    #expect(network.sent("BY", by: 0).count == 3)
    for k in 1...3 { #expect(network.endpoints[k].establishedCount == 0) }
  }

  /// A receiving thread may answer CK0 in place of the endpoint, and passes the packet to the endpoint nevertheless. The
  /// endpoint then sends no second answer, and the packet counts as a sign of life.
  @Test func clockPacketsAnsweredByTheReceivingThreadKeepTheSession() {
    var network = EndpointNetwork(2, .tutti)
    network.answersEarly = true
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(300))
    #expect(network.endpoints[0].establishedCount == 1 && network.endpoints[1].establishedCount == 1)
    let answers = network.sent("CK", by: 3).count
    // The initiator sends CK0 and CK2 for each CK1 of the answerer.
    #expect(answers == network.sent("CK", by: 1).count / 2, "one CK1 for each CK0, no duplicates")
    for k in 0...1 { #expect(network.endpoints[k].counters.dropped == 0) }
  }

  @Test func silentPeerIsLostAfterFiveSeconds() throws {
    var network = EndpointNetwork(2, .tutti)
    let id = network.connect(0, to: 1)
    network.run(for: .seconds(30))
    network.cutOff = [1]
    network.run(for: .milliseconds(4_800))
    #expect(network.endpoints[0].establishedCount == 1)
    network.run(for: .milliseconds(300))
    #expect(network.events(of: 0).last == .lost(id) && network.endpoints[0].nextDeadline == nil)
    #expect(network.events(of: 1).last == .lost(try #require(network.session(1))))
  }

  @Test func restartedPeerReplacesItsOldSession() throws {
    var network = EndpointNetwork(2, .tutti)
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(1))
    let old = try #require(network.session(1))
    network.endpoints[0] = Endpoint(name: "again", identity: 100, random: SplitMix(seed: 77))
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(1))
    let events = network.events(of: 1)
    #expect(events.contains(.lost(old)) && network.session(1) != old)
    #expect(network.endpoints[1].establishedCount == 1 && network.endpoints[0].establishedCount == 1)
    // The new session has another SSRC: `info` returns the first session, and `localSSRC` the SSRC of the newest session.
    #expect(network.info(1)?.ssrc != network.localSSRC(0))
  }

  /// The admission check, `admits`, does not apply to a peer that the endpoint has invited, even if that peer invites as well or
  /// revives the session. With `reconnects`, an endpoint invites a peer again if their session was lost.
  @Test func invitedPeersAreNotChecked() {
    var network = EndpointNetwork(2, .tutti)
    network.reconnects = true
    network.endpoints[0].admits = { _, _ in false }
    _ = network.connect(0, to: 1)
    _ = network.connect(1, to: 0)
    network.run(for: .seconds(1))
    #expect(network.areTogether(0, 1))
    network.cutOff = [0]
    network.run(for: .milliseconds(4500))
    network.cutOff = []
    network.run(for: .seconds(2))
    #expect(network.areTogether(0, 1) && network.endpoints[0].counters.refusedInvitations == 0)
  }

  /// Two endpoints in session. The clock of the first has run for a year, so its time stamps have wrapped 73 times.
  private func session() throws -> (EndpointNetwork, SessionID) {
    var network = EndpointNetwork(2, .tutti)
    network.offsets[0] = .seconds(365 * 86_400)
    _ = network.connect(0, to: 1)
    network.run(for: .milliseconds(100))
    return (network, try #require(network.session(1)))
  }

  @Test func duplicatePacketsCountOnceAndFeedbackFollows() throws {
    var (network, id) = try session()
    var sender = PacketSender(ssrc: network.localSSRC(0), sequence: 65_535)
    network.repetition = 1
    for _ in 0..<24 {
      let packet = try #require(encoded { sender.encode(.clock, at: network.clock(0), into: &$0) })
      network.send(packet, from: 1, to: 3)
      network.run(for: .milliseconds(20))
    }
    network.repetition = 0
    let clocks = network.events(of: 1).count { if case .message(id, .clock, _, _, _) = $0 { true } else { false } }
    // The network also duplicates the clock probes of the peer protocol, which count as replayed as well.
    #expect(clocks == 24 && network.endpoints[1].counters.replayed >= 24)
    #expect(network.endpoints[1].statistics(of: id)?.duplicates == 24)
    network.run(for: .seconds(1))
    let other = try #require(network.session(0))
    #expect(network.sent("RS", by: 2).count == 1)
    // The packets have the sequence numbers 65 535, 0, 1 ... 22.
    #expect(network.events(of: 0).last == .feedback(other, sequence: 22))
    network.run(for: .seconds(10))
    #expect(network.sent("RS", by: 2).count == 1, "no feedback without new packets")
  }
}
