import BasicContainers
import MusicalTime
import PeerProtocol
import RTPMIDI
import Testing
import _TestSupport

/// Tests of sessions of peers with a passkey. The hostile device of these tests records everything and can send anything.
@Suite struct ProtectedSessionTests {
  private let start = Instant(nanoseconds: 1_000_000_000)

  /// The octets of the packet that `append` appends.
  private func octets(_ append: (inout RigidArray<UInt8>) -> Bool) -> [UInt8] {
    var packet = RigidArray<UInt8>(capacity: 100)
    _ = append(&packet)
    return (0..<packet.count).map { packet[$0] }
  }

  /// A pair in session. Two such pairs have the same outputs, because their random numbers have the same seeds. A test compares the outputs
  /// of a pair that gets forged datagrams with those of a pair that gets none.
  private func establishedPair() throws -> ProtectedPair {
    var pair = ProtectedPair()
    try pair.connect(from: 0, at: start)
    #expect(pair.nodes.allSatisfy { $0.session != nil })
    return pair
  }

  @Test func peersWithTheSamePasskeyAreInSession() throws {
    var pair = ProtectedPair()
    try pair.connect(from: 0, at: start)
    let keys = pair.nodes.map { node in node.session.flatMap { node.endpoint.keys(of: $0) } }
    let (first, second) = (try #require(keys[0]), try #require(keys[1]))
    #expect(first.sending == second.receiving && first.receiving == second.sending)
  }

  @Test func peersWithDifferentPasskeysAreNotInSession() throws {
    var pair = ProtectedPair(ProtectedPair.key, GroupKey([UInt8](repeating: 1, count: 32)))
    let id = try pair.connect(from: 0, at: start)
    // A candidate that has not proved within five seconds that it knows the passkey is dropped.
    pair.exchange(from: start, to: start + .seconds(6))
    for node in pair.nodes {
      #expect(node.session == nil)
      let isReported = node.outputs.contains { output in
        if case .declined(_, _, .isUnverified) = output { true } else { false }
      }
      #expect(isReported)
    }
    #expect(pair.nodes[0].outputs.contains(.unreachable(id)))
  }

  /// No downgrade: a peer with a passkey and a peer without one get no session, whichever of them invites. A peer with a passkey adds a
  /// mark to its IN and OK, so both peers know the reason. In a report, `isMarked` is whether the other peer has a mark.
  @Test(arguments: [0, 1]) func peerWithoutPasskeyIsRefused(inviter: Int) throws {
    var pair = ProtectedPair(ProtectedPair.key, nil)
    let id = try pair.connect(from: inviter, at: start)
    pair.exchange(from: start, to: start + .seconds(2))
    #expect(pair.nodes.allSatisfy { $0.session == nil })
    #expect(pair.nodes[inviter].outputs == [.hasOtherMark(id, isMarked: inviter == 1)])
    let declined = pair.nodes[1 - inviter].outputs.contains { output in
      if case .declined(_, _, .hasOtherMark(let isMarked)) = output { isMarked == (inviter == 0) } else { false }
    }
    #expect(declined)
  }

  /// A device without Tutti is in session without a passkey if its address is exempt.
  @Test func exemptDeviceIsInSession() throws {
    var pair = ProtectedPair(ProtectedPair.key, nil)
    let device = pair.nodes[1].control
    pair.nodes[0].endpoint.exempts = { $0.isSameHost(as: device) }
    try pair.connect(from: 0, at: start)
    // Peer 1 has no session yet: for peer 1, peer 0 is a candidate that has not proved yet that it receives.
    let session = try #require(pair.nodes[0].session)
    #expect(pair.nodes[0].endpoint.keys(of: session) == nil)
  }

  /// An exempt device uses the peer protocol: it sends clock probes and send instants. It still counts as a standard
  /// device, and gets neither probes nor answers to its own probes. Otherwise, it could become the master of a group
  /// whose passkey it does not know.
  @Test func exemptDeviceIsNoTuttiPeer() throws {
    var pair = ProtectedPair(ProtectedPair.key, nil)
    let device = pair.nodes[1].control
    pair.nodes[0].endpoint.exempts = { $0.isSameHost(as: device) }
    try pair.connect(from: 0, at: start)
    let session = try #require(pair.nodes[0].session)
    pair.nodes[0].endpoint.received(sendInstant: start, at: start, on: session)
    let ssrc = pair.nodes[0].outputs.compactMap { output -> UInt32? in
      if case .established(session, let info) = output { info.ssrc } else { nil }
    }
    let request = ClockProbe(ssrc: try #require(ssrc.first), identity: 2, sentAt: start)
    pair.deliver(octets { request.append(to: &$0) }, to: 0, .data, at: start)
    #expect(pair.nodes[0].endpoint.counters.rejectedExtensionPackets == 1)
    pair.exchange(from: start, to: start + .seconds(2))
    let events = pair.nodes[0].outputs.compactMap { output -> RecognitionEvent? in
      if case .extended(session, let event) = output { RecognitionEvent(event) } else { nil }
    }
    #expect(events == [.standardDevice])
    #expect(!pair.sent.contains { ClockProbe($0.octets.span) != nil })
  }

  @Test func forgedByeHasNoEffect() throws {
    var pair = ProtectedPair()
    try pair.connect(from: 0, at: start)
    let ssrc = try #require(pair.nodes[0].session.flatMap { pair.nodes[0].endpoint.localSSRC(of: $0) })
    let before = pair.nodes[1].endpoint.counters.notAuthentic
    for port in [Port.control, .data] {
      let bye = octets { SessionCommand(.bye, token: 0, ssrc: ssrc).append(to: &$0) }
      pair.deliver(bye, to: 1, port, at: start + .seconds(1))
    }
    pair.exchange(at: start + .seconds(1))
    #expect(pair.nodes[1].session != nil && pair.nodes[1].endpoint.counters.notAuthentic == before + 2)
    // An authentic BY ends the session.
    pair.nodes[0].endpoint.close(pair.nodes[0].session!, at: start + .seconds(1))
    pair.exchange(at: start + .seconds(1))
    #expect(pair.nodes.allSatisfy { $0.session == nil })
  }

  /// Forged datagrams without a tag get no reply, cause no output and do not set the remote clock.
  @Test func forgedClockPacketsProbesAndFeedbackHaveNoEffect() throws {
    var pair = ProtectedPair()
    try pair.connect(from: 0, at: start)
    let sent = pair.sent.count
    let ssrc = try #require(pair.nodes[0].session.flatMap { pair.nodes[0].endpoint.localSSRC(of: $0) })
    let forged = [
      octets { ClockPacket(ssrc: ssrc, sentAt: start).append(to: &$0) },
      octets { ClockProbe(ssrc: ssrc, identity: 1, sentAt: start).append(to: &$0) },
      octets { ReceiverFeedback(ssrc: ssrc, sequence: 7).append(to: &$0) },
      // An RTP packet with a Timing Clock.
      [0x80, 0x61, 0, 1, 0, 0, 0, 1] + (0..<4).map { UInt8(truncatingIfNeeded: ssrc >> UInt32(24 - 8 * $0)) } + [
        1, 0xF8,
      ],
    ]
    let before = pair.nodes[1].outputs
    for datagram in forged { pair.deliver(datagram, to: 1, .data, at: start + .milliseconds(10)) }
    let replies = pair.nodes[1].endpoint.drain().filter { if case .send = $0 { true } else { false } }
    #expect(replies.isEmpty && pair.sent.count == sent && pair.nodes[1].outputs == before)
    #expect(pair.nodes[1].endpoint.remoteClock(of: pair.nodes[1].session!, at: start) == nil)
  }

  /// The hostile device sends NO and OK with the recorded tokens.
  @Test func forgedRefusalHasNoEffect() throws {
    var (pair, undisturbed) = (try establishedPair(), try establishedPair())
    for command in pair.sent.compactMap({ try? ControlPacket($0.octets.span) }) {
      guard case .session(let invitation) = command else { continue }
      for kind in [SessionCommand.Kind.rejected, .accepted] {
        for n in 0...1 {
          let forged = octets { SessionCommand(kind, token: invitation.token, ssrc: 9).append(to: &$0) }
          pair.deliver(forged, to: n, .control, at: start + .seconds(1))
        }
      }
    }
    pair.exchange(at: start + .seconds(1))
    undisturbed.exchange(at: start + .seconds(1))
    #expect(pair.nodes.allSatisfy { $0.session != nil })
    #expect(pair.nodes.map(\.outputs) == undisturbed.nodes.map(\.outputs))
  }

  /// The whole conversation that established a session and ended it is sent again: to both peers, on both ports.
  @Test func recordedSessionCannotBeRepeated() throws {
    var pair = ProtectedPair()
    try pair.connect(from: 0, at: start)
    pair.exchange(from: start, to: start + .seconds(1))
    pair.nodes[0].endpoint.close(pair.nodes[0].session!, at: start + .seconds(1))
    pair.exchange(at: start + .seconds(1))
    let recording = pair.sent
    for n in 0...1 { pair.nodes[n].outputs = [] }
    for port in [Port.control, .data] {
      for datagram in recording {
        for n in 0...1 { pair.deliver(datagram.octets, to: n, port, at: start + .seconds(2)) }
        pair.exchange(at: start + .seconds(2))
      }
    }
    pair.exchange(from: start + .seconds(2), to: start + .seconds(10))
    for node in pair.nodes {
      let isEstablished = node.outputs.contains { if case .established = $0 { true } else { false } }
      #expect(!isEstablished && node.session == nil)
    }
  }

  /// All datagrams that established a session are sent again while the session exists. Both peers keep the session. They start no
  /// candidate. The end of a candidate, after five seconds, would be an output.
  @Test func recordingHasNoEffectOnItsSession() throws {
    var (pair, undisturbed) = (try establishedPair(), try establishedPair())
    let (recording, sessions) = (pair.sent, pair.nodes.map(\.session))
    for port in [Port.control, .data] {
      for datagram in recording {
        for n in 0...1 { pair.deliver(datagram.octets, to: n, port, at: start + .milliseconds(100)) }
        pair.exchange(at: start + .milliseconds(100))
      }
    }
    pair.exchange(from: start + .milliseconds(100), to: start + .seconds(6))
    undisturbed.exchange(from: start + .milliseconds(100), to: start + .seconds(6))
    #expect(pair.nodes.map(\.session) == sessions)
    #expect(pair.nodes.map(\.outputs) == undisturbed.nodes.map(\.outputs))
  }

  /// The peers invite each other at the same instant. Both keep the same session.
  @Test func crossingInvitationsGiveOneSession() throws {
    var pair = ProtectedPair()
    let other = pair.nodes[0]
    _ = try pair.nodes[1].endpoint.connect(to: other.control, data: other.data, at: start)
    try pair.connect(from: 0, at: start)
    pair.exchange(from: start, to: start + .seconds(2))
    let keys = pair.nodes.map { node in node.session.flatMap { node.endpoint.keys(of: $0) } }
    let (first, second) = (try #require(keys[0]), try #require(keys[1]))
    #expect(first.sending == second.receiving)
    #expect(pair.nodes.allSatisfy { $0.endpoint.establishedCount == 1 })
  }

  /// While a peer is heard on its session, a second session with its identity does not replace the first one: a
  /// hostile device may have diverted an invitation to another address. The session of a peer that was restarted is silent, and is
  /// replaced.
  @Test func restartedPeerReplacesItsSilentSession() throws {
    var pair = ProtectedPair()
    try pair.connect(from: 0, at: start)
    pair.exchange(from: start, to: start + .seconds(3))
    let (session, now) = (pair.nodes[1].session, start + .seconds(3))
    #expect(session != nil && pair.nodes[0].session != nil)
    let restarted = ProtectedPair.node(0, ProtectedPair.key, seed: 3)
    pair.nodes[0] = restarted
    try pair.connect(from: 0, at: now)
    // The last packets of the former process are at most 50 ms old, so peer 1 keeps the old session. The restarted peer repeats its proof
    // every 250 ms. A later proof arrives when the old session is silent.
    #expect(pair.nodes[1].session == session)
    pair.exchange(from: now, to: now + .seconds(2))
    #expect(pair.nodes[1].session != session && pair.nodes[0].session != nil)
    let keys = pair.nodes.map { node in node.session.flatMap { node.endpoint.keys(of: $0) } }
    let (first, second) = (try #require(keys[0]), try #require(keys[1]))
    #expect(first.sending == second.receiving)
  }

  /// Peer 0 has invited peer 1, which is now a candidate. A forged invitation with the SSRC of peer 1 does not remove this candidate.
  /// The invitation of peer 0 therefore still ends with the output `unreachable`, which tells the driver that it can invite again.
  @Test func forgedInvitationDoesNotRemoveAnOwnCandidate() throws {
    var pair = ProtectedPair(ProtectedPair.key, GroupKey([UInt8](repeating: 1, count: 32)))
    let id = try pair.connect(from: 0, at: start)
    let answer = pair.sent.compactMap { sent -> SessionCommand? in
      guard sent.sender == 1, case .session(let command)? = try? ControlPacket(sent.octets.span) else { return nil }
      return command.kind == .accepted ? command : nil
    }
    let ssrc = try #require(answer.first).ssrc
    // The invitation has the mark of a peer with a passkey.
    let mark = try #require(pair.nodes[0].endpoint.peerExtension?.mark)
    let forged = octets {
      SessionCommand(.invitation, token: 77, ssrc: ssrc, name: "peer 1", mark: mark).append(to: &$0)
    }
    for port in [Port.control, .data] { pair.deliver(forged, to: 0, port, at: start + .seconds(1)) }
    pair.exchange(from: start + .seconds(1), to: start + .seconds(7))
    #expect(pair.nodes[0].outputs.contains(.unreachable(id)))
  }

  /// Some devices send octets after their name. Here, these octets are the number 0, which is not a mark, because a mark begins with the
  /// letters TPK.
  @Test func otherOctetsAfterTheNameAreIgnored() {
    let endpoint = Endpoint(name: "a", identity: 1, random: SplitMix(seed: 1))
    let invitation = octets { SessionCommand(.invitation, token: 1, ssrc: 2, name: "b", mark: 0).append(to: &$0) }
    endpoint.receive(invitation, from: SocketAddress(host: 2, port: 5004), port: .control, at: start)
    let kinds = endpoint.drain().compactMap { output -> SessionCommand.Kind? in
      guard case .send(let datagram, _, _, _) = output, case .session(let command)? = try? ControlPacket(datagram.span)
      else { return nil }
      return command.kind
    }
    #expect(kinds == [.accepted])
  }
}
