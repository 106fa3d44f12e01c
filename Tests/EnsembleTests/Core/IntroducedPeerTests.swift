import MusicalTime
import PeerProtocol
import RTPMIDI
import Testing
import _TestSupport

@testable import Ensemble

/// Tests of the limits of invitations to introduced peers: a hostile member introduces addresses that do not answer.
@Suite struct IntroducedPeerTests {
  private let start = Instant(nanoseconds: 1_000_000_000)

  /// The instants of all invitations in `length`, and the addresses to which they went, while `count` introducers introduce a new address
  /// each every 100 ms.
  private func invitations(
    introducers count: Int, during length: Nanoseconds
  ) -> (instants: [Instant], addresses: [SocketAddress]) {
    let endpoint = Endpoint(name: "here", random: SplitMix(seed: 1))
    var list = InvitationList(to: [], local: Identity(1), at: start)
    var (instants, addresses): ([Instant], [SocketAddress]) = ([], [])
    var (now, number) = (start, UInt64(10))
    while now <= start + length {
      for introducer in 0..<count {
        number += 1
        let place = InvitationList.Place(SocketAddress(host: 0x0A00_0000 + UInt32(number), port: 5004))
        list.introduced(Identity(number), at: place, by: Identity(UInt64(2 + introducer)), now: now)
      }
      endpoint.advance(to: now)
      _ = list.advance(endpoint, at: now, where: { _ in false }, isInSession: { _ in false })
      for output in endpoint.drain() {
        // The first octets of an invitation are FF FF 49 4E ("IN").
        guard case .send(let octets, let address, _, _) = output, octets[2] == 0x49, octets[3] == 0x4E else { continue }
        instants.append(now)
        addresses.append(address)
      }
      now = now + .milliseconds(100)
    }
    return (instants, addresses)
  }

  @Test func oneIntroducerCausesFewInvitations() {
    let (instants, addresses) = invitations(introducers: 1, during: .seconds(119))
    // Fifteen addresses per minute, three invitations each.
    #expect(instants.count == 90)
    #expect(Dictionary(grouping: addresses) { $0 }.values.allSatisfy { $0.count == 3 })
  }

  @Test func allIntroducersTogetherCauseEightInvitationsPerSecond() {
    let (instants, _) = invitations(introducers: 15, during: .seconds(60))
    #expect(instants.count > 300)
    for (first, ninth) in zip(instants, instants.dropFirst(8)) { #expect(ninth - first >= .milliseconds(900)) }
  }

  @Test func knownPlacesHavePrecedence() {
    let endpoint = Endpoint(name: "here", random: SplitMix(seed: 1))
    let place = InvitationList.Place(SocketAddress(host: 0x0A00_0002, port: 5004))
    var list = InvitationList(to: [place], local: Identity(1), at: start)
    list.introduced(Identity(7), at: place, by: Identity(2), now: start)
    list.introduced(
      Identity(1), at: InvitationList.Place(SocketAddress(host: 0x0A00_0003, port: 5004)), by: Identity(2), now: start)
    #expect(list.targets.count == 1)
    _ = list.advance(endpoint, at: start, where: { _ in false }, isInSession: { _ in false })
    // A peer with a lower identity is expected to invite the local peer.
    list.introduced(
      Identity(0), at: InvitationList.Place(SocketAddress(host: 0x0A00_0004, port: 5004)), by: Identity(2), now: start)
    #expect(list.targets.last?.nextTry == start + InvitationList.courtesy)
    // The target ends when its peer is recognised at another address.
    list.recognised(
      SessionID(number: 99), as: Identity(0), at: SocketAddress(host: 0x0A00_0009, port: 5004), now: start)
    #expect(list.targets.count == 1)
  }
}
