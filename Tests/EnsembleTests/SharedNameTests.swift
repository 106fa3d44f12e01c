import Ensemble
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
}
