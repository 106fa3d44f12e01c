import Ensemble
import MusicalTime
import PeerProtocol
import Testing

/// Tests of peers with the same name.
@Suite struct SharedNameTests {
  /// Players 0 and 1 have the same name. Each other peer sees them with the first digits of their identities, and so do they. When one
  /// leaves, the other has its plain name again.
  @Test func peersWithOneNameAreDistinguished() {
    var band = VirtualBand(players: 3, seed: 1, joined: false)
    band.run(for: .seconds(1))
    band.joinAll(named: ["Kim", "Kim", "Lou"])
    band.run(for: .seconds(1))
    func names(at n: Int) -> [String?] {
      band.players[n].ensemble.memberStatuses(limit: 9, at: band.localTime(of: n)).map(\.name)
    }
    let kims = [0, 1].map { "Kim \(band.identity($0).description.prefix(4))" }
    #expect(Set(names(at: 2)) == Set(kims))
    #expect(names(at: 0).contains("Lou"))
    band.leave(1)
    band.run(for: .seconds(1))
    #expect(names(at: 2) == ["Kim"])
  }

  /// A peer whose name another peer has too shows its own longer name, which the others show, in each list. The longer name means the peer.
  @Test func localPeerHasTheNameThatTheOthersShow() throws {
    var ensemble = EnsembleState(identity: Identity(0x1234 << 48), name: "Kim")
    let (now, other) = (Instant(nanoseconds: 0), Identity(0x5678 << 48))
    ensemble.joined(other, named: "Kim", at: now)
    #expect(ensemble.displayedName == "Kim 1234" && ensemble.playerStatuses().first?.player.name == "Kim 1234")
    #expect(ensemble.peer(distinctlyNamed: "Kim 1234") == ensemble.identity)
    #expect(ensemble.peer(distinctlyNamed: "Kim 5678") == other && ensemble.peer(distinctlyNamed: "Kim") == nil)
    // The exception for "Kim" is for the first member with this name, by whatever name it is shown.
    try ensemble.gates.apply("Kim:notes=closed")
    #expect(ensemble.opening(for: other)[.notes] == false)
    ensemble.left(other, at: now)
    #expect(ensemble.displayedName == "Kim" && ensemble.playerStatuses().first?.player.name == "Kim")
    #expect(ensemble.peer(distinctlyNamed: "Kim 1234") == nil)
  }
}
