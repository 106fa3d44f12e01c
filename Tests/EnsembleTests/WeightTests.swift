import Ensemble
import MusicalTime
import PeerProtocol
import Testing

/// The table of the interconnected network: idle 75, master to follower 100, follower to master 75, between followers 50.
@Suite struct WeightTests {
  private func weights(_ company: VirtualBand, _ a: Int, of b: Int) -> [Int?] {
    let weights = company.players[a].ensemble.weights(of: company.identity(b))
    return [weights.inward, weights.outward]
  }

  @Test func theyAreAsTheTableHasThem() throws {
    var company = VirtualBand(players: 3, seed: 2, joined: false)
    #expect(weights(company, 0, of: 1) == [75, nil])
    company.meet()
    company.run(for: .seconds(2))
    for (a, b) in [(0, 1), (1, 2), (2, 0)] { #expect(weights(company, a, of: b) == [75, 75]) }
    try company.command(0) { try $0.start(tempo: .standard, at: $1) }
    company.run(for: .seconds(1))
    #expect(weights(company, 0, of: 1) == [75, 100])
    #expect(weights(company, 1, of: 0) == [100, 75])
    #expect(weights(company, 1, of: 2) == [50, 50])
    try company.command(0) { try $0.stop(now: $1) }
    company.run(for: .seconds(1))
    for (a, b) in [(0, 1), (1, 2), (2, 0)] { #expect(weights(company, a, of: b) == [75, 75]) }
  }

  @Test func aClosedGateTakesItsShareAway() throws {
    var company = VirtualBand(players: 2, seed: 3, joined: false)
    company.meet()
    company.run(for: .seconds(2))
    try company.command(0) { try $0.start(tempo: .standard, at: $1) }
    company.run(for: .seconds(1))
    var expected = 100
    for gate in [Gate.notes, .modification, .activity] {
      company.players[1].ensemble.gates.standard[gate] = false
      expected -= 25
      #expect(weights(company, 1, of: 0) == [expected, 75])
      company.run(for: .milliseconds(60))
      #expect(weights(company, 0, of: 1) == [75, expected])
    }
  }
}
