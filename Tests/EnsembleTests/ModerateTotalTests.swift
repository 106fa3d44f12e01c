import Ensemble
import MusicalTime
import PeerProtocol
import Testing

/// The total activity of players of whom none has set an activity.
@Suite struct ModerateTotalTests {
  /// The activities that the players report, in the order of their identities.
  private func levels(_ band: VirtualBand) -> [UInt8] {
    band.players.map(\.ensemble).sorted { $0.identity < $1.identity }.map(\.activity)
  }

  /// The peers of 56 are 28 + 28, 18 + 19 + 19, and so on. The total is 56 from the first step, whatever the rule is.
  @Test(arguments: [1, 2, 3, 5, 8], TotalActivityRule.allCases)
  func untouchedPlayersBeginModerately(count: Int, rule: TotalActivityRule) throws {
    var band = try VirtualBand.playing(count, seed: 3, activity: Array(repeating: nil, count: count), rule: rule)
    band.run(for: .seconds(3))
    #expect(levels(band) == (0..<count).map { UInt8(56 * ($0 + 1) / count - 56 * $0 / count) })
    for player in band.players {
      #expect(player.steps.count > 16 && player.steps.allSatisfy { $0.total == 56 })
    }
  }

  /// As soon as one player has set an activity, the others report 0, and the total is what was set. When this player leaves, the total is
  /// moderate again.
  @Test func settingOfAPlayerReplacesTheModerateTotal() throws {
    var band = try VirtualBand.playing(3, seed: 4, activity: [nil, nil, nil])
    band.run(for: .seconds(2))
    band.setActivity(20, of: 1)
    band.run(for: .seconds(4))
    #expect(band.players.map(\.ensemble.activity) == [0, 20, 0])
    #expect((0..<3).allSatisfy { band.lastTotal(of: $0) == 20 })
    band.leave(1)
    band.run(for: .seconds(3))
    #expect([0, 2].map { band.lastTotal(of: $0) } == [56, 56])
  }

  /// A player who joins takes a part of the 56. The total stays the same.
  @Test func joiningPlayerDoesNotChangeTheTotal() throws {
    var band = VirtualBand(players: 3, seed: 5, activity: [nil, nil, nil], joined: false)
    band.joinEachOther(0, 1)
    band.run(for: .seconds(2))
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(3))
    band.joinEachOther(0, 2)
    band.joinEachOther(1, 2)
    band.run(for: .seconds(4))
    #expect(levels(band).reduce(0, +) == 56)
    for player in band.players { #expect(!player.steps.isEmpty && player.steps.allSatisfy { $0.total == 56 }) }
  }
}
