import MIDI
import MusicalTime
import PeerProtocol
import Testing
import _TestSupport

@testable import Ensemble
@testable import RTPMIDI

/// A second device that uses the identity of a peer in session, for example because the identity is public.
@Suite struct UsedIdentityTests {
  private let start = Instant(nanoseconds: 0)
  private let first = SessionID(number: 1)
  private let second = SessionID(number: 2)

  /// Returns the session that a core keeps, and whether the core reports a second device. The peer is in session at first. After
  /// `age`, a second session with the same identity is recognised. The peer was last heard `silence` before this moment.
  ///
  /// - Parameters:
  ///   - local: the identity of the local peer. The identity of the peer is 5.
  ///   - isInitiator: whether the local peer began the first session, and the second one.
  private func keptSession(
    local: UInt64, isInitiator: (first: Bool, second: Bool), age: Nanoseconds, silence: Nanoseconds
  ) -> (session: SessionID?, isReported: Bool) {
    let core = PeerCore(
      name: "a", ensemble: EnsembleState(identity: Identity(local)),
      invitations: InvitationList(to: [], local: Identity(local), at: start), random: SplitMix(seed: 1))
    func establish(_ session: SessionID, host: UInt32, isInitiator: Bool, at now: Instant) {
      let info = SessionInfo(
        name: "b", ssrc: host, control: SocketAddress(host: host, port: 5004),
        data: SocketAddress(host: host, port: 5005), local: nil, localSSRC: 90 + host, isInitiator: isInitiator)
      core.established(session, info, at: now)
      core.recognised(session, Identity(5), at: now)
    }
    establish(first, host: 1, isInitiator: isInitiator.first, at: start)
    core.ensemble.heard(Identity(5), at: start + age - silence)
    establish(second, host: 2, isInitiator: isInitiator.second, at: start + age)
    let isReported = core.takeOutputs(at: start + age).contains {
      if case .event(.warning(Identity(5), .identityIsUsedTwice)) = $0 { true } else { false }
    }
    return (core.roster.session(of: Identity(5)), isReported)
  }

  /// The peer was heard within the last second. It stays in session, in whatever direction the sessions began, and whichever identity is
  /// lower.
  @Test(arguments: [1, 9] as [UInt64], [(true, true), (true, false), (false, true), (false, false)])
  func peerThatIsHeardIsNotReplaced(local: UInt64, isInitiator: (Bool, Bool)) {
    let kept = keptSession(local: local, isInitiator: isInitiator, age: .seconds(20), silence: .milliseconds(900))
    #expect(kept.session == first && kept.isReported)
  }

  /// A device uses the identity of the local peer. The core does not recognise the device. Only the initiator of the session ends the
  /// session and informs its player. If the other side ended the session, the initiator would not know the reason and would invite again
  /// and again. The test checks the information, not the end of the session.
  @Test(arguments: [true, false]) func deviceWithTheLocalIdentityIsNotRecognised(isInitiator: Bool) {
    let core = PeerCore(
      name: "a", ensemble: EnsembleState(identity: Identity(1)),
      invitations: InvitationList(to: [], local: Identity(1), at: start), random: SplitMix(seed: 1))
    let info = SessionInfo(
      name: "b", ssrc: 1, control: SocketAddress(host: 1, port: 5004), data: SocketAddress(host: 1, port: 5005),
      local: nil, localSSRC: 91, isInitiator: isInitiator)
    core.established(first, info, at: start)
    core.recognised(first, Identity(1), at: start)
    let reports = core.takeOutputs(at: start).count {
      if case .event(.identityIsDuplicate) = $0 { true } else { false }
    }
    #expect(core.roster.identities.isEmpty && reports == (isInitiator ? 1 : 0))
  }

  /// Several devices use the identity of the peer, one after another. The player is informed once.
  @Test func furtherDevicesAreNotReported() {
    let core = PeerCore(
      name: "a", ensemble: EnsembleState(identity: Identity(1)),
      invitations: InvitationList(to: [], local: Identity(1), at: start), random: SplitMix(seed: 1))
    for n in UInt32(1)...5 {
      let now = start + .seconds(20 * Int64(n))
      core.ensemble.heard(Identity(5), at: now)
      let info = SessionInfo(
        name: "b", ssrc: n, control: SocketAddress(host: n, port: 5004), data: SocketAddress(host: n, port: 5005),
        local: nil, localSSRC: 90 + n, isInitiator: false)
      core.established(SessionID(number: UInt64(n)), info, at: now)
      core.recognised(SessionID(number: UInt64(n)), Identity(5), at: now)
    }
    let reports = core.takeOutputs(at: start + .seconds(100)).count {
      if case .event(.warning(Identity(5), .identityIsUsedTwice)) = $0 { true } else { false }
    }
    #expect(reports == 1 && core.roster.session(of: Identity(5)) == first)
  }

  /// The peer was not heard within the last second, as after a restart or a change of its address.
  @Test(arguments: [1, 9] as [UInt64], [(true, true), (true, false), (false, true), (false, false)])
  func silentPeerIsReplaced(local: UInt64, isInitiator: (Bool, Bool)) {
    let kept = keptSession(local: local, isInitiator: isInitiator, age: .seconds(20), silence: .milliseconds(1100))
    #expect(kept.session == second && !kept.isReported)
  }

  /// Each peer began one of the sessions, and the first session is less than ten seconds old. Therefore the core assumes that the peers
  /// have invited each other. It keeps the session that the peer with the lower identity began. The remote peer has the identity 5, and the
  /// local peer has the identity 1 or 9.
  @Test(arguments: [1, 9] as [UInt64], [true, false])
  func mutualInvitationsKeepTheSessionOfTheLowerIdentity(local: UInt64, isFirstInitiator: Bool) {
    let kept = keptSession(
      local: local, isInitiator: (isFirstInitiator, !isFirstInitiator), age: .seconds(3), silence: .milliseconds(10))
    #expect(kept.session == ((local < 5) == isFirstInitiator ? first : second) && !kept.isReported)
  }
}
