import Ensemble
import MusicalTime
import PeerProtocol
import Testing

/// The weights of the connections between peers. While no rhythm plays, each weight is 75. While a rhythm plays, the weight is 100 from
/// the master to a follower, 75 from a follower to the master, and 50 between followers.
///
/// Each kind of message that flows adds 25. Notes and modification always flow. While a rhythm plays, the rhythm flows from the master,
/// and activity flows to and from the master. While no rhythm plays, any peer may start a rhythm, so the rhythm counts in both directions.
@Suite struct WeightTests {
  /// Returns the inward and the outward weight of the connection between player `a` and player `b`, as player `a` sees them.
  private func weights(_ band: VirtualBand, _ a: Int, of b: Int) -> [Int?] {
    let weights = band.players[a].ensemble.weights(of: band.identity(b))
    return [weights.inward, weights.outward]
  }

  @Test func weightsDependOnTheRoles() throws {
    var band = VirtualBand(players: 3, seed: 2, joined: false)
    // The outward weight is unknown until the other peer has reported its gates.
    #expect(weights(band, 0, of: 1) == [75, nil])
    band.joinAll()
    band.run(for: .seconds(2))
    for (a, b) in [(0, 1), (1, 2), (2, 0)] { #expect(weights(band, a, of: b) == [75, 75]) }
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(1))
    #expect(weights(band, 0, of: 1) == [75, 100])
    #expect(weights(band, 1, of: 0) == [100, 75])
    #expect(weights(band, 1, of: 2) == [50, 50])
    try band.command(0) { try $0.stop(now: $1) }
    band.run(for: .seconds(1))
    for (a, b) in [(0, 1), (1, 2), (2, 0)] { #expect(weights(band, a, of: b) == [75, 75]) }
  }

  @Test func closedGateReducesTheWeightBy25() throws {
    var band = VirtualBand(players: 2, seed: 3, joined: false)
    band.joinAll()
    band.run(for: .seconds(2))
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(1))
    var expected = 100
    for gate in [Gate.notes, .modification, .activity] {
      band.players[1].ensemble.gates.standard[gate] = false
      expected -= 25
      #expect(weights(band, 1, of: 0) == [expected, 75])
      // Player 1 reports its gates in its next presence, which is sent within 50 ms and arrives within 3 ms.
      band.run(for: .milliseconds(60))
      #expect(weights(band, 0, of: 1) == [75, expected])
    }
  }
}
