import MusicalTime
import PeerProtocol
import Playback
import Testing
import _TestSupport

@testable import Ensemble

/// The mix (the balance of the parts, and whether all players are quiet), and the muting of single players by the master.
@Suite struct MixTests {
  /// The mix at each of `count` ticks from `first` on, by the schedule of a player.
  private func mixes(_ band: VirtualBand, of player: Int, from first: Tick, count: Int64) -> [Mix] {
    (0..<count).map { band.players[player].ensemble.schedule.mix[first + $0] }
  }

  /// The present tick of player 0, the master.
  private func tick(_ band: VirtualBand) -> Tick {
    band.players[0].ensemble.schedule.tick(at: band.localTime(of: 0))
  }

  @Test(arguments: UInt64(1)...20) func changeAppliesOnTheSameBarAtAllPeers(seed: UInt64) throws {
    var band = try VirtualBand.playing(3, seed: seed)
    band.loss = 0.05
    band.run(for: .milliseconds(3000 + Int64(seed) * 97))
    let before = tick(band)
    var mix = Mix()
    mix.setLevel(40, ofPart: 1)
    mix.setPlays(false, part: 3)
    try band.command(0) { try $0.change(mix: mix, at: $1) }
    // 60 ms are less than the lead time. All peers must know the change before it applies.
    band.run(for: .milliseconds(60))
    let all = mixes(band, of: 0, from: before, count: 400)
    let change = try #require(all.firstIndex(of: mix))
    // The change applies at the first bar (96 ticks) that begins after the lead time, which is about five ticks.
    #expect((before + Int64(change)).index % 96 == 0 && change <= 96 + 10, "seed \(seed)")
    #expect(all[..<change].allSatisfy { $0 == Mix() } && all[change...].allSatisfy { $0 == mix })
    for player in 1...2 { #expect(mixes(band, of: player, from: before, count: 400) == all, "seed \(seed)") }
    // The change stays after it has applied.
    band.run(for: .seconds(5))
    for player in 0...2 {
      #expect(mixes(band, of: player, from: tick(band), count: 10) == .init(repeating: mix, count: 10))
    }
    for player in 0...2 { #expect(band.faults(player) == []) }
  }

  @Test func requestsDuringAPendingChangeAreAllApplied() throws {
    var band = try VirtualBand.playing(2, seed: 3)
    band.run(for: .seconds(3))
    for level in 1...40 {
      try band.command(0) { ensemble, now throws(CommandError) in
        var mix = ensemble.latestMix
        mix.setLevel(level, ofPart: 0)
        mix.setLevel(100 - level, ofPart: 2)
        try ensemble.change(mix: mix, at: now)
      }
      band.run(for: .milliseconds(70))
    }
    band.run(for: .seconds(4))
    let (master, follower) = (band.players[0].ensemble.schedule, band.players[1].ensemble.schedule)
    #expect(master.mix[tick(band)].level(ofPart: 0) == 40 && master.mix[tick(band)].level(ofPart: 2) == 60)
    #expect(follower.mix[tick(band)] == master.mix[tick(band)])
  }

  @Test func quietDoesNotWaitForABar() throws {
    var band = try VirtualBand.playing(3, seed: 5)
    band.run(for: .milliseconds(4200))
    let before = tick(band)
    // The band is in the first half of a bar, so the next bar is more than a second away.
    #expect(before.index % 96 < 48)
    try band.command(0) { ensemble, now throws(CommandError) in
      var mix = ensemble.latestMix
      mix.isQuiet = true
      try ensemble.change(mix: mix, isImmediate: true, at: now)
    }
    band.run(for: .milliseconds(200))
    // Twelve ticks are 250 ms at 120 BPM.
    for player in 0...2 {
      let ensemble = band.players[player].ensemble
      #expect(ensemble.isMuted && ensemble.schedule.mix[before + 12].isQuiet)
    }
    try band.command(0) { ensemble, now throws(CommandError) in
      var mix = ensemble.latestMix
      mix.isQuiet = false
      try ensemble.change(mix: mix, at: now)
    }
    band.run(for: .milliseconds(200))
    // The notes of the players sound again at once. The rhythm sounds again at the next bar.
    for player in 0...2 {
      let ensemble = band.players[player].ensemble
      #expect(!ensemble.isMuted)
      #expect(ensemble.schedule.mix.tick.index % 96 == 0)
    }
  }

  /// The master can also end the muting itself.
  @Test func mutedPlayerIsMutedUntilTheMasterChanges() throws {
    var band = try VirtualBand.playing(3, seed: 6)
    band.run(for: .seconds(3))
    let muted = band.identity(2)
    try band.command(0) { try $0.mute(true, muted, at: $1) }
    band.run(for: .milliseconds(200))
    #expect(band.players.map(\.ensemble.isMuted) == [false, false, true])
    try band.command(0) { try $0.mute(false, muted, at: $1) }
    band.run(for: .milliseconds(200))
    #expect(band.players.map(\.ensemble.isMuted) == [false, false, false])
    try band.command(0) { try $0.mute(true, muted, at: $1) }
    band.run(for: .milliseconds(200))
    #expect(band.players[2].ensemble.isMuted)
    band.crash(0)
    band.run(for: .seconds(4))
    #expect(band.role(1) == .master || band.role(2) == .master)
    #expect(!band.players[2].ensemble.isMuted)
  }

  @Test func successorKeepsTheMix() throws {
    var band = try VirtualBand.playing(3, seed: 7)
    band.run(for: .seconds(3))
    var mix = Mix()
    mix.setLevel(10, ofPart: 0)
    try band.command(0) { try $0.change(mix: mix, at: $1) }
    band.run(for: .seconds(3))
    band.crash(0)
    band.run(for: .seconds(4))
    let successor = try #require(band.masters.first)
    #expect(successor != 0 && band.players[successor].ensemble.schedule.mix.value == mix)
    #expect(band.players[successor].ensemble.latestMix == mix)
  }

  @Test func onlyTheMasterControlsMixAndMuting() throws {
    var band = try VirtualBand.playing(2, seed: 8)
    band.run(for: .seconds(3))
    let master = band.identity(0)
    #expect(throws: CommandError.self) { try band.command(1) { try $0.change(mix: Mix(), at: $1) } }
    #expect(throws: CommandError.self) { try band.command(1) { try $0.mute(true, master, at: $1) } }
    let absent = Identity(12345)
    #expect(throws: CommandError.isAbsent(absent)) { try band.command(0) { try $0.mute(true, absent, at: $1) } }
  }

  /// The next rhythm keeps the levels of the parts, but not the quiet.
  @Test func nextRhythmIsNotQuiet() throws {
    var band = try VirtualBand.playing(2, seed: 9)
    band.run(for: .seconds(3))
    var mix = Mix()
    mix.setLevel(30, ofPart: 2)
    mix.isQuiet = true
    try band.command(0) { try $0.change(mix: mix, isImmediate: true, at: $1) }
    try band.command(0) { try $0.stop(now: $1) }
    band.run(for: .seconds(2))
    #expect(!band.players[0].ensemble.isMuted && !band.players[1].ensemble.isMuted)
    try band.command(1) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(1))
    mix.isQuiet = false
    for player in 0...1 { #expect(band.players[player].ensemble.schedule.mix.value == mix) }
  }
}
