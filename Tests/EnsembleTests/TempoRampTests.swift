import MusicalTime
import Playback
import Testing
import _TestSupport

@testable import Ensemble

/// Gradual changes of the tempo.
@Suite struct TempoRampTests {
  /// Lets the band run for `duration`. Returns the tempo of each quarter note in this time, in BPM, rounded to hundredths. The tempo
  /// follows from the deadlines at which the quarter note begins and ends in the schedule of a player. The keys are the first
  /// ticks of the quarter notes.
  private func tempos(_ band: inout VirtualBand, player: Int, for duration: Nanoseconds) -> [Tick: Double] {
    var tempos: [Tick: Double] = [:]
    for _ in 0..<duration.count / 20_000_000 {
      band.run(for: .milliseconds(20))
      let ensemble = band.players[player].ensemble
      let beat = ensemble.schedule.tick(at: band.players[player].localTime(at: band.now)).roundedDown(
        to: Tick.perQuarter)
      let length = (ensemble.schedule.deadline(beat + Tick.perQuarter) - ensemble.schedule.deadline(beat)).count
      tempos[beat] = (60e9 / Double(length) * 100).rounded() / 100
    }
    return tempos
  }

  /// From 120 to 160 BPM over eight beats: 5 BPM per beat, on the master and on a follower.
  @Test(arguments: [0, 1]) func tempoChangesByEqualSteps(player: Int) throws {
    var band = try VirtualBand.playing(2, seed: 5)
    band.run(for: .seconds(3))
    try band.command(0) { try $0.change(tempo: try! Tempo(bpm: 160), over: 8, at: $1) }
    let tempos = tempos(&band, player: player, for: .seconds(6)).sorted { $0.key < $1.key }.map(\.value)
    // The ramp begins after the quarter notes at 120 BPM.
    let ramp = tempos.drop { $0 < 121 }
    #expect(ramp.prefix(9).map { $0.rounded() } == [125, 130, 135, 140, 145, 150, 155, 160, 160], "\(tempos)")
  }

  /// After 3 s, a ramp over 100 beats has not ended yet.
  @Test func laterChangeEndsTheRamp() throws {
    var band = try VirtualBand.playing(2, seed: 6)
    band.run(for: .seconds(3))
    try band.command(0) { try $0.change(tempo: try! Tempo(bpm: 60), over: 100, at: $1) }
    band.run(for: .seconds(3))
    try band.command(0) { try $0.change(tempo: try! Tempo(bpm: 100), at: $1) }
    band.run(for: .seconds(5))
    let schedule = band.players[1].ensemble.schedule
    #expect(abs(schedule.tempo(at: band.players[1].localTime(at: band.now)).bpm - 100) < 0.01)
  }

  /// Eight parts of the ramp are announced at once. The network is then interrupted for three beats, and the follower stays in step.
  @Test func partsAreAnnouncedEightBeatsAhead() throws {
    var band = try VirtualBand.playing(2, seed: 9)
    band.run(for: .seconds(3))
    try band.command(0) { try $0.change(tempo: try! Tempo(bpm: 60), over: 16, at: $1) }
    band.run(for: .milliseconds(300))
    #expect(band.players.allSatisfy { $0.ensemble.schedule.tempo.changes.count >= 7 })
    band.connected = { _, _ in false }
    band.run(for: .milliseconds(1400))
    let end = try #require(band.players[1].ensemble.schedule.tempo.changes.last?.tick.index)
    let distances = (100...end / 2).map { n -> Int64 in
      let due = (0...1).map {
        band.players[$0].trueTime(of: band.players[$0].ensemble.schedule.deadline(Tick(Int64(n * 2))))
      }
      return (due[0] - due[1]).magnitude.count
    }
    // The clocks of the band differ by nothing but their offsets, and the estimate of the offset has an error of less than a millisecond.
    #expect(end > 300 && distances.allSatisfy { $0 < 1_000_000 })
  }

  /// A change replaces the parts of a ramp that are announced for later ticks: it does not wait for them.
  @Test func laterChangeWithdrawsTheAnnouncedParts() throws {
    var band = try VirtualBand.playing(2, seed: 6)
    band.run(for: .seconds(3))
    try band.command(0) { try $0.change(tempo: try! Tempo(bpm: 60), over: 100, at: $1) }
    band.run(for: .seconds(3))
    let target = try Tempo(bpm: 100)
    try band.command(0) { try $0.change(tempo: target, at: $1) }
    #expect(band.players[0].ensemble.tempo(at: band.localTime(of: 0)) == target)
    band.run(for: .milliseconds(150))
    for n in 0...1 {
      #expect(band.players[n].ensemble.schedule.tempo(at: band.localTime(of: n)) == target, "player \(n)")
    }
  }

  @Test func followerCannotChangeTheTempo() throws {
    var band = try VirtualBand.playing(2, seed: 7)
    band.run(for: .seconds(3))
    #expect(throws: CommandError.self) {
      try band.command(1) { try $0.change(tempo: try! Tempo(bpm: 60), over: 4, at: $1) }
    }
  }

  /// The ramp changes the length of a quarter note from 500 000 000 ns (120 BPM) by 2 ns in 64 parts. Each part is less than a
  /// nanosecond. The tempo still reaches its target within the 32 s of the 64 beats.
  @Test func tinyChangeReachesItsTarget() throws {
    var band = try VirtualBand.playing(2, seed: 8)
    band.run(for: .seconds(3))
    let target = Tempo(nanosecondsPerQuarter: 499_999_998)!
    try band.command(0) { try $0.change(tempo: target, over: 64, at: $1) }
    band.run(for: .seconds(40))
    #expect(band.players[0].ensemble.schedule.tempo(at: band.players[0].localTime(at: band.now)) == target)
  }
}
