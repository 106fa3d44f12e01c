import BasicContainers
import MusicalTime
import PeerProtocol
import RTPMIDI
import Testing
import Transports
import _TestSupport

@testable import Engine
@testable import Ensemble

/// Whom a peer invites, and until when. The other side does not answer here.
@Suite struct ConnectionsTests {
  private let start = Instant(nanoseconds: 1_000_000_000)
  private let there = SocketAddress(host: 0x0A00_0002, port: 5004)
  private let endpoint = Endpoint(name: "here", random: SplitMix(seed: 1))

  private var info: SessionInfo {
    get throws {
      // Only an endpoint makes one.
      let answerer = Endpoint(name: "there", random: SplitMix(seed: 2))
      let invitation = SessionCommand(.invitation, token: 1, ssrc: 1)
      var packet = RigidArray<UInt8>(capacity: 80)
      _ = invitation.append(to: &packet)
      let octets = (0..<packet.count).map { packet[$0] }
      var data = there
      data.port = 5005
      answerer.receive(octets, from: there, port: .control, at: start)
      answerer.receive(octets, from: data, port: .data, at: start)
      for case .established(_, let info) in answerer.drain() { return info }
      throw TransportError("no session")
    }
  }

  /// Runs for `length`, ending each invitation that the endpoint gives up. Returns the seconds at which invitations went out.
  private func run(_ connections: inout Connections, for length: Nanoseconds) -> [Int] {
    var seconds: [Int] = []
    var now = start
    while now <= start + length {
      endpoint.advance(to: now)
      _ = connections.advance(endpoint, at: now) { _ in false }
      for output in endpoint.drain() {
        switch output {
        case .send: seconds.append(Int((now - start).seconds))
        case .unreachable(let session): connections.ended(session, of: nil, at: now)
        default: break
        }
      }
      now = now + .milliseconds(100)
    }
    return seconds
  }

  @Test func aLostPeerIsSoughtForAMinute() throws {
    var connections = Connections(to: [], local: Identity(1), at: start)
    connections.lost(Identity(2), of: try info, at: start)
    #expect(connections.areAllEstablished, "the player did not ask for it")
    let seconds = run(&connections, for: .seconds(120))
    // An invitation that is under way at the end of the minute is sent twelve times all the same.
    // Within two seconds there is always one, and seldom more than one within a second.
    #expect(zip(seconds, seconds.dropFirst()).allSatisfy { $1 - $0 <= 2 } && seconds.last! >= 59)
    #expect((60...6 * 13 + 12).contains(seconds.count))
    #expect(connections.targets.isEmpty && connections.nextDeadline == .distantFuture)
  }

  @Test func whoIsFoundIsSoughtNoLonger() throws {
    for way in 0..<3 {
      var connections = Connections(to: [], local: Identity(1), at: start)
      connections.lost(Identity(2), of: try info, at: start)
      _ = connections.advance(endpoint, at: start + .seconds(1)) { _ in false }
      let session = try #require(connections.targets.first?.session)
      switch way {
      case 0:
        connections.established(session, at: there)
        #expect(connections.targets.allSatisfy { !$0.isPending }, "it may be lost before it is known who it is")
        connections.isStandardDevice(session)
      case 1: connections.recognised(try other(), as: Identity(2))
      default:
        let isWorthTelling = connections.refused(session)
        #expect(!isWorthTelling)
      }
      #expect(connections.targets.isEmpty)
    }
  }

  /// A peer that this one was told to connect to has another address, and comes by itself.
  @Test func aPeerWithAnotherAddressIsNotInvitedAtTheOld() throws {
    var connections = Connections(to: [.init(there)], local: Identity(1), at: start)
    _ = connections.advance(endpoint, at: start) { _ in false }
    let session = try #require(connections.targets.first?.session)
    connections.established(session, at: there)
    connections.recognised(session, as: Identity(2))
    connections.ended(session, of: Identity(2), at: start)
    connections.lost(Identity(2), of: try info, at: start)
    #expect(connections.targets.count == 1 && connections.nextDeadline == start + .seconds(1))
    let new = try other()
    connections.recognised(new, as: Identity(2))
    #expect(connections.areAllEstablished && connections.nextDeadline == .distantFuture)
    connections.ended(new, of: Identity(2), at: start + .seconds(9))
    #expect(!connections.areAllEstablished && connections.nextDeadline == start + .seconds(10))
  }

  private func find(
    _ connections: inout Connections, _ identity: UInt64 = 2, as name: String = "Ben",
    at address: SocketAddress? = nil,
    isInSession: Bool = false
  ) -> Bool {
    connections.found(
      Identity(identity), as: name, at: .init(address ?? there), isInSession: isInSession, now: start)
  }

  /// Of two that find each other the lower identity invites, the other three seconds later.
  @Test(arguments: [(UInt64(1), 0), (3, 3)]) func whoIsFoundIsInvited(own: UInt64, first: Int) throws {
    var connections = Connections(to: [], local: Identity(own), at: start)
    #expect(find(&connections) && find(&connections))
    #expect(connections.targets.count == 1)
    #expect(connections.areAllEstablished, "the player did not ask for it")
    #expect(run(&connections, for: .seconds(5)).first == first)
    connections.withdrawn(Identity(2), as: "Ben", isInSession: { _ in false }, now: start)
    #expect(connections.targets.isEmpty && connections.nextDeadline == .distantFuture)
  }

  @Test func whoIsFoundAndMetIsInvitedWhenItHasGone() throws {
    var connections = Connections(to: [], local: Identity(1), at: start)
    #expect(find(&connections, isInSession: true) && connections.nextDeadline == .distantFuture)
    connections.ended(try other(), of: Identity(2), at: start)
    #expect(connections.nextDeadline == start + .seconds(1))
  }

  /// The peer that others are told to connect to, and that announces itself as well, is told and no more.
  @Test func whoIsToldAndFoundIsInvitedOnce() {
    var connections = Connections(to: [.init(there)], local: Identity(1), at: start)
    #expect(find(&connections) && connections.targets.count == 1)
    connections.withdrawn(Identity(2), as: "Ben", isInSession: { _ in false }, now: start)
    #expect(connections.targets.count == 1)
  }

  /// A name that is taken is changed: the new one is seen before the old one is gone.
  @Test func theNewestAnnouncementCounts() {
    var connections = Connections(to: [], local: Identity(1), at: start)
    let elsewhere = SocketAddress(host: 0x0A00_0003, port: 5004)
    #expect(find(&connections) && find(&connections, as: "Ben #2", at: elsewhere))
    connections.withdrawn(Identity(2), as: "Ben", isInSession: { _ in false }, now: start)
    #expect(connections.targets.map(\.place.control) == [elsewhere])
    connections.withdrawn(Identity(2), as: "Ben #2", isInSession: { _ in false }, now: start)
    #expect(connections.targets.isEmpty)
  }

  /// Where one peer was announced another is: when the announcement ends nobody is invited there any more.
  @Test func anAnnouncementThatWasAnothersIsForgotten() throws {
    var connections = Connections(to: [], local: Identity(1), at: start)
    #expect(find(&connections))
    _ = connections.advance(endpoint, at: start) { _ in false }
    let session = try #require(connections.targets.first?.session)
    connections.established(session, at: there)
    connections.recognised(session, as: Identity(3))
    connections.withdrawn(Identity(2), as: "Ben", isInSession: { _ in false }, now: start)
    connections.ended(session, of: Identity(3), at: start)
    #expect(connections.targets.isEmpty && connections.nextDeadline == .distantFuture)
  }

  /// The player hears of it; who was found is let be, and who was named is not.
  @Test(arguments: [true, false]) func whoRefusesIsToldOnce(isFound: Bool) throws {
    var connections = Connections(to: isFound ? [] : [.init(there)], local: Identity(1), at: start)
    if isFound { #expect(find(&connections)) }
    _ = connections.advance(endpoint, at: start) { _ in false }
    let session = try #require(connections.targets.first?.session)
    let (first, second) = (connections.refused(session), connections.refused(session))
    #expect(first && !second && connections.targets.isEmpty == isFound)
    connections.ended(session, of: nil, at: start)
    #expect(connections.nextDeadline == (isFound ? .distantFuture : start + .seconds(1)))
  }

  @Test func whoIsNobodyToPlayWithIsLetBe() throws {
    var connections = Connections(to: [.init(there)], local: Identity(1), at: start)
    _ = connections.advance(endpoint, at: start) { _ in false }
    connections.abandoned(try #require(connections.targets.first?.session))
    #expect(connections.areAllEstablished && connections.targets.isEmpty)
  }

  private func findAll(_ numbers: some Sequence<Int>, by connections: inout Connections) {
    for n in numbers {
      let place = SocketAddress(host: UInt32(n), port: 5004)
      let isKept = connections.found(
        Identity(UInt64(n)), as: "Ben \(n)", at: .init(place), isInSession: false, now: start)
      #expect(isKept)
    }
  }

  private func identities(_ connections: Connections) -> [UInt64] {
    connections.targets.compactMap { $0.identity?.bits }.sorted()
  }

  /// Up to sixteen play each with each; of more everybody connects to the two lowest identities, whatever the order in
  /// which they are found.
  @Test(arguments: UInt64(1)...10) func ofManyTheLowestAreConnectedTo(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let numbers = Array(1...40).shuffled(using: &random)
    for own in [1, 2, 3, 40] {
      var connections = Connections(to: [], local: Identity(UInt64(own)), at: start)
      let others = numbers.filter { $0 != own }
      findAll(others.prefix(15), by: &connections)
      #expect(connections.targets.count == 15)
      findAll(others.dropFirst(15), by: &connections)
      #expect(identities(connections) == (own <= 2 ? others.sorted().map(UInt64.init) : [1, 2]), "\(own)")
    }
  }

  @Test func theMasterIsConnectedToAsWell() {
    var connections = Connections(to: [], local: Identity(30), at: start)
    findAll((1...29).reversed(), by: &connections)
    connections.follow(master: Identity(17), isInSession: { _ in false }, at: start)
    #expect(identities(connections) == [1, 2, 17])
    // It is the master itself: everybody's session is its own.
    connections.follow(master: Identity(30), isInSession: { _ in false }, at: start)
    #expect(connections.targets.count == 29)
  }

  @Test func whenALowestLeavesTheNextTakesItsPlace() {
    var connections = Connections(to: [], local: Identity(30), at: start)
    findAll(1...29, by: &connections)
    connections.withdrawn(Identity(1), as: "Ben 1", isInSession: { $0 == Identity(3) }, now: start)
    #expect(identities(connections) == [2, 3])
    #expect(connections.targets.first { $0.identity == Identity(3) }?.isEstablished == true)
  }

  @Test func anAnnouncementTwiceIsOnePeer() {
    var connections = Connections(to: [], local: Identity(30), at: start)
    findAll([1, 2, 2, 1], by: &connections)
    #expect(connections.targets.count == 2)
  }

  /// The session of another address.
  private func other() throws -> SessionID {
    let address = SocketAddress(host: 0x0A00_0003, port: 5004)
    return try endpoint.connect(to: address, data: address, at: start)
  }
}
