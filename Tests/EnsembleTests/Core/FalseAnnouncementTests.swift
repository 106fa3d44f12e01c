import MusicalTime
import PeerProtocol
import RTPMIDI
import Testing
import _TestSupport

@testable import Ensemble

/// Announcements of peers that do not exist. Any program on the network can send them.
@Suite struct FalseAnnouncementTests {
  /// The rate limit follows from the peers in session. With 4000 peers, it would be one request per second.
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
}
