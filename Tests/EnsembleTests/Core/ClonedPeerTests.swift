import MusicalTime
import PeerProtocol
import RTPMIDI
import Sending
import Testing
import _TestSupport

@testable import Ensemble

/// Two machines with one identity, because the disk of one was copied from the other. Both invite the tested core.
@Suite struct ClonedPeerTests {
  private let start = Instant(nanoseconds: 1_000_000_000)

  /// The core tells the second machine that another machine uses its identity, and ends its session half a second later. If both
  /// sessions are with one machine, the peer has a second address. The core then ends the second session at once, without such a message.
  /// The core distinguishes two machines by their clocks, which are `ahead` of the clock of the core.
  @Test(arguments: [true, false]) func laterMachineIsInformed(isClone: Bool) throws {
    var sessions = CoreSessions(identity: 1)
    let first = CoreSessions.Remote(host: 2, identity: 5, ahead: .seconds(100))
    let second = CoreSessions.Remote(host: 3, identity: 5, ahead: isClone ? .seconds(70) : .seconds(100))
    sessions.remotes = [first]
    try sessions.invite(first, at: start)
    _ = sessions.exchange(at: start)
    #expect(sessions.core.roster.session(of: Identity(5)) != nil)
    sessions.remotes.append(second)
    // A second session with the same identity can result from mutual invitations only in the first ten seconds of the first
    // session. Therefore, the second machine invites the core after eleven seconds.
    var outputs: [PeerCore.Output] = []
    for step in Int64(1)...120 {
      let now = start + .milliseconds(100 * step)
      if step == 110 { try sessions.invite(second, at: now) }
      outputs += sessions.exchange(at: now)
      if step == 110 { #expect(second.endpoint.establishedCount == (isClone ? 1 : 0)) }
    }
    let expected = UsedIdentity(Identity(5)).systemExclusive
    let messages = outputs.count {
      if case .stream(.exclusive(let data, to: .some, _)) = $0 { data.array == expected } else { false }
    }
    #expect(messages == (isClone ? 1 : 0))
    #expect(first.endpoint.establishedCount == 1 && second.endpoint.establishedCount == 0)
  }

  /// A peer receives nothing any more at the address of its session, but still sends from it. After a second, it begins a session from
  /// another address. The core then has this session with the peer, and no other one.
  @Test func peerThatReceivesNothingAtItsOldAddressIsInSessionByTheNewOne() throws {
    var sessions = CoreSessions(identity: 1)
    let first = CoreSessions.Remote(host: 2, identity: 5, ahead: .seconds(100))
    let second = CoreSessions.Remote(host: 3, identity: 5, ahead: .seconds(100))
    sessions.remotes = [first, second]
    try sessions.invite(first, at: start)
    var former: SessionID?
    for step in Int64(0)...130 {
      let now = start + .milliseconds(100 * step)
      if step == 110 {
        former = sessions.core.roster.session(of: Identity(5))
        sessions.remotes[0].isDeaf = true
      }
      if step == 120 { try sessions.invite(second, at: now) }
      _ = sessions.exchange(at: now)
    }
    let session = sessions.core.roster.session(of: Identity(5))
    #expect(session != nil && session != former && second.endpoint.establishedCount == 1)
    #expect(sessions.core.endpoint.establishedCount == 1 && sessions.core.roster.identities == [Identity(5)])
  }

  /// A remote peer reports that an identity is used twice. The report is passed on only if it is about the identity of the local peer,
  /// which is 1.
  @Test(arguments: [UInt64(1), 2]) func reportAboutTheLocalIdentityIsPassedOn(identity: UInt64) throws {
    var sessions = CoreSessions(identity: 1)
    sessions.remotes = [.init(host: 2, identity: 5, ahead: .seconds(100))]
    try sessions.invite(sessions.remotes[0], at: start)
    _ = sessions.exchange(at: start)
    let core = sessions.core
    let session = try #require(core.roster.session(of: Identity(5)))
    core.receive(
      .systemExclusive(session, stamp: start, arrival: start),
      systemExclusive: { UsedIdentity(Identity(identity)).systemExclusive }, now: start)
    let events = core.takeOutputs(at: start).count { if case .event(.identityIsUsed) = $0 { true } else { false } }
    #expect(events == (identity == 1 ? 1 : 0) && core.ensemble.rejected == 0)
  }
}
