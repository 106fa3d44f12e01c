import MusicalTime
import PeerProtocol
import RTPMIDI
import Testing
import _TestSupport

@testable import Ensemble

/// An invitation that comes back to its sender: the peer has invited itself, or a hostile device has sent the invitation back.
@Suite struct ReflectedInvitationTests {
  private let remote = SocketAddress(host: 2, port: 5004)

  /// Each invitation to a configured peer comes back. The core still repeats its invitations, about one per second. Otherwise, a hostile
  /// device could keep the configured peer away for good. In the ten seconds of the test, at least five invitations are sent.
  @Test func reflectedInvitationIsRepeatedAndReportedOnce() throws {
    let start = Instant(nanoseconds: 1_000_000_000)
    let core = PeerCore(
      name: "a", ensemble: EnsembleState(identity: Identity(1)),
      invitations: InvitationList(to: [.init(remote)], local: Identity(1), at: start), random: SplitMix(seed: 1))
    var (reports, invitations) = (0, 0)
    for n in 0..<100 {
      let now = start + .milliseconds(100 * Int64(n))
      core.advance(to: now)
      for output in core.takeOutputs(at: now) {
        switch output {
        case .send(let datagram, remote, _, .control):
          guard let packet = try? ControlPacket(datagram.span), case .session(let command) = packet,
            command.kind == .invitation
          else { continue }
          invitations += 1
          core.receive(datagram.span, from: remote, port: .control, at: now, now: now)
        case .event(.invitationReflected(at: remote)): reports += 1
        default: break
        }
      }
    }
    #expect(invitations >= 5 && reports == 1, "\(invitations) invitations, \(reports) reports")
  }
}
