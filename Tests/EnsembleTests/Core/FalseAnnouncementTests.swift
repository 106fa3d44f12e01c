import MusicalTime
import PeerProtocol
import RTPMIDI
import Testing
import _TestSupport

@testable import Ensemble

/// Announcements of peers that do not exist. Any program on the network can send them.
@Suite struct FalseAnnouncementTests {
  /// The probe rate limit follows from the number of sessions, not of announcements. With 4000 sessions, the limit would be one request per
  /// second. Without a session, it is 50, the maximum.
  @Test func falseAnnouncementsDoNotSlowTheClockProbes() {
    let now = Instant(nanoseconds: 0)
    let core = PeerCore(
      name: "a", ensemble: EnsembleState(identity: Identity(1)),
      invitations: InvitationList(to: [], local: Identity(1), at: now), random: SplitMix(seed: 1))
    for n in UInt32(2)...4000 {
      let place = InvitationList.Place(SocketAddress(host: n, port: 5004))
      let isAdded = core.invitations.found(
        Identity(UInt64(n)), as: "peer \(n)", at: place, isInSession: false, now: now)
      #expect(isAdded)
    }
    core.advance(to: now)
    #expect(core.endpoint.probeRateLimit == 50)
  }

  /// Announces `identities`, each at an address of its own.
  private func announce(_ identities: ClosedRange<UInt64>, to invitations: inout InvitationList, at now: Instant) {
    for n in identities {
      let place = InvitationList.Place(SocketAddress(host: UInt32(n), port: 5004))
      _ = invitations.found(Identity(n), as: "peer \(n)", at: place, isInSession: false, now: now)
    }
  }

  /// The announced peers do not exist. They fill the list, which has room for 4096 peers. The local peer has the lowest identity, so it
  /// wants to be in session with all of them. At most 64 invitations are in progress, so they do not use up the sessions of the endpoint.
  /// An invitation without an answer ends after 3 s, and the next one follows up to 0.1 s later. All peers are tried within 198.4 s
  /// (4096 / 64 * 3.1 s).
  @Test func falseAnnouncementsAreTriedAFewAtATime() {
    let start = Instant(nanoseconds: 0)
    let endpoint = Endpoint(name: "a", random: SplitMix(seed: 1))
    var invitations = InvitationList(to: [], local: Identity(1), at: start)
    announce(2...4097, to: &invitations, at: start)
    var now = start
    var newcomer: Instant?
    while now < start + .seconds(220) {
      endpoint.advance(to: now)
      // The list is told that no session is established (`where`) and no peer is in session.
      _ = invitations.advance(endpoint, at: now, where: { _ in false }, isInSession: { _ in false })
      _ = endpoint.drain()
      #expect(endpoint.invitationCount <= 64)
      #expect(invitations.nextDeadline > now, "nothing is due twice")
      // A peer that is announced after all others were tried does not wait for their next invitations.
      if newcomer == nil, now >= start + .seconds(210) {
        newcomer = now
        // The list is full, so it forgets a silent peer.
        announce(9000...9000, to: &invitations, at: now)
      }
      now = min(invitations.nextDeadline, endpoint.nextDeadline ?? .distantFuture, now + .milliseconds(500))
    }
    let tried = invitations.targets.count { $0.lastTry != nil }
    #expect(tried == invitations.targets.count && tried == 4096)
    let last = invitations.targets.first { $0.announced == Identity(9000) }
    // `since` is when the peer was first invited.
    #expect(last.map { $0.since - newcomer! <= .seconds(4) } == true, "\(String(describing: last))")
  }
}
