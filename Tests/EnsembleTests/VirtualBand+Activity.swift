import Ensemble
import MusicalTime
import PeerProtocol
import Playback

/// Functions for tests in which activity and totals are delivered.
extension VirtualBand {
  /// Creates `count` players that are in session. Player 0 has just started a rhythm.
  ///
  /// - Parameters:
  ///   - activity: the initial activity of the first players; the others have 0.
  ///   - rule: how every player combines the activity of all players into the total activity.
  static func playing(
    _ count: Int, seed: UInt64, loss: Double = 0, activity: [UInt8?] = [], rule: TotalActivityRule = .sum
  ) throws -> VirtualBand {
    var band = VirtualBand(players: count, seed: seed, loss: loss, activity: activity, joined: false)
    for n in band.players.indices { band.players[n].ensemble.chooseRule(rule, at: band.localTime(of: n)) }
    band.joinAll()
    band.run(for: .seconds(2))
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    return band
  }

  mutating func setActivity(_ level: UInt8, of n: Int) { command(n) { $0.setActivity(level, at: $1) } }

  /// The total activity of the last step that player `n` sounded.
  func lastTotal(of n: Int) -> UInt8? { players[n].steps.last?.total }
}
