import BasicContainers
import MusicalTime
import PeerProtocol
import RTPMIDI
import Testing
import _TestSupport

@testable import Ensemble

/// The slots of the RTP streams.
@Suite struct StreamSlotTests {
  private func octets(_ kind: SessionCommand.Kind, of ssrc: UInt32) -> [UInt8] {
    var packet = RigidArray<UInt8>(capacity: 80)
    _ = SessionCommand(kind, token: ssrc, ssrc: ssrc).append(to: &packet)
    return (0..<packet.count).map { packet[$0] }
  }

  /// The clock thread has memory for ``Endpoint/sessionLimit`` streams. A peer that runs for a long time opens more sessions,
  /// one after another.
  @Test func slotOfAClosedSessionIsUsedAgain() {
    let core = PeerCore(
      name: "a", ensemble: EnsembleState(identity: Identity(1)),
      invitations: InvitationList(to: [], local: Identity(1), at: Instant(nanoseconds: 0)), random: SplitMix(seed: 1))
    var slots: [Int] = []
    let count = Endpoint.sessionLimit + 1
    for n in 1...count {
      let now = Instant(nanoseconds: Int64(n) * 1_000_000)
      let (control, data) = (SocketAddress(host: UInt32(n), port: 5004), SocketAddress(host: UInt32(n), port: 5005))
      let invitation = octets(.invitation, of: UInt32(n))
      core.receive(invitation.span, from: control, port: .control, at: now, now: now)
      core.receive(invitation.span, from: data, port: .data, at: now, now: now)
      // The peer sends CK0. With CK2, its reply to CK1, it proves that it receives. Only then is the session established.
      let request = _TestSupport.octets { _ = ClockPacket(ssrc: UInt32(n), sentAt: now).append(to: &$0) }
      core.receive(request.span, from: data, port: .data, at: now, now: now)
      for case .send(let datagram, to: data, _, .data) in core.takeOutputs(at: now) {
        guard let answer = ClockPacket(datagram.span), let reply = answer.reply(from: UInt32(n), sentAt: now) else {
          continue
        }
        core.receive(_TestSupport.octets { _ = reply.append(to: &$0) }.span, from: data, port: .data, at: now, now: now)
      }
      for case .stream(.open(let id, _, _, _, _, _, _)) in core.takeOutputs(at: now) { slots.append(id.slot) }
      core.receive(octets(.bye, of: UInt32(n)).span, from: control, port: .control, at: now, now: now)
      _ = core.takeOutputs(at: now)
    }
    #expect(slots == Array(repeating: 0, count: count) && core.roster.sessionCount == 0)
  }
}
