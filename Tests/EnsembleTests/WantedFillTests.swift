import MusicalTime
import PeerProtocol
import Playback
import Testing
import _TestSupport

@testable import Ensemble

/// The fill that the player of the master wants: it plays in the same bar at all peers.
@Suite struct WantedFillTests {
  private func tick(_ band: VirtualBand) -> Tick {
    band.players[0].ensemble.schedule.tick(at: band.localTime(of: 0))
  }

  @Test(arguments: UInt64(1)...20) func fillPlaysInTheSameBarAtAllPeers(seed: UInt64) throws {
    var band = try VirtualBand.playing(3, seed: seed)
    band.loss = 0.05
    band.run(for: .milliseconds(3000 + Int64(seed) * 97))
    let before = tick(band)
    try band.command(0) { try $0.playFill(at: $1) }
    // 60 ms are less than the lead time. All peers must know the fill before it begins.
    band.run(for: .milliseconds(60))
    let schedule = band.players[0].ensemble.schedule
    let fill = schedule.fill
    #expect(fill.index % 96 == 0 && fill > before && fill - before <= 96 + 10, "seed \(seed)")
    for player in 0...2 {
      let schedule = band.players[player].ensemble.schedule
      let wanted = (0..<400).map { schedule.wantsFill(at: before + $0) }
      #expect(wanted == (0..<400).map { (fill..<fill + 96).contains(before + $0) }, "seed \(seed)")
    }
    for player in 0...2 { #expect(band.faults(player) == []) }
  }

  /// A second request before the fill changes nothing. A request during the fill plays another one after its end.
  @Test func requestDuringTheFillPlaysAnotherOne() throws {
    var band = try VirtualBand.playing(2, seed: 4)
    band.run(for: .seconds(3))
    try band.command(0) { try $0.playFill(at: $1) }
    let first = band.players[0].ensemble.schedule.fill
    try band.command(0) { try $0.playFill(at: $1) }
    #expect(band.players[0].ensemble.schedule.fill == first)
    while tick(band) < first + 10 { band.run(for: .milliseconds(20)) }
    try band.command(0) { try $0.playFill(at: $1) }
    // The fill that plays does not end early.
    #expect(band.players[0].ensemble.schedule.fill == first)
    band.run(for: .seconds(4))
    for player in 0...1 {
      let second = band.players[player].ensemble.schedule.fill
      #expect(second > first + 95 && second <= first + 2 * 96 && second.index % 96 == 0)
    }
    // Without a further request, no further fill follows.
    band.run(for: .seconds(8))
    #expect(band.players[0].ensemble.schedule.fill <= first + 2 * 96)
  }

  @Test func onlyTheMasterPlaysAFill() throws {
    var band = try VirtualBand.playing(2, seed: 6)
    band.run(for: .seconds(2))
    #expect(throws: CommandError.belongsTo(band.players[0].ensemble.identity)) {
      try band.command(1) { try $0.playFill(at: $1) }
    }
  }

  /// A peer that takes over in front of the fill keeps it.
  @Test func fillOutlivesItsMaster() throws {
    var band = try VirtualBand.playing(3, seed: 8)
    band.run(for: .seconds(3))
    try band.command(0) { try $0.playFill(at: $1) }
    band.run(for: .milliseconds(60))
    let fill = band.players[1].ensemble.schedule.fill
    try band.command(0) { try $0.offer(to: nil, at: $1) }
    band.run(for: .milliseconds(60))
    try band.command(1) { try $0.take(at: $1) }
    band.run(for: .milliseconds(200))
    #expect(fill != Tick(.max))
    for player in 0...2 { #expect(band.players[player].ensemble.schedule.fill == fill) }
  }
}
