import MIDI
import MusicalTime
import PeerProtocol
import Testing
import _TestSupport

@testable import Ensemble
@testable import RTPMIDI

/// The removal of the data of a remote peer from a ``PeerCore``, the state of the local peer without threads and I/O. The tests
/// search all stored properties of the core by reflection, so they also cover containers that are added later.
@Suite struct RemovalTests {
  private let now = Instant(nanoseconds: 1_000_000_000)
  // Values that occur nowhere else, so that the search finds only data of the remote peer.
  private let remote = Identity(0x7E57_0000_0000_0002)
  private let session = SessionID(number: 0x5E55_0000_0000_0001)
  private let otherSession = SessionID(number: 0x5E55_0000_0000_0002)
  private let name = "a remote peer"
  private let channel = Channel(wire: 3)

  /// A session with a remote peer at the IPv4 address `host`, whose SSRC is the same number.
  private func info(_ host: UInt32, named name: String) -> SessionInfo {
    SessionInfo(
      name: name, ssrc: host, control: SocketAddress(host: host, port: 5004),
      data: SocketAddress(host: host, port: 5005), local: nil, localSSRC: 99, isInitiator: true)
  }

  /// Returns a core in session with a second remote peer, which the tests do not remove.
  private func makeCore() -> PeerCore {
    let local = Identity(1)
    let core = PeerCore(
      name: "local", ensemble: EnsembleState(identity: local),
      invitations: InvitationList(to: [], local: local, at: now),
      random: SplitMix(seed: 1))
    core.established(otherSession, info(9, named: "stays"), at: now)
    core.recognised(otherSession, Identity(9), at: now)
    return core
  }

  /// Fills every container of the core with data of the remote peer.
  ///
  /// - Parameter recognised: whether the core knows the identity of the peer.
  private func fill(_ core: PeerCore, recognised: Bool = true) throws {
    core.established(session, info(0x0A00_0002, named: name), at: now)
    // On channel 1, controller 7 contains the total activity, and controller 11 the activity of the peer.
    let volume = Message.controlChange(Channel(wire: 0), controller: 7, value: 90)
    let expression = Message.controlChange(Channel(wire: 0), controller: 11, value: 80)
    for message in [volume, expression] {
      core.handle(.message(session, message, at: now, arrival: now, isRecovered: false), at: now)
    }
    let timeline = TimelineMessage(
      claim: Claim(term: 1, identity: remote), revision: 0, start: Tick(0), end: Tick(0),
      tempo: TempoMap(Timeline(tempo: .standard, tick: Tick(0), at: now)))
    if !recognised {
      core.handle(.systemExclusive(session, timeline.systemExclusive, at: now, arrival: now), at: now)
      return
    }
    core.recognised(session, remote, at: now)
    try core.ensemble.start(tempo: .standard, at: now)
    core.ensemble.advance(to: now)
    let presence = Presence(
      identity: remote, claim: core.ensemble.claim, channel: channel, gates: .all, takesOver: true, activity: 50)
    core.ensemble.received(presence, from: remote, at: now)
    core.ensemble.measured(ClockTransit(.back, sent: now, received: now), with: remote, at: now)
    core.ensemble.warn(of: remote, .isUnreadable)
    // A setting of the remote player on its channel.
    core.received(.controlChange(channel, controller: 1, value: 9), on: session, isAdmitted: true)
    core.handle(.peerSendsJournals(session), at: now)
    core.handle(.clock(session, ClockTransit(.out, sent: now, received: now)), at: now)
    #expect(!paths(of: remote, in: core).isEmpty && core.ensemble.owner(of: channel) == remote)
  }

  /// Returns the paths of all stored properties below `root` whose value satisfies `matches`.
  private func paths(in root: Any, where matches: (Any) -> Bool) -> [String] {
    var paths: [String] = []
    var visited: Set<ObjectIdentifier> = []
    func search(_ value: Any, _ path: String) {
      if matches(value) { paths.append(path) }
      let mirror = Mirror(reflecting: value)
      if mirror.displayStyle == .class {
        guard visited.insert(ObjectIdentifier(value as AnyObject)).inserted else { return }
      }
      for (n, child) in mirror.children.enumerated() { search(child.value, "\(path).\(child.label ?? "\(n)")") }
    }
    search(root, "core")
    return paths
  }

  private func paths<Value: Equatable>(of value: Value, in root: Any) -> [String] {
    paths(in: root) { $0 as? Value == value }
  }

  /// Expects that the core contains no data of the removed peer, and still contains the second remote peer.
  private func expectNoTrace(in core: PeerCore) {
    // The pending outputs contain events that name the removed peer. Taking them may produce further outputs.
    _ = core.takeOutputs(at: now)
    _ = core.takeOutputs(at: now)
    #expect(paths(of: session, in: core) == [])
    #expect(paths(of: remote, in: core) == [])
    #expect(paths(of: name, in: core) == [])
    #expect(paths(of: SocketAddress(host: 0x0A00_0002, port: 5004), in: core) == [])
    // No settings of a remote player are left.
    #expect(paths(in: core) { ($0 as? ChannelSettings)?.messages.isEmpty == false } == [])
    #expect(core.roster.sessionCount == 1 && core.roster.identities == [Identity(9)])
    #expect(core.ensemble.owner(of: channel) == nil && core.roster.session(of: Identity(9)) == otherSession)
  }

  @Test func removedTuttiPeerLeavesNoTrace() throws {
    let core = makeCore()
    try fill(core)
    core.handle(.closed(session), at: now)
    expectNoTrace(in: core)
  }

  @Test func removedPeerWithoutKnownIdentityLeavesNoTrace() throws {
    let core = makeCore()
    try fill(core, recognised: false)
    core.handle(.closed(session), at: now)
    expectNoTrace(in: core)
  }

  /// The roster stores a new peer in the row (slot) of the removed peer.
  @Test func nextPeerInTheSlotOfARemovedPeerInheritsNothing() throws {
    let core = makeCore()
    try fill(core)
    core.handle(.closed(session), at: now)
    core.established(session, info(0x0A00_0003, named: "next"), at: now)
    core.recognised(session, Identity(3), at: now)
    #expect(core.ensemble.channel(of: Identity(3)) == nil && core.ensemble.weights(of: Identity(3)).outward == nil)
    #expect(core.roster.session(of: remote) == nil && core.roster.identities == [Identity(3), Identity(9)])
  }

  /// A follower still plays by the clock of a master that has left. The row with this clock therefore stays in the roster. The row
  /// no longer belongs to a session or to a member.
  @Test func onlyTheClockOfADepartedMasterIsKept() throws {
    let core = makeCore()
    core.established(session, info(0x0A00_0002, named: name), at: now)
    core.recognised(session, remote, at: now)
    let timeline = TimelineMessage(
      claim: Claim(term: 1, identity: remote), revision: 0, start: Tick(0), end: Tick(.max),
      tempo: TempoMap(Timeline(tempo: .standard, tick: Tick(0), at: now)))
    core.ensemble.received(timeline, from: remote, at: now)
    #expect(core.ensemble.role == .follower(of: remote))
    core.handle(.closed(session), at: now)
    _ = core.takeOutputs(at: now)
    #expect(core.roster.session(of: remote) == nil && !core.ensemble.roster.containsMember(remote))
    #expect(paths(of: session, in: core) == [] && core.roster[remote]?.session == nil)
    #expect(core.roster[remote] != nil)
  }

  /// If two peers invite each other, two sessions begin and one of them ends. The core keeps the data of the remote peer.
  @Test func dataOfAPeerSurvivesTheEndOfADuplicateSession() throws {
    let core = makeCore()
    try fill(core)
    let secondSession = SessionID(number: 0x5E55_0000_0000_0003)
    core.established(secondSession, info(0x0A00_0002, named: name), at: now)
    core.recognised(secondSession, remote, at: now)
    let kept = core.roster.session(of: remote)!
    let closed = kept == session ? secondSession : session
    #expect(core.roster[closed]?.identity == nil)
    core.handle(.closed(closed), at: now)
    // Pending outputs may still name the closed session, so they are discarded.
    _ = core.takeOutputs(at: now)
    #expect(paths(of: closed, in: core) == [])
    #expect(core.roster.session(of: remote) == kept && core.ensemble.channel(of: remote) == channel)
  }
}
