import MusicalTime
import Testing
import _TestSupport

@testable import Ensemble

/// The ticks at which the total activity changes. The layers that play change with it.
@Suite struct LayerChangeTests {
  /// The steps of a player at which the total changes: the tick of each step, and the new total.
  private func changes(_ player: VirtualBand.Player) -> [(tick: Int64, total: UInt8)] {
    zip(player.steps, player.steps.dropFirst()).filter { $0.total != $1.total }.map {
      (Tick(of: $1.step).index, $1.total)
    }
  }

  /// The activity of a player jumps between 1 and 127 every 100 to 250 ms. The total of the steps crosses each threshold between
  /// these values at most once within the length of a bar (96 ticks, two seconds).
  @Test(arguments: [UInt64(1), 2, 3]) func jitteringTotalChangesALayerAtMostOncePerBar(seed: UInt64) throws {
    var band = try VirtualBand.playing(3, seed: seed)
    for n in 0..<150 {
      band.setActivity(n % 2 == 0 ? 127 : 1, of: 1)
      band.run(for: .milliseconds(100 + Int64(n * 37 % 150)))
    }
    for player in band.players {
      let changes = changes(player)
      #expect(changes.count > 5)
      for threshold in UInt8(2)...126 {
        let crossings = zip(changes, changes.dropFirst()).filter { ($0.total < threshold) != ($1.total < threshold) }
          .map(\.1.tick)
        #expect(
          zip(crossings, crossings.dropFirst()).allSatisfy { $1 - $0 >= 96 }, "threshold \(threshold): \(crossings)")
      }
    }
  }

  /// The layers of the master's patch change on bars of 7/8 (84 ticks) or 3/8 (36 ticks). All changes are at the beginning of such
  /// a bar, also on followers whose patches have other bars.
  @Test(arguments: [7, 3]) func layersChangeOnBarsOfTheMaster(beats: Int) throws {
    let meter = try #require(Meter(beats: beats, unit: 8))
    let ticksPerBar = meter.ticksPerBar
    var band = VirtualBand(players: 3, seed: 4)
    let choice = RhythmChoice(meter: meter, layerChange: .bar)
    band.command(1) { $0.play(choice, document: nil, at: $1) }
    band.run(for: .seconds(2))
    try band.command(1) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(3))
    let before = band.players.map(\.steps.count)
    for level in [UInt8(90), 120, 10, 127] {
      band.setActivity(level, of: 2)
      band.run(for: .seconds(5))
      #expect((0..<3).allSatisfy { band.lastTotal(of: $0) == level })
    }
    for (player, count) in zip(band.players, before) {
      player.steps.removeFirst(count)
      let changes = changes(player)
      #expect(changes.count >= 4 && changes.allSatisfy { $0.tick % ticksPerBar == 0 }, "\(changes)")
    }
  }
}
