import MusicalTime
import PeerProtocol
import RTPMIDI
import Testing
import _TestSupport

/// Tests of candidates that prove by a clock probe that they receive at their address.
@Suite struct ProbedCandidateTests {
  private let endpoint = Endpoint(name: "local", identity: 1, random: SplitMix(seed: 1))
  private let now = Instant(nanoseconds: 1_000_000_000)

  /// Receives the invitation of a peer that announces itself as a Tutti peer, on both ports. Returns the probe that the peer gets.
  private func invite(ssrc: UInt32 = 9, at control: Int = 2) throws -> ClockProbe {
    let mark = PeerExtension(identity: 5).announcement
    let invitation = octets { _ = SessionCommand(.invitation, token: ssrc, ssrc: ssrc, mark: mark).append(to: &$0) }
    endpoint.receive(invitation, from: .at(control), port: .control, at: now)
    endpoint.receive(invitation, from: .at(control + 1), port: .data, at: now)
    var sent: ClockProbe?
    for case .extensionPacket(let session, to: .at(control + 1), _) in endpoint.drain() {
      endpoint.sendProbe(on: session) { probe, _ in
        sent = probe
        return now
      }
    }
    sent?.transmit = now
    return try #require(sent)
  }

  /// Receives `probe` from the data port `data` of a peer.
  private func receive(_ probe: ClockProbe?, from data: Int = 3) {
    endpoint.receive(octets { _ = probe?.append(to: &$0) }, from: .at(data), port: .data, at: now + .milliseconds(1))
  }

  @Test func replyToAProbeEstablishesTheSession() throws {
    receive(try invite().answer(from: 9, identity: 5, receivedAt: now, sentAt: now))
    let outputs = endpoint.drain().filter { if case .send = $0 { false } else { true } }
    guard case .established(let id, _)? = outputs.first else {
      Issue.record("\(outputs)")
      return
    }
    #expect(outputs.contains(.peer(id, .recognised(Identity(5)))), "the same reply recognises the peer")
  }

  /// A second device sends the identity of a peer that is still heard. The endpoint does not end the session of that
  /// peer. The owner of the endpoint decides which session ends.
  @Test func deviceWithTheIdentityOfAPeerEndsNoSession() throws {
    receive(try invite().answer(from: 9, identity: 5, receivedAt: now, sentAt: now))
    let request = try invite(ssrc: 10, at: 4)
    receive(request.answer(from: 10, identity: 5, receivedAt: now, sentAt: now), from: 5)
    #expect(endpoint.establishedCount == 2)
  }

  /// The address of a candidate may be forged, so a candidate that does not reply gets few probes.
  @Test func candidateThatDoesNotReplyGetsFourProbes() throws {
    _ = try invite()
    var count = 1
    while let next = endpoint.nextDeadline, next <= now + .seconds(10) {
      endpoint.advance(to: next)
      for case .extensionPacket(let session, _, _) in endpoint.drain() {
        endpoint.sendProbe(on: session) { _, _ in next }
        count += 1
      }
    }
    #expect(count == 4 && endpoint.candidateCount == 0)
  }

  /// A request, a reply with a wrong origin, and an acknowledgement prove nothing.
  @Test func otherProbesEstablishNoSession() throws {
    let request = try invite()
    receive(ClockProbe(ssrc: 9, identity: 5, sentAt: now))
    var reply = request.answer(from: 9, identity: 5, receivedAt: now, sentAt: now)
    reply?.origin = now + Nanoseconds(1)
    receive(reply)
    receive(reply?.answer(from: 9, identity: 5, receivedAt: now, sentAt: now))
    #expect(endpoint.establishedCount == 0 && endpoint.candidateCount == 1)
  }
}
