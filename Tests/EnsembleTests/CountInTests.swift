import MusicalTime
import PeerProtocol
import Playback
import Testing
import _TestSupport

@testable import Ensemble

/// The clicks before a rhythm.
@Suite struct CountInTests {
  private let bar = CountIn(bars: 1, of: .common)!

  /// The true times of the clicks of a player, by its schedule.
  private func clicks(_ band: VirtualBand, of player: Int) -> [(tick: Int64, at: Instant)] {
    let schedule = band.players[player].ensemble.schedule
    return (-200..<Int64(200)).filter { schedule.clicks(at: Tick($0)) }.map {
      ($0, band.players[player].trueTime(of: schedule.deadline(Tick($0))))
    }
  }

  @Test func clicksSoundAtAllPeersBeforeTheFirstStep() throws {
    var band = VirtualBand(players: 3, seed: 4)
    band.run(for: .seconds(3))
    let started = band.now
    try band.command(0) { try $0.start(tempo: .standard, countIn: bar, at: $1) }
    band.run(for: .milliseconds(500))
    let clicksOfMaster = clicks(band, of: 0)
    #expect(clicksOfMaster.map(\.tick) == [-96, -72, -48, -24])
    // The first click sounds the lead time, 100 ms, after the command.
    #expect((clicksOfMaster[0].at - started - .milliseconds(100)).magnitude < .milliseconds(1))
    for player in 1...2 {
      let clicks = clicks(band, of: player)
      #expect(clicks.map(\.tick) == [-96, -72, -48, -24])
      for (click, clickOfMaster) in zip(clicks, clicksOfMaster) {
        #expect((click.at - clickOfMaster.at).magnitude < .milliseconds(1))
      }
    }
    // No step sounds before the count-in ends, two seconds after it began.
    band.run(for: .seconds(4))
    for player in 0...2 {
      let first = try #require(band.soundedSteps(of: player).first)
      #expect(first.step == Step(0) && (first.at - started - .milliseconds(2100)).magnitude < .milliseconds(2))
      #expect(band.faults(player) == [])
    }
  }

  /// The clicks are due 100, 600, 1100 and 1600 ms after the start. The players connect after 600 ms. The number of clicks that remain
  /// depends on how soon the late joiner enters the rhythm.
  @Test func lateJoinerHearsOnlyTheRemainingClicks() throws {
    var band = VirtualBand(players: 2, seed: 5)
    band.connected = { _, _ in false }
    band.run(for: .seconds(3))
    try band.command(0) { try $0.start(tempo: .standard, countIn: bar, at: $1) }
    band.run(for: .milliseconds(600))
    band.connected = { _, _ in true }
    band.joinAll()
    band.run(for: .milliseconds(900))
    let ticks = clicks(band, of: 1).map(\.tick)
    #expect((1...3).contains(ticks.count) && ticks == Array([-72, -48, -24].suffix(ticks.count)), "\(ticks)")
    band.run(for: .seconds(2))
    #expect(band.soundedSteps(of: 1).first?.step == Step(0))
  }

  @Test func ordinaryStartHasNoClicks() throws {
    var band = VirtualBand(players: 2, seed: 6)
    band.run(for: .seconds(3))
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .milliseconds(50))
    #expect(clicks(band, of: 0).isEmpty && clicks(band, of: 1).isEmpty)
  }

  @Test func stopDuringTheCountInEndsTheClicks() throws {
    var band = VirtualBand(players: 2, seed: 7)
    band.run(for: .seconds(3))
    try band.command(0) { try $0.start(tempo: .standard, countIn: bar, at: $1) }
    band.run(for: .milliseconds(800))
    try band.command(0) { try $0.stop(now: $1) }
    band.run(for: .milliseconds(100))
    #expect(clicks(band, of: 0).isEmpty && clicks(band, of: 1).isEmpty)
    band.run(for: .seconds(5))
    #expect(band.soundedSteps(of: 0).isEmpty && band.soundedSteps(of: 1).isEmpty)
    #expect(band.role(0) == .idle && band.role(1) == .idle)
  }

  /// The rhythm is stopped during its count-in. The tick cursor of the audio output goes back, and the clicks that it has already passed
  /// to the audio output are withdrawn. Clicks are not sent to other peers, so the cursor for sending (`wire`) does not take them.
  @Test func clicksThatWerePassedToTheSoundAreWithdrawn() throws {
    var schedule = PlaybackSchedule(
      run: 1, sends: true, start: Tick(0), end: Tick(.max),
      tempo: TempoMap(Timeline(tempo: .standard, tick: Tick(-96), at: Instant(nanoseconds: 0))))
    (schedule.countIn, schedule.countInStart) = (bar, Tick(-96))
    var (sound, wire) = (TickCursor(lead: .seconds(1), includesCountIn: true), TickCursor(lead: .seconds(1)))
    let now = Instant(nanoseconds: 500_000_000)
    var ticks: [Int64] = []
    while let tick = sound.take(in: schedule, at: now) { ticks.append(tick.index) }
    // With the lead of one second, the cursor has passed on the ticks up to 1.5 s after the beginning of the count-in: 72 ticks later.
    #expect(ticks == Array(-96 ... -24))
    #expect(wire.take(in: schedule, at: now) == nil)
    var stopped = schedule
    stopped.end = Tick(0)
    let withdrawal = sound.goBack(from: schedule, to: stopped, at: now)
    // The click of tick -72 is due now and may have sounded already, so it stays. The next click, of tick -48, is withdrawn.
    let recall = try #require(withdrawal)
    #expect(recall > now && recall < schedule.deadline(Tick(-48)))
  }

  @Test func beatsOfTheMeterAreCounted() throws {
    func countIn(_ beats: Int, _ unit: Int) throws -> CountIn {
      let meter = try #require(Meter(beats: beats, unit: unit))
      return try #require(CountIn(bars: 1, of: meter))
    }
    // The beats and the unit of the meter, the number of clicks in a bar, and the ticks from one click to the next. A beat has three
    // eighth notes in the compound meters 6/8 and 12/8, but one in 3/8 and 7/8.
    let expected: [(Int, Int, UInt8, UInt8)] = [
      (4, 4, 4, 24), (3, 4, 3, 24), (6, 8, 2, 36), (12, 8, 4, 36), (7, 8, 7, 12), (3, 8, 3, 12), (5, 16, 5, 6),
      (2, 2, 2, 48),
    ]
    for (beats, unit, clicks, distance) in expected {
      let countIn = try countIn(beats, unit)
      #expect(countIn.clicks == clicks && countIn.ticksPerClick == distance, "\(beats)/\(unit)")
      let meter = try #require(Meter(beats: beats, unit: unit))
      #expect(countIn.ticks == meter.ticksPerBar)
    }
    // A count-in has at most 16 clicks, and a whole number of steps (6 ticks) from one click to the next.
    let meter = try #require(Meter(beats: 13, unit: 8))
    #expect(CountIn(bars: 2, of: meter) == nil)
    #expect(CountIn(clicks: 4, ticksPerClick: 7) == nil && CountIn(clicks: 17, ticksPerClick: 24) == nil)
  }
}
