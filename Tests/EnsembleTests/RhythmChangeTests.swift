import MusicalTime
import PeerProtocol
import Testing
import _TestSupport

@testable import Ensemble

/// All players change the rhythm at the same bar line. Player 0 is the master. A bar of 4/4 at 120 BPM lasts two seconds.
@Suite struct RhythmChangeTests {
  private let first = DocumentTests.document(2000, seed: 1)
  private let second = DocumentTests.document(3000, seed: 2)
  private let third = DocumentTests.document(100, seed: 3)

  /// A band that plays `first`. All players have it.
  private func playingBand(_ count: Int = 3, seed: UInt64 = 1) throws -> VirtualBand {
    var band = VirtualBand(players: count, seed: seed)
    band.choose(first, by: 0)
    band.play(for: .seconds(2))
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    return band
  }

  /// The rhythm that each player plays at a tick.
  private func rhythms(at tick: Int64, _ band: VirtualBand) -> [DocumentDigest?] {
    band.players.map { $0.ensemble.schedule.rhythm[Tick(tick)].digest }
  }

  /// What the master has told its player about the other players.
  private func reports(_ band: VirtualBand) -> [RhythmOfPeer] {
    band.players[0].events.compactMap { if case .rhythmOfPeer(_, let report) = $0 { report } else { nil } }
  }

  @Test func startIsNotDelayedByAPlayerWithoutTheRhythm() throws {
    var band = VirtualBand(players: 2, seed: 1)
    band.choose(first, by: 0)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    let ensemble = band.players[0].ensemble
    #expect(ensemble.schedule.deadline(Tick(0)) == band.localTime(of: 0) + ensemble.lead)
    // The other player does not receive the rhythm for a second, and is named to the player of the master.
    band.run(for: .seconds(3))
    #expect(reports(band) == [.missing])
    band.play(for: .seconds(1))
    #expect(reports(band) == [.missing, .arrived] && rhythms(at: 0, band) == [first.digest, first.digest])
  }

  @Test func changeFollowsAtTheNextBarIfAllPlayersAreReady() throws {
    var band = try playingBand()
    band.play(for: .milliseconds(2500))
    band.choose(second, by: 0)
    band.play(for: .milliseconds(1000))
    // The bar that begins at tick 96 plays. The next one begins at tick 192.
    for player in band.players {
      #expect(player.ensemble.schedule.rhythm.tick == Tick(192))
      #expect(player.ensemble.schedule.rhythm.next == RhythmLine(second.digest, from: Tick(192)))
      #expect(player.ensemble.document(second.digest) == second)
    }
    band.play(for: .seconds(2))
    #expect(rhythms(at: 200, band) == [second.digest, second.digest, second.digest] && reports(band) == [])
  }

  /// A player does not confirm. The change waits for one bar. The next change does not wait, and names the player.
  @Test func playerThatIsNotReadyDelaysOnlyOneChange() throws {
    var band = try playingBand(2)
    band.play(for: .milliseconds(2500))
    // Without the work of the engine, player 1 receives the text but does not confirm.
    band.choose(second, by: 0)
    band.run(for: .milliseconds(1900))
    #expect(!band.players[0].ensemble.schedule.rhythm.isChanging)
    band.run(for: .milliseconds(300))
    #expect(band.players[0].ensemble.schedule.rhythm.tick == Tick(288))
    band.run(for: .milliseconds(2500))
    #expect(reports(band) == [.missing])
    band.choose(third, by: 0)
    band.run(for: .milliseconds(100))
    #expect(band.players[0].ensemble.schedule.rhythm.next.digest == third.digest, "no wait")
    // The player confirms, so the following change waits for it again.
    band.play(for: .seconds(4))
    #expect(rhythms(at: 500, band) == [third.digest, third.digest])
    band.choose(first, by: 0)
    band.choose(DocumentTests.document(10, seed: 9), by: 0)
    band.run(for: .milliseconds(100))
    #expect(band.players[0].ensemble.schedule.rhythm.next.digest == third.digest)
  }

  /// The change does not wait for players that keep their own rhythm, or that cannot play it. They play their own rhythms.
  @Test func playersThatPlayTheirOwnRhythmAreNotAwaited() throws {
    var band = VirtualBand(players: 3, seed: 4)
    band.players[1].ensemble.followsPatch = false
    band.choose(third, by: 1)
    band.choose(first, by: 0)
    band.play(for: .seconds(2))
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.play(for: .milliseconds(2500))
    #expect(rhythms(at: 10, band) == [first.digest, third.digest, first.digest])
    band.choose(second, by: 0)
    band.run(for: .milliseconds(200))
    band.refuse(second, by: 2)
    band.run(for: .milliseconds(300))
    #expect(band.players[0].ensemble.schedule.rhythm.tick == Tick(192) && reports(band) == [.refused])
    band.play(for: .seconds(2))
    #expect(rhythms(at: 200, band) == [second.digest, third.digest, first.digest])
    #expect(band.players[2].ensemble.playsOwnRhythm && band.players[2].ensemble.choosesPatch)
    // The next rhythm can be played again.
    band.choose(third, by: 0)
    band.play(for: .seconds(4))
    #expect(rhythms(at: 400, band) == [third.digest, third.digest, third.digest])
    #expect(!band.players[2].ensemble.playsOwnRhythm)
  }

  /// The player who keeps its own rhythm chooses another one while it follows. It begins at a bar line.
  @Test func ownRhythmChangesAtABarLine() throws {
    var band = VirtualBand(players: 2, seed: 4)
    band.players[1].ensemble.followsPatch = false
    band.choose(third, by: 1)
    band.choose(first, by: 0)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.play(for: .milliseconds(2500))
    band.choose(second, meter: Meter(beats: 3, unit: 4)!, by: 1)
    let schedule = band.players[1].ensemble.schedule
    #expect(schedule.rhythm.next == RhythmLine(second.digest, from: Tick(192)) && schedule.rhythm.tick == Tick(192))
    #expect(schedule.grid.next == BarGrid(Meter(beats: 3, unit: 4)!, from: Tick(192)))
    #expect(!band.players[0].ensemble.schedule.rhythm.isChanging)
  }

  /// The bars of the new meter count from the change. The next change is at one of these bars.
  @Test func barsCountFromTheChangeOfTheMeter() throws {
    var band = try playingBand()
    let seven = Meter(beats: 7, unit: 8)!
    band.play(for: .milliseconds(2500))
    band.choose(second, meter: seven, by: 0)
    band.play(for: .milliseconds(2900))
    for player in band.players { #expect(player.ensemble.schedule.grid[Tick(200)] == BarGrid(seven, from: Tick(192))) }
    band.choose(first, by: 0)
    band.play(for: .seconds(2))
    // A bar of 7/8 has 84 ticks.
    #expect(band.players[1].ensemble.schedule.rhythm[Tick(500)].origin == Tick(192 + 84))
  }

  /// The player changes its mind before the change has taken effect.
  @Test func pendingChangeIsReplaced() throws {
    var band = try playingBand()
    band.play(for: .milliseconds(2200))
    band.choose(second, by: 0)
    band.play(for: .milliseconds(300))
    #expect(band.players[1].ensemble.schedule.rhythm.next.digest == second.digest)
    band.choose(first, by: 0)
    band.play(for: .milliseconds(300))
    for player in band.players { #expect(!player.ensemble.schedule.rhythm.isChanging) }
    band.play(for: .seconds(3))
    #expect(rhythms(at: 200, band) == [first.digest, first.digest, first.digest])
  }

  /// After a stop, the same rhythm continues with its bars. Another rhythm begins at the bar line before.
  @Test func continuedRhythmKeepsItsBars() throws {
    var band = try playingBand()
    band.play(for: .seconds(1))
    band.choose(second, meter: Meter(beats: 3, unit: 4)!, by: 0)
    band.play(for: .milliseconds(3100))
    try band.command(0) { try $0.stop(now: $1) }
    band.play(for: .seconds(1))
    let origin = band.players[0].ensemble.schedule.rhythm[Tick(10_000)].origin
    #expect(origin == Tick(96))
    // Another player continues the rhythm. The rhythm and its bars are the same as before.
    try band.command(1) { try $0.continue(tempo: .standard, at: $1) }
    band.play(for: .seconds(1))
    for player in band.players {
      #expect(player.ensemble.schedule.rhythm.value == RhythmLine(second.digest, from: origin))
      #expect(player.ensemble.schedule.grid.value == BarGrid(Meter(beats: 3, unit: 4)!, from: origin))
    }
    try band.command(1) { try $0.stop(now: $1) }
    band.play(for: .seconds(1))
    band.choose(first, by: 2)
    try band.command(2) { try $0.continue(tempo: .standard, at: $1) }
    let start = Tick(of: band.players[2].ensemble.schedule.start.step)
    let line = band.players[2].ensemble.schedule.rhythm.value
    #expect(line.digest == first.digest && (line.origin - origin) % 72 == 0 && start - line.origin < 72)
  }

  /// A follower takes over while a change is pending.
  @Test func changeSurvivesTheLossOfTheMaster() throws {
    var band = try playingBand(3, seed: 5)
    band.play(for: .milliseconds(2050))
    band.choose(second, by: 0)
    band.play(for: .milliseconds(500))
    band.leave(0)
    band.play(for: .seconds(4))
    #expect(band.masters.count == 1)
    for n in 1...2 {
      let schedule = band.players[n].ensemble.schedule
      #expect(schedule.rhythm[Tick(300)] == RhythmLine(second.digest, from: Tick(192)), "player \(n)")
    }
  }

  // MARK: The last rhythm, while nobody plays

  /// A band of three plays and stops. The third player does not hear it.
  private func stoppedBand() throws -> VirtualBand {
    var band = VirtualBand(players: 3, seed: 1, joined: false)
    band.connected = { $0 != 2 && $1 != 2 }
    band.joinEachOther(0, 1)
    band.choose(first, by: 0)
    band.choose(second, by: 2)
    band.play(for: .seconds(2))
    let tempo = try Tempo(bpm: 140)
    try band.command(0) { try $0.start(tempo: tempo, at: $1) }
    band.play(for: .seconds(4))
    try band.command(0) { try $0.stop(now: $1) }
    band.play(for: .seconds(3))
    return band
  }

  /// The last run as each player knows it.
  private func lastRuns(_ band: VirtualBand) -> [LastRun?] { band.players.map(\.ensemble.lastRun) }

  @Test func newMemberOfAnIdleBandLearnsTheLastTempoAndRhythm() throws {
    var band = try stoppedBand()
    let run = try #require(lastRuns(band)[0])
    #expect(run.tempo == (try Tempo(bpm: 140)) && run.rhythm == first.digest && lastRuns(band) == [run, run, nil])
    // The new member meets only the former follower.
    band.connected = { $0 != 0 && $1 != 0 }
    band.joinEachOther(1, 2)
    band.play(for: .seconds(3))
    #expect(lastRuns(band) == [run, run, run] && band.players[2].events.contains(.lastRun(run)))
    #expect(band.players[2].ensemble.document(first.digest) == first)
    // The player decides whether to start with the last rhythm. Other players keep the last rhythm as well.
    #expect(
      band.players[2].ensemble.rhythm.digest == second.digest && band.players[1].events.contains(.lastRun(run)) == false
    )
  }

  @Test func closedGateForRhythmsRefusesTheLastRun() throws {
    var band = try stoppedBand()
    band.command(2) { ensemble, _ in ensemble.gates.standard[.rhythm] = false }
    band.connected = { $0 != 0 && $1 != 0 }
    band.joinEachOther(1, 2)
    band.play(for: .seconds(3))
    #expect(lastRuns(band)[2] == nil)
  }
}
