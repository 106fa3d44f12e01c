import MusicalTime
import PeerProtocol
import Testing
import _TestSupport

@testable import Ensemble
@testable import RTPMIDI

/// A core with a passkey, or with a remote peer that has one.
@Suite struct PasskeyCoreTests {
  private let start = Instant(nanoseconds: 1_000_000_000)
  private let key = GroupKey([UInt8](repeating: 0x5A, count: 32))

  /// Lets the peers exchange datagrams for some seconds. Returns the outputs of the core.
  private func outputs(of sessions: CoreSessions, seconds: Int64) -> [PeerCore.Output] {
    (0...10 * seconds).flatMap { sessions.exchange(at: start + .milliseconds(100 * $0)) }
  }

  /// The events among the outputs, apart from the channel of the local peer.
  private func events(_ outputs: [PeerCore.Output]) -> [Event] {
    outputs.compactMap { output in
      if case .event(let event) = output, !event.isChannel { event } else { nil }
    }
  }

  /// The clock thread and the network thread get the keys with the session. Without the keys, the clock thread would send packets without
  /// tags, and the network thread would accept forged packets.
  @Test(arguments: [true, false]) func threadsGetTheKeysOfTheSession(hasPasskey: Bool) throws {
    var sessions = CoreSessions(identity: 1, key: hasPasskey ? key : nil)
    sessions.remotes = [.init(host: 2, identity: 5, ahead: .seconds(100), key: hasPasskey ? key : nil)]
    try sessions.invite(sessions.remotes[0], at: start)
    var (streams, receivers): ([SessionKeys?], [SessionKeys?]) = ([], [])
    for output in sessions.exchange(at: start) {
      if case .stream(.open(_, _, _, _, _, _, let keys)) = output { streams.append(keys) }
      if case .receiving(.open(_, _, _, _, let keys)) = output { receivers.append(keys) }
    }
    #expect(streams.count == 1 && streams == receivers && (streams[0] != nil) == hasPasskey)
  }

  /// The session has ended before the core handles its beginning, so its keys are not known any more.
  @Test func sessionWithoutItsKeysIsNotOpened() {
    let core = CoreSessions(identity: 1, key: key).core
    var info = SessionInfo(
      name: "b", ssrc: 1, control: SocketAddress(host: 1, port: 5004), data: SocketAddress(host: 1, port: 5005),
      local: nil, localSSRC: 91, isInitiator: true)
    info.isProtected = true
    core.established(SessionID(number: 1), info, at: start)
    let isOpened = core.takeOutputs(at: start).contains {
      switch $0 {
      case .stream(.open), .receiving(.open): true
      default: false
      }
    }
    #expect(!isOpened && core.roster.sessionCount == 0)
  }

  /// Either the core or the remote peer has a passkey, but not both. The core invites the remote peer every second. The player is
  /// informed once.
  @Test(arguments: [true, false]) func invitedPeerIsReportedOnceIfOnlyOneOfBothHasAPasskey(hasPasskey: Bool) {
    var sessions = CoreSessions(identity: 1, key: hasPasskey ? key : nil)
    let remote = CoreSessions.Remote(host: 2, identity: 5, ahead: .seconds(100), key: hasPasskey ? nil : key)
    sessions.remotes = [remote]
    sessions.core.invitations.configure(InvitationList.Place(remote.control), at: start)
    let outputs = outputs(of: sessions, seconds: 20)
    #expect(events(outputs) == [.passkeyDiffers(at: remote.control, hasPasskey: !hasPasskey)])
    #expect(sessions.core.endpoint.establishedCount == 0 && sessions.core.roster.sessionCount == 0)
  }

  /// Either the core or the remote peer has a passkey, but not both. The remote peer invites the core twenty times. The player is
  /// informed once.
  @Test(arguments: [true, false]) func invitingPeerIsReportedOnceIfOnlyOneOfBothHasAPasskey(hasPasskey: Bool) throws {
    var sessions = CoreSessions(identity: 1, key: hasPasskey ? key : nil)
    let remote = CoreSessions.Remote(host: 2, identity: 5, ahead: .seconds(100), key: hasPasskey ? nil : key)
    sessions.remotes = [remote]
    var events: [Event] = []
    for second in Int64(0)..<20 {
      let now = start + .seconds(second)
      try sessions.invite(remote, at: now)
      events += self.events(sessions.exchange(at: now))
    }
    // A peer with a passkey marks its invitations.
    let reason = DeclineReason.hasOtherMark(isMarked: !hasPasskey)
    #expect(events == [.invitationDeclined(of: "host 2", at: remote.control, reason)])
    #expect(sessions.core.endpoint.establishedCount == 0 && remote.endpoint.establishedCount == 0)
  }

  /// A peer with another passkey is a candidate. It is not in the roster, and does not count for the probe rate limit. With 60 sessions,
  /// the limit would be 1000 / 60 = 16 requests per second. Without a session, the limit is 50, the maximum.
  @Test func candidateDoesNotCount() throws {
    let other = GroupKey([UInt8](repeating: 1, count: 32))
    var sessions = CoreSessions(identity: 1, key: key)
    sessions.remotes = (0..<60).map { .init(host: 2 + $0, identity: UInt64(5 + $0), ahead: .seconds(100), key: other) }
    for remote in sessions.remotes { try sessions.invite(remote, at: start) }
    _ = sessions.exchange(at: start)
    let core = sessions.core
    #expect(core.endpoint.candidateCount == 60 && core.endpoint.establishedCount == 0)
    #expect(core.endpoint.probeRateLimit == 50 && core.roster.sessionCount == 0 && core.roster.identities.isEmpty)
  }

  /// An exempt device (`--admit`) is in session without keys. Even if it runs Tutti, it is treated as a standard device, so its timeline
  /// message has no effect.
  @Test func exemptPeerCannotLead() throws {
    var sessions = CoreSessions(identity: 1, key: key)
    let remote = CoreSessions.Remote(host: 2, identity: 5, ahead: .seconds(100))
    sessions.remotes = [remote]
    let core = sessions.core
    core.endpoint.exempts = { $0.isSameHost(as: remote.control) }
    core.invitations.configure(InvitationList.Place(remote.control), at: start)
    _ = outputs(of: sessions, seconds: 1)
    let session = try #require(core.roster.sessions.first?.id)
    let message = TimelineMessage(
      claim: Claim(term: 1, identity: Identity(5)), revision: 1, start: Tick(0), end: Tick(.max),
      tempo: TempoMap(Timeline(tempo: .standard, tick: Tick(0), at: start)))
    core.receive(
      .systemExclusive(session, stamp: start, arrival: start), systemExclusive: { message.systemExclusive }, now: start)
    _ = outputs(of: sessions, seconds: 5)
    #expect(core.ensemble.role == .idle && core.roster.identities.isEmpty && core.ensemble.claim == nil)
  }
}

extension Event {
  fileprivate var isChannel: Bool { if case .channel = self { true } else { false } }
}
