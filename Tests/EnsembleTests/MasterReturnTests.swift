import Ensemble
import MusicalTime
import Testing

/// The return of a master to a follower that stops when the master disappears.
@Suite struct MasterReturnTests {
  /// Creates two players and lets them play for three seconds. Player 0 is the master.
  private func makePlayingBand(seed: UInt64) throws -> VirtualBand {
    var band = VirtualBand(players: 2, seed: seed)
    band.players[1].ensemble.masterLoss = .stop
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(3))
    return band
  }

  @Test func followerPlaysTheNewRhythmOfARestartedMaster() throws {
    var band = try makePlayingBand(seed: 13)
    // The master restarts before the follower has noticed the loss of the master.
    try band.restart(0)
    band.run(for: .milliseconds(500))
    let tempo = try Tempo(bpm: 90)
    try band.command(0) { try $0.start(tempo: tempo, at: $1) }
    band.run(for: .seconds(2))
    #expect(band.players[1].ensemble.role == .follower(of: band.identity(0)))
    #expect(band.players[1].runs.count == 2 && band.players[1].runs[1].first?.step == Step(0))
    let masterStep = try #require(band.players[0].runs.last?.first)
    #expect((band.players[1].runs[1][0].at - masterStep.at).magnitude < .milliseconds(2))
  }

  @Test func followerStopsIfTheRestartedMasterDoesNotPlay() throws {
    var band = try makePlayingBand(seed: 15)
    try band.restart(0)
    band.run(for: .seconds(3))
    #expect(band.players[1].ensemble.role == .idle)
  }

  @Test func stoppedFollowerRejoinsItsMasterAfterAPartition() throws {
    var band = try makePlayingBand(seed: 17)
    band.connected = { _, _ in false }
    band.run(for: .seconds(4))
    #expect(band.players[1].ensemble.role == .idle)
    band.connected = { _, _ in true }
    band.join(0, 1)
    band.run(for: .seconds(2))
    #expect(band.players[1].ensemble.role == .follower(of: band.identity(0)))
    let followerStep = try #require(band.players[1].runs.last?.first)
    let masterStep = try #require(band.players[0].runs[0].first { $0.step == followerStep.step })
    #expect((masterStep.at - followerStep.at).magnitude < .milliseconds(2))
  }
}
