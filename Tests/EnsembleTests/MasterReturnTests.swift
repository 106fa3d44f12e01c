import Ensemble
import MusicalTime
import Testing

/// A master that comes back to those who let the rhythm end without it.
@Suite struct MasterReturnTests {
  /// The first of two has played for three seconds, the other with it.
  private func playing(seed: UInt64) throws -> VirtualBand {
    var band = VirtualBand(players: 2, seed: seed)
    band.players[1].ensemble.masterLoss = .stop
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(3))
    return band
  }

  @Test func aMasterStartedAnewIsFollowedInItsNewRhythm() throws {
    var band = try playing(seed: 13)
    // Killed, and back before its follower has given it up.
    try band.restart(0)
    band.run(for: .milliseconds(500))
    let tempo = try Tempo(bpm: 90)
    try band.command(0) { try $0.start(tempo: tempo, at: $1) }
    band.run(for: .seconds(2))
    #expect(band.players[1].ensemble.role == .follower(of: band.identity(0)))
    #expect(band.players[1].runs.count == 2 && band.players[1].runs[1].first?.step == Step(0))
    let same = try #require(band.players[0].runs.last?.first)
    #expect((band.players[1].runs[1][0].at - same.at).magnitude < .milliseconds(2))
  }

  @Test func aMasterBackWithoutItsRhythmIsNotWaitedFor() throws {
    var band = try playing(seed: 15)
    try band.restart(0)
    band.run(for: .seconds(3))
    #expect(band.players[1].ensemble.role == .idle)
  }

  @Test func whoGaveALivingMasterUpComesBackToIt() throws {
    var band = try playing(seed: 17)
    band.connected = { _, _ in false }
    band.run(for: .seconds(4))
    #expect(band.players[1].ensemble.role == .idle)
    band.connected = { _, _ in true }
    band.join(0, 1)
    band.run(for: .seconds(2))
    #expect(band.players[1].ensemble.role == .follower(of: band.identity(0)))
    let heard = try #require(band.players[1].runs.last?.first)
    let same = try #require(band.players[0].runs[0].first { $0.step == heard.step })
    #expect((same.at - heard.at).magnitude < .milliseconds(2))
  }
}
