import BasicContainers
import MusicalTime
import PeerProtocol
import RTPMIDI
import Testing
import Transports
import _TestSupport

@testable import Engine
@testable import Ensemble

/// Tests of ``InvitationList``: which peers a peer invites, and how long it invites them. No peer answers the invitations that
/// ``endpoint`` sends. The tests themselves report the outcome of an invitation to the list.
@Suite struct InvitationListTests {
  private let start = Instant(nanoseconds: 1_000_000_000)
  /// The control port of the remote peer.
  private let remote = SocketAddress(host: 0x0A00_0002, port: 5004)
  private let endpoint = Endpoint(name: "here", random: SplitMix(seed: 1))
  /// A control port at another address than ``remote``.
  private let otherAddress = SocketAddress(host: 0x0A00_0003, port: 5004)

  /// An established session with the peer at ``remote``.
  private var info: SessionInfo {
    get throws {
      // Only RTPMIDI can create a `SessionInfo`. Therefore an endpoint accepts an invitation and reports the session.
      let answerer = Endpoint(name: "there", random: SplitMix(seed: 2))
      let invitation = SessionCommand(.invitation, token: 1, ssrc: 1)
      var packet = RigidArray<UInt8>(capacity: 80)
      _ = invitation.append(to: &packet)
      let octets = (0..<packet.count).map { packet[$0] }
      var data = remote
      data.port = 5005
      answerer.receive(octets, from: remote, port: .control, at: start)
      answerer.receive(octets, from: data, port: .data, at: start)
      for case .established(_, let info) in answerer.verify(1, at: data, now: start) { return info }
      throw TransportError("no session")
    }
  }

  /// Sends the invitations that are due at `now`. The list is told that no session is established and no peer is in session. Ignores
  /// the result: the addresses of the configured peers that do not reply.
  private func advance(_ invitations: inout InvitationList, to now: Instant) {
    _ = invitations.advance(endpoint, at: now, where: { _ in false }, isInSession: { _ in false })
  }

  /// Advances the time by `length` and reports each invitation that the endpoint gives up as ended. Returns the times of the
  /// sent invitations in whole seconds after ``start``.
  private func secondsOfInvitations(by invitations: inout InvitationList, during length: Nanoseconds) -> [Int] {
    var seconds: [Int] = []
    var now = start
    while now <= start + length {
      endpoint.advance(to: now)
      advance(&invitations, to: now)
      for output in endpoint.drain() {
        switch output {
        case .send: seconds.append(Int((now - start).seconds))
        case .unreachable(let session): invitations.ended(session, of: nil, at: now)
        default: break
        }
      }
      now = now + .milliseconds(100)
    }
    return seconds
  }

  @Test func lostPeerIsInvitedForOneMinute() throws {
    var invitations = InvitationList(to: [], local: Identity(1), at: start)
    invitations.lost(Identity(2), of: try info, at: start)
    #expect(invitations.areAllEstablished, "a connection that the player did not request counts as missing")
    let seconds = secondsOfInvitations(by: &invitations, during: .seconds(120))
    // Successive invitations are at most slightly more than one second apart, so their whole seconds differ by at most two. The last
    // invitation is sent in the last second of the minute, or later.
    #expect(zip(seconds, seconds.dropFirst()).allSatisfy { $1 - $0 <= 2 } && seconds.last! >= 59)
    // An attempt to connect consists of twelve invitations. The first four are 250 ms apart, and the others 1 s. An attempt takes
    // about ten seconds, so six attempts with 72 invitations fit into the minute. The limits below leave a margin.
    let (attempts, invitationsPerAttempt) = (6, 12)
    // One attempt fewer: 60 invitations.
    let fewest = (attempts - 1) * invitationsPerAttempt
    // One invitation more in each attempt, and one more attempt: 90 invitations. An attempt that begins before the end of the minute
    // is completed.
    let most = attempts * (invitationsPerAttempt + 1) + invitationsPerAttempt
    #expect((fewest...most).contains(seconds.count))
    #expect(invitations.targets.isEmpty && invitations.nextDeadline == .distantFuture)
  }

  @Test func lostPeerIsNotInvitedAfterItIsFoundOrRefuses() throws {
    enum Outcome: CaseIterable { case standardDeviceAnswers, peerConnectsFromAnotherAddress, peerRefuses }
    for outcome in Outcome.allCases {
      var invitations = InvitationList(to: [], local: Identity(1), at: start)
      invitations.lost(Identity(2), of: try info, at: start)
      advance(&invitations, to: start + .seconds(1))
      let session = try #require(invitations.targets.first?.session)
      switch outcome {
      case .standardDeviceAnswers:
        invitations.established(session, at: remote)
        #expect(
          invitations.targets.allSatisfy { !$0.isPending }, "the peer is invited although a session is established")
        // A standard device answers at this address, so the lost Tutti peer is no longer there.
        invitations.isStandardDevice(session)
      case .peerConnectsFromAnotherAddress:
        invitations.recognised(
          try sessionWithOtherAddress(), as: Identity(2), at: otherAddress, now: start)
      case .peerRefuses:
        // The player has not requested this invitation.
        let shouldInformPlayer = invitations.refused(session)
        #expect(!shouldInformPlayer)
      }
      #expect(invitations.targets.isEmpty)
    }
  }

  /// Lets the peer with this identity answer the invitation to ``remote``, and ends the session.
  private func meet(_ identity: UInt64, in invitations: inout InvitationList) throws {
    advance(&invitations, to: start)
    let session = try #require(invitations.targets.first?.session)
    invitations.established(session, at: remote)
    invitations.recognised(session, as: Identity(identity), at: remote, now: start)
    invitations.ended(session, of: Identity(identity), at: start)
  }

  /// A configured peer has changed its address and invites the local peer. The next invitation follows one second after the end of a
  /// session.
  @Test func peerInSessionFromANewAddressIsNotInvitedAtItsOldAddress() throws {
    var invitations = InvitationList(to: [.init(remote)], local: Identity(1), at: start)
    try meet(2, in: &invitations)
    // The lost peer needs no second target, because the configured target has the same address.
    invitations.lost(Identity(2), of: try info, at: start)
    #expect(invitations.targets.count == 1 && invitations.nextDeadline == start + .seconds(1))
    let new = try sessionWithOtherAddress()
    invitations.recognised(new, as: Identity(2), at: otherAddress, now: start)
    #expect(invitations.areAllEstablished && invitations.nextDeadline == .distantFuture)
    invitations.ended(new, of: Identity(2), at: start + .seconds(9))
    #expect(!invitations.areAllEstablished && invitations.nextDeadline == start + .seconds(10))
  }

  /// Peer 3 is at the configured address. A hostile device ends the session of peer 3 with a forged BY, and then answers the invitations to
  /// this address. The device uses the identity of peer 2, which is in session at its own address. If `isSameMachine` is true, the device
  /// also imitates the clock of peer 2. Without a passkey, a device that can forge addresses can do both. The configured address
  /// must still be invited, so that peer 3 can join again when the attack ends.
  @Test(arguments: [true, false], [true, false]) func placeWithAForgedIdentityIsInvitedAgain(
    isRecognisedFirst: Bool, isSameMachine: Bool
  ) throws {
    var invitations = InvitationList(to: [.init(remote)], local: Identity(1), at: start)
    try meet(3, in: &invitations)
    let other = try sessionWithOtherAddress()
    var now = start + .seconds(1)
    // The identities of peer 3 and then of peer 2 were found at the configured address, so this place is in doubt. The interval between two
    // invitations begins with one second, and stays at two seconds while the place is in doubt.
    for interval in [1, 2, 2, 2, 2] as [Int64] {
      advance(&invitations, to: now)
      let forged = try #require(invitations.targets.first?.session)
      invitations.established(forged, at: remote)
      // `reached` reports that a peer has answered that is already in session at another address. ``PeerCore`` then closes the new session.
      // If `isRecognisedFirst` is true, the forged session is first reported as recognised, and the session of peer 2 is recognised again
      // at the end.
      if isRecognisedFirst { invitations.recognised(forged, as: Identity(2), at: remote, now: now) }
      invitations.reached(forged, by: Identity(2), at: otherAddress, isSameMachine: isSameMachine, now: now)
      invitations.ended(forged, of: nil, at: now)
      if isRecognisedFirst { invitations.recognised(other, as: Identity(2), at: otherAddress, now: now) }
      #expect(invitations.nextDeadline == now + .seconds(interval))
      now = now + .seconds(interval)
    }
    // Peer 3 begins a session itself, from the configured address. The list gets this address only from the report (`at: remote`). The
    // endpoint of `sessionWithOtherAddress` needs a host to which it has no session yet.
    let own = try sessionWithOtherAddress(host: 0x0A00_0004)
    invitations.recognised(own, as: Identity(3), at: remote, now: now)
    #expect(invitations.areAllEstablished && invitations.nextDeadline == .distantFuture)
    invitations.ended(own, of: Identity(3), at: now)
    #expect(!invitations.areAllEstablished && invitations.nextDeadline == now + .seconds(1))
    // The place now has the identity of peer 3. A session of peer 2 at another address does not count for the place.
    invitations.recognised(other, as: Identity(2), at: otherAddress, now: now)
    #expect(!invitations.areAllEstablished)
  }

  /// A peer with the identity of peer 2 answers at the configured address, while peer 2 is in session at another address. If these are two
  /// machines, the configured address is invited again, at intervals that double up to a minute. If both addresses belong to one machine,
  /// peer 2 has two addresses. The configured address is then not invited, because a second session
  /// would disturb the first one.
  @Test(arguments: [true, false]) func configuredAddressOfAPeerInSessionElsewhereIsRarelyInvited(isSameMachine: Bool)
    throws
  {
    var invitations = InvitationList(to: [.init(remote)], local: Identity(1), at: start)
    advance(&invitations, to: start)
    let session = try #require(invitations.targets.first?.session)
    invitations.established(session, at: remote)
    let other = try sessionWithOtherAddress()
    invitations.reached(session, by: Identity(2), at: otherAddress, isSameMachine: isSameMachine, now: start)
    invitations.ended(session, of: nil, at: start)
    var tries: [Int64] = []
    for second in Int64(0)...200 {
      let now = start + .seconds(second)
      advance(&invitations, to: now)
      if let session = invitations.targets[0].session {
        tries.append(second)
        // The session ends before its peer is recognised.
        invitations.established(session, at: remote)
        invitations.ended(session, of: nil, at: now)
      }
    }
    #expect(tries == (isSameMachine ? [] : [1, 3, 7, 15, 31, 63, 123, 183]) && invitations.areAllEstablished)
    // The peer leaves: the configured address is invited as usual.
    invitations.ended(other, of: Identity(2), at: start + .seconds(200))
    #expect(!invitations.areAllEstablished && invitations.nextDeadline == start + .seconds(201))
  }

  /// Peer 2 has announced an address. Peer 3, which is in session at another address, answers there. The announced address is invited
  /// until peer 2 is in session. `isInSession` is whether peer 2 is in session. For simplicity, the test uses `otherAddress` for
  /// both peers. Any address other than the announced one would do.
  @Test(arguments: [true, false]) func announcedAddressIsInvitedUntilItsPeerIsInSession(isInSession: Bool) throws {
    var invitations = InvitationList(to: [], local: Identity(1), at: start)
    #expect(discover(&invitations))
    advance(&invitations, to: start)
    let session = try #require(invitations.targets.first?.session)
    invitations.established(session, at: remote)
    invitations.reached(session, by: Identity(3), at: otherAddress, isSameMachine: false, now: start)
    invitations.ended(session, of: nil, at: start)
    if isInSession {
      invitations.recognised(try sessionWithOtherAddress(), as: Identity(2), at: otherAddress, now: start)
    }
    #expect(invitations.targets[0].isPending != isInSession)
  }

  /// Reports that a peer was discovered.
  ///
  /// - Returns: false if `invitations` has no room for the announcement. True for a configured peer, whose announcement
  ///   needs no room.
  private func discover(
    _ invitations: inout InvitationList, _ identity: UInt64 = 2, as name: String = "Ben",
    at address: SocketAddress? = nil,
    isInSession: Bool = false
  ) -> Bool {
    invitations.found(
      Identity(identity), as: name, at: .init(address ?? remote), isInSession: isInSession, now: start)
  }

  /// The local peer has the identity `local`, and the discovered peer has the identity 2. Of two peers that discover each other, the
  /// peer with the lower identity invites at once, and the other peer after three seconds.
  @Test(arguments: [(UInt64(1), 0), (3, 3)]) func discoveredPeerIsInvited(local: UInt64, firstSecond: Int) throws {
    var invitations = InvitationList(to: [], local: Identity(local), at: start)
    // The peer announces itself twice.
    #expect(discover(&invitations) && discover(&invitations))
    #expect(invitations.targets.count == 1)
    #expect(invitations.areAllEstablished, "a connection that the player did not request counts as missing")
    #expect(secondsOfInvitations(by: &invitations, during: .seconds(5)).first == firstSecond)
    invitations.withdrawn(Identity(2), as: "Ben", isInSession: { _ in false }, now: start)
    #expect(invitations.targets.isEmpty && invitations.nextDeadline == .distantFuture)
  }

  @Test func discoveredPeerIsInvitedAfterItsSessionEnds() throws {
    var invitations = InvitationList(to: [], local: Identity(1), at: start)
    #expect(discover(&invitations, isInSession: true) && invitations.nextDeadline == .distantFuture)
    invitations.ended(try sessionWithOtherAddress(), of: Identity(2), at: start)
    #expect(invitations.nextDeadline == start + .seconds(1))
  }

  /// A restart of the Avahi daemon withdraws all announcements and repeats them a second later. The session with a discovered
  /// peer lasts, and the peer is invited again only after the end of the session.
  @Test func restartOfAvahiDuringASessionCausesNoInvitation() throws {
    var invitations = InvitationList(to: [], local: Identity(1), at: start)
    #expect(discover(&invitations))
    advance(&invitations, to: start)
    let session = try #require(invitations.targets.first?.session)
    invitations.established(session, at: remote)
    invitations.recognised(session, as: Identity(2), at: remote, now: start)
    invitations.withdrawn(Identity(2), as: "Ben", isInSession: { _ in true }, now: start)
    #expect(invitations.nextDeadline == .distantFuture)
    #expect(discover(&invitations, isInSession: true) && invitations.nextDeadline == .distantFuture)
    invitations.ended(session, of: Identity(2), at: start + .seconds(9))
    #expect(invitations.nextDeadline == start + .seconds(10))
  }

  /// The target of a configured peer stays when the announcement of the peer is withdrawn.
  @Test func configuredPeerThatIsAlsoDiscoveredIsOneTarget() {
    var invitations = InvitationList(to: [.init(remote)], local: Identity(1), at: start)
    #expect(discover(&invitations) && invitations.targets.count == 1)
    invitations.withdrawn(Identity(2), as: "Ben", isInSession: { _ in false }, now: start)
    #expect(invitations.targets.count == 1)
  }

  /// A peer whose name is already taken announces itself by a second name. The second announcement arrives before the first
  /// one is withdrawn.
  @Test func newestAnnouncementDeterminesTheAddress() {
    var invitations = InvitationList(to: [], local: Identity(1), at: start)
    #expect(discover(&invitations) && discover(&invitations, as: "Ben #2", at: otherAddress))
    invitations.withdrawn(Identity(2), as: "Ben", isInSession: { _ in false }, now: start)
    #expect(invitations.targets.map(\.place.control) == [otherAddress])
    invitations.withdrawn(Identity(2), as: "Ben #2", isInSession: { _ in false }, now: start)
    #expect(invitations.targets.isEmpty)
  }

  /// At the announced address, a peer with another identity answers. After the announcement is withdrawn, no peer is invited
  /// at this address.
  @Test func withdrawnAnnouncementIsForgottenAlthoughAnotherPeerAnswered() throws {
    var invitations = InvitationList(to: [], local: Identity(1), at: start)
    #expect(discover(&invitations))
    advance(&invitations, to: start)
    let session = try #require(invitations.targets.first?.session)
    invitations.established(session, at: remote)
    invitations.recognised(session, as: Identity(3), at: remote, now: start)
    invitations.withdrawn(Identity(2), as: "Ben", isInSession: { _ in false }, now: start)
    invitations.ended(session, of: Identity(3), at: start)
    #expect(invitations.targets.isEmpty && invitations.nextDeadline == .distantFuture)
  }

  /// A configured peer is invited again after it has refused an invitation. A discovered peer is not.
  @Test(arguments: [true, false]) func playerIsInformedOnceOfARefusal(isDiscovered: Bool) throws {
    var invitations = InvitationList(to: isDiscovered ? [] : [.init(remote)], local: Identity(1), at: start)
    if isDiscovered { #expect(discover(&invitations)) }
    advance(&invitations, to: start)
    let session = try #require(invitations.targets.first?.session)
    let (first, second) = (invitations.refused(session), invitations.refused(session))
    #expect(first && !second && invitations.targets.isEmpty == isDiscovered)
    invitations.ended(session, of: nil, at: start)
    #expect(invitations.nextDeadline == (isDiscovered ? .distantFuture : start + .seconds(1)))
  }

  /// A peer answers with the identity of the local peer, perhaps a forged one. A configured address is invited again after a minute, and
  /// the player is informed once. A discovered peer is not invited again.
  @Test(arguments: [true, false]) func peerWithTheLocalIdentityIsRarelyInvited(isDiscovered: Bool) throws {
    var invitations = InvitationList(to: isDiscovered ? [] : [.init(remote)], local: Identity(1), at: start)
    if isDiscovered { #expect(discover(&invitations)) }
    for n in 0..<3 as Range<Int64> {
      let now = start + Nanoseconds(n * InvitationList.longestRecheck.count)
      advance(&invitations, to: now)
      let session = try #require(invitations.targets.first?.session)
      invitations.established(session, at: remote)
      let shouldInformPlayer = invitations.hasLocalIdentity(session, at: now)
      invitations.ended(session, of: nil, at: now)
      #expect(shouldInformPlayer == (n == 0))
      if isDiscovered { return #expect(invitations.targets.isEmpty) }
      #expect(!invitations.areAllEstablished && invitations.nextDeadline == now + InvitationList.longestRecheck)
    }
  }

  /// Reports that the peers with these identities were discovered, each on its own host.
  private func discoverAll(_ identities: some Sequence<Int>, by invitations: inout InvitationList) {
    for n in identities {
      let place = SocketAddress(host: UInt32(n), port: 5004)
      let isKept = invitations.found(
        Identity(UInt64(n)), as: "Ben \(n)", at: .init(place), isInSession: false, now: start)
      #expect(isKept)
    }
  }

  /// The identities of all targets in ascending order.
  private func identities(_ invitations: InvitationList) -> [UInt64] {
    invitations.targets.compactMap { $0.identity?.bits }.sorted()
  }

  /// Up to sixteen peers all connect to each other. With more peers, every peer connects to the two peers with the lowest identities,
  /// and these two connect to all peers. The order of discovery does not matter.
  @Test(arguments: UInt64(1)...10) func withManyPeersOnlyTheTwoLowestIdentitiesAreTargets(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let numbers = Array(1...40).shuffled(using: &random)
    for local in [1, 2, 3, 40] {
      var invitations = InvitationList(to: [], local: Identity(UInt64(local)), at: start)
      let others = numbers.filter { $0 != local }
      // Fifteen others and the local peer are sixteen peers.
      discoverAll(others.prefix(15), by: &invitations)
      #expect(invitations.targets.count == 15)
      discoverAll(others.dropFirst(15), by: &invitations)
      #expect(
        identities(invitations) == (local <= 2 ? others.sorted().map(UInt64.init) : [1, 2]), "local identity \(local)")
    }
  }

  @Test func masterIsATargetInAdditionToTheTwoLowestIdentities() {
    var invitations = InvitationList(to: [], local: Identity(30), at: start)
    discoverAll((1...29).reversed(), by: &invitations)
    invitations.follow(master: Identity(17), isInSession: { _ in false }, at: start)
    #expect(identities(invitations) == [1, 2, 17])
    // If the local peer is the master, all peers are targets.
    invitations.follow(master: Identity(30), isInSession: { _ in false }, at: start)
    #expect(invitations.targets.count == 29)
  }

  @Test func whenOneOfTheTwoLowestLeavesTheNextLowestReplacesIt() {
    var invitations = InvitationList(to: [], local: Identity(30), at: start)
    discoverAll(1...29, by: &invitations)
    // Peer 3 is already in session, so it becomes a target that need not be invited.
    invitations.withdrawn(Identity(1), as: "Ben 1", isInSession: { $0 == Identity(3) }, now: start)
    #expect(identities(invitations) == [2, 3])
    #expect(invitations.targets.first { $0.identity == Identity(3) }?.isEstablished == true)
  }

  /// The local peer has the highest identity, so its first invitation follows after three seconds. A peer is silent if it has
  /// not answered for three seconds. The wanted peers are the silent peers, the two lowest of the others, and one more of the others
  /// for each silent peer.
  @Test func silentPeersAreReplacedByOthers() {
    var invitations = InvitationList(to: [], local: Identity(30), at: start)
    discoverAll(1...29, by: &invitations)
    var wanted: [Int] = []
    for second in Int64(1)...12 {
      // The first call can replace silent peers. The second call sends the invitations to the replacements.
      for _ in 1...2 { advance(&invitations, to: start + .seconds(second)) }
      wanted.append(invitations.targets.count)
      #expect(identities(invitations) == (1...UInt64(wanted.last!)).map { $0 }, "second \(second)")
    }
    // First, two peers are wanted. They are silent after three seconds, and four more peers are wanted. These are silent too, and
    // eight more peers are wanted. Then fourteen peers are silent. The other fifteen and the local peer are sixteen peers, which all
    // connect to each other.
    #expect(wanted == [2, 2, 2, 2, 2, 6, 6, 6, 14, 14, 14, 29])
  }

  @Test func silentPeerThatAnswersCountsAgain() throws {
    var invitations = InvitationList(to: [], local: Identity(30), at: start)
    discoverAll(1...29, by: &invitations)
    for second in Int64(1)...6 { advance(&invitations, to: start + .seconds(second)) }
    #expect(identities(invitations) == [1, 2, 3, 4, 5, 6])
    invitations.recognised(
      try #require(invitations.targets.first?.session), as: Identity(1), at: invitations.targets[0].place.control,
      now: start)
    // The wanted peers are one silent peer (2), and the three lowest of the others.
    #expect(identities(invitations) == [1, 2, 3, 4])
  }

  /// At the address that peer 1 has announced, a peer with another identity answers.
  @Test func announcedPeerIsSilentAlthoughAnotherPeerAnswers() throws {
    var invitations = InvitationList(to: [], local: Identity(30), at: start)
    discoverAll(1...29, by: &invitations)
    advance(&invitations, to: start + .seconds(3))
    for target in invitations.targets {
      let session = try #require(target.session)
      invitations.established(session, at: target.place.control)
      let identity = target.identity == Identity(1) ? Identity(99) : Identity(2)
      invitations.recognised(session, as: identity, at: target.place.control, now: start)
    }
    advance(&invitations, to: start + .seconds(6))
    // The wanted peers are one silent peer (1), and the three lowest of the others.
    #expect(Set(invitations.targets.compactMap(\.announced?.bits)) == [1, 2, 3, 4])
  }

  @Test func peerThatRefusesIsReplacedAndNotInvitedAgain() throws {
    var invitations = InvitationList(to: [], local: Identity(30), at: start)
    discoverAll(1...29, by: &invitations)
    advance(&invitations, to: start + .seconds(3))
    let session = try #require(invitations.targets.first { $0.identity == Identity(1) }?.session)
    let isReported = invitations.refused(session)
    #expect(isReported && invitations.nextDeadline <= start + .seconds(3))
    advance(&invitations, to: start + .seconds(3))
    #expect(identities(invitations) == [2, 3, 4])
  }

  @Test func repeatedAnnouncementGivesOneTarget() {
    var invitations = InvitationList(to: [], local: Identity(30), at: start)
    discoverAll([1, 2, 2, 1], by: &invitations)
    #expect(invitations.targets.count == 2)
  }

  /// Returns a new session with an address other than ``remote``: ``otherAddress``, or another host.
  private func sessionWithOtherAddress(host: UInt32 = 0x0A00_0003) throws -> SessionID {
    let address = SocketAddress(host: host, port: 5004)
    return try endpoint.connect(to: address, data: address, at: start)
  }
}
