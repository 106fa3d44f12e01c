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

  /// The core tells the second machine that another machine uses the same identity, and ends the second session half a second later. If
  /// both sessions are with one machine, the peer has a second address. The core then ends the second session at once, without such a
  /// message. The core distinguishes two machines by their clocks, which are `ahead` of the clock of the core.
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
    // session. Therefore, the second machine invites the core after eleven seconds (step 110).
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

  /// The peer of the first session stops receiving, but still sends. After `silence` milliseconds, a second session with its identity
  /// begins, from another address. If no clock probe was answered for 500 ms, and both sessions are with one machine, the core keeps the
  /// second session, and reports that the peer has left and joined again. In all other cases, the first session is kept.
  @Test(arguments: [(1000, false, true), (300, false, false), (1000, true, false)])
  func deafPeerIsInSessionFromItsNewAddress(silence: Int64, isClone: Bool, hasMoved: Bool) throws {
    var sessions = CoreSessions(identity: 1)
    let first = CoreSessions.Remote(host: 2, identity: 5, ahead: .seconds(100))
    let second = CoreSessions.Remote(host: 3, identity: 5, ahead: isClone ? .seconds(70) : .seconds(100))
    sessions.remotes = [first, second]
    try sessions.invite(first, at: start)
    var former: SessionID?
    // Each report ends with whether it names the address of the second session.
    var reports: [String] = []
    for step in Int64(0)...130 {
      let now = start + .milliseconds(100 * step)
      if step == 110 {
        former = sessions.core.roster.session(of: Identity(5))
        sessions.remotes[0].isDeaf = true
      }
      if step == 110 + silence / 100 { try sessions.invite(second, at: now) }
      for output in sessions.exchange(at: now) where step >= 110 {
        switch output {
        case .event(.joined(let peer)): reports.append("joined \(peer.address == second.control)")
        case .event(.left(let peer)): reports.append("left \(peer.address == second.control)")
        case .event(.tookOver): reports.append("took over")
        default: break
        }
      }
    }
    let session = sessions.core.roster.session(of: Identity(5))
    #expect(session != nil && (session != former) == hasMoved)
    #expect(second.endpoint.establishedCount == (hasMoved ? 1 : 0) && sessions.core.endpoint.establishedCount == 1)
    #expect(sessions.core.roster.identities == [Identity(5)])
    #expect(reports == (hasMoved ? ["left false", "joined true"] : []))
  }

  /// The program of a peer is stopped for 1.7 s. Meanwhile another device begins a session with its identity, from the same or another
  /// machine. When the program continues, the peer gets its identity back, and the other device is out. If the other device is on another
  /// machine, the player is told.
  @Test(arguments: [true, false]) func stoppedPeerKeepsItsIdentity(isClone: Bool) throws {
    var sessions = CoreSessions(identity: 1)
    let first = CoreSessions.Remote(host: 2, identity: 5, ahead: .seconds(100))
    let second = CoreSessions.Remote(host: 3, identity: 5, ahead: isClone ? .seconds(70) : .seconds(100))
    sessions.remotes = [first, second]
    try sessions.invite(first, at: start)
    var warnings = 0
    for step in Int64(0)...170 {
      let now = start + .milliseconds(100 * step)
      if step == 110 { sessions.remotes[0].isStopped = true }
      if step == 122 { try sessions.invite(second, at: now) }
      if step == 127 { sessions.remotes[0].isStopped = false }
      for output in sessions.exchange(at: now) {
        if case .event(.warning(Identity(5), .identityIsUsedTwice)) = output { warnings += 1 }
      }
      if step == 125 { #expect(second.endpoint.establishedCount == 1) }
    }
    let session = try #require(sessions.core.roster.session(of: Identity(5)))
    #expect(sessions.core.roster[session]?.session?.info.control == first.control)
    #expect(first.endpoint.establishedCount == 1 && second.endpoint.establishedCount == 0)
    #expect(sessions.core.roster.identities == [Identity(5)] && sessions.core.endpoint.establishedCount == 1)
    #expect(warnings == (isClone ? 1 : 0))
  }

  /// A remote peer reports that two machines use one identity. The core passes the report on only if it is about the identity of the local
  /// peer, which is 1.
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
