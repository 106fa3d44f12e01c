import Ensemble
import MusicalTime
import Testing

@Suite struct OutsideClockTests {
  @Test(arguments: UInt64(1)...10) func everybodyPlaysInStepWithIt(seed: UInt64) {
    var clocked = ClockedBand(players: 3, seed: seed, sigma: .milliseconds(1))
    clocked.say(.start)
    let dues = clocked.tick(24 * 60, bpm: 120)
    for n in 0..<3 {
      #expect(clocked.isWhole(n), "seed \(seed), player \(n)")
      // On the third step or soon after: six ticks, and the lead.
      #expect(clocked.band.players[n].runs.last!.first!.step < Step(6))
      let error = clocked.error(n, dues, steps: 24..<236)
      #expect(error.count == 212)
      // The followers' clocks are known to half of a delay of up to 3 ms.
      #expect(
        error.largest < (n == 0 ? .microseconds(600) : .microseconds(2500)),
        "seed \(seed), player \(n): \(error.largest.microseconds) us")
    }
    #expect(clocked.events.isEmpty)
  }

  @Test func anExactClockIsKeptExactly() {
    var clocked = ClockedBand(seed: 1, sigma: .zero)
    clocked.tick(100, bpm: 97.3)
    clocked.say(.start)
    let dues = clocked.tick(24 * 40, bpm: 97.3)
    // The tempo is known before: the first step that all can be told of.
    #expect(clocked.band.players[0].runs.last!.first!.step <= Step(2))
    #expect(clocked.error(0, dues, steps: 0..<150).largest < .microseconds(25))
    #expect(clocked.isWhole(0) && clocked.isWhole(1))
  }

  @Test(arguments: [(120.0, 140.0), (140, 90), (60, 61)]) func aChangeOfTempoIsCaughtUpWithWithoutAJump(
    from: Double, to: Double
  ) {
    var clocked = ClockedBand(seed: 5, sigma: .microseconds(300))
    clocked.say(.start)
    var dues = clocked.tick(24 * 16, bpm: from)
    dues += clocked.tick(24 * 16, bpm: to)
    for n in 0..<2 {
      #expect(clocked.isWhole(n))
      #expect(clocked.band.players[n].runs.count == 1)
    }
    // The last four quarters before, and those from the eighth quarter after.
    #expect(clocked.error(0, dues, steps: 48..<64).largest < .milliseconds(1))
    #expect(clocked.error(0, dues, steps: 96..<126).largest < .milliseconds(1))
  }

  @Test func stopContinueAndSongPosition() {
    var clocked = ClockedBand(seed: 2, sigma: .microseconds(100))
    clocked.say(.start)
    clocked.tick(100, bpm: 120)
    clocked.say(.stop)
    clocked.tick(50, bpm: 120)
    #expect(clocked.band.players.allSatisfy { $0.ensemble.role == .idle })
    clocked.say(.continue)
    var dues = clocked.tick(200, bpm: 120)
    // Tick 100 was the next.
    #expect(clocked.band.players[0].runs.count == 2)
    #expect(clocked.isWhole(0))
    #expect(
      clocked.error(0, [Instant](repeating: dues[0], count: 100) + dues, steps: 26..<45).largest < .milliseconds(1))
    clocked.say(.songPosition(Step(64)))
    dues = clocked.tick(300, bpm: 120)
    #expect(clocked.band.players[1].runs.count == 3)
    #expect(clocked.isWhole(1))
    #expect(
      clocked.error(0, [Instant](repeating: dues[0], count: 64 * 6) + dues, steps: 72..<100).largest < .milliseconds(1))
    clocked.say(.stop)
    clocked.say(.songPosition(Step(8)))
    clocked.tick(20, bpm: 120)
    clocked.say(.continue)
    clocked.tick(60, bpm: 120)
    #expect((Step(8)...Step(12)).contains(clocked.band.players[0].runs.last!.first!.step))
  }

  @Test func ticksLostWithTheConnectionAreMadeUpForInTime() {
    var clocked = ClockedBand(seed: 3, sigma: .microseconds(200))
    clocked.say(.start)
    var dues = clocked.tick(24 * 12, bpm: 120)
    dues += clocked.tick(100, bpm: 120, heard: false)
    let silent = clocked.outside.advance(to: clocked.band.own(0))
    #expect(silent == .silent)
    clocked.outside.lostCount()
    dues += clocked.tick(24 * 12, bpm: 120)
    #expect(clocked.isWhole(0) && clocked.isWhole(1))
    #expect(clocked.band.players[0].runs.count == 1)
    #expect(clocked.error(0, dues, steps: 24..<110).largest < .milliseconds(1))
    #expect(clocked.events.contains(.heard))
  }

  @Test func aStallOfTheSenderLosesNoTick() {
    var clocked = ClockedBand(seed: 4, sigma: .microseconds(100))
    clocked.say(.start)
    clocked.tick(24 * 8, bpm: 120)
    // A quarter of a second of ticks comes at once, after it.
    clocked.band.run(for: .milliseconds(250))
    for _ in 0..<12 { clocked.say(.clock) }
    clocked.due += 12 * 60e9 / 120 / 24
    clocked.tick(24 * 12, bpm: 120)
    #expect(clocked.isWhole(0) && clocked.isWhole(1))
    #expect(clocked.band.players[0].runs.count == 1)
  }

  /// The first tick comes in time, those of the stall together, of a source that numbers what it sends.
  @Test(arguments: [4, 7, 8, 13, 24, 40]) func aStallRightAfterTheStartIsNoTempo(ticks: Int) {
    var clocked = ClockedBand(seed: 8, sigma: .zero)
    clocked.say(.start)
    var dues = clocked.tick(1, bpm: 97.3)
    let length = 60e9 / 97.3 / 24
    dues += (1...ticks).map { dues[0] + Nanoseconds(Int64(Double($0) * length)) }
    clocked.band.run(for: dues[ticks] - dues[0])
    for _ in 0..<ticks { clocked.say(.numberedClock(missing: 0)) }
    clocked.due += Double(ticks) * length
    dues += clocked.tick(24 * 20, bpm: 97.3)
    for n in 0..<2 {
      #expect(clocked.isWhole(n))
      #expect(clocked.band.players[n].runs.count == 1)
      // A quarter later at most, and the lead.
      #expect(clocked.band.players[n].runs[0][0].step <= Step(Int64(ticks + 24 + 12) / 6))
      #expect(clocked.error(n, dues, steps: 0..<75).largest < .milliseconds(1))
    }
    #expect(clocked.events.isEmpty)
  }

  @Test(arguments: [(10.0, 20), (1500, 1000)]) func aTempoThatIsNoneIsTold(bpm: Double, ticks: Int) {
    var clocked = ClockedBand(players: 1, seed: 9, sigma: .zero)
    clocked.say(.start)
    clocked.tick(ticks, bpm: bpm)
    #expect(clocked.events == [.unplayable])
    #expect(clocked.band.players[0].ensemble.role == .idle)
  }

  /// Each tick up to ten of them late.
  @Test(arguments: UInt64(1)...5) func aClockThatIsNeverEvenIsWaitedForAQuarter(seed: UInt64) {
    var clocked = ClockedBand(players: 1, seed: seed, sigma: .zero)
    clocked.say(.start)
    let begun = clocked.band.now
    var ticks: Int64 = 0
    while ticks < 100, clocked.band.players[0].ensemble.role == .idle {
      let late = Int64.random(in: 0...200, using: &clocked.random)
      clocked.band.run(for: max(.zero, begun + .milliseconds(20 * ticks + late) - clocked.band.now))
      clocked.say(.numberedClock(missing: 0))
      ticks += 1
    }
    #expect((25...36).contains(ticks))
  }

  /// The player stops the rhythm and starts one of the own: it goes at its own tempo, whatever the clock says.
  @Test func aRhythmStartedOverItIsNotIts() throws {
    var clocked = ClockedBand(players: 1, seed: 7, sigma: .zero)
    clocked.say(.start)
    clocked.tick(100, bpm: 100)
    #expect(clocked.outside.leads(clocked.band.players[0].ensemble))
    try clocked.band.command(0) { ensemble, now throws(CommandError) in try ensemble.stop(now: now) }
    clocked.tick(50, bpm: 100)
    try clocked.band.command(0) { ensemble, now throws(CommandError) in try ensemble.start(tempo: .standard, at: now) }
    clocked.tick(50, bpm: 100)
    #expect(clocked.band.players[0].ensemble.role == .master && clocked.outside.isRunning)
    #expect(!clocked.outside.leads(clocked.band.players[0].ensemble))
    #expect(clocked.band.players[0].ensemble.schedule.timeline.tempo == .standard)
  }

  @Test func whoPlaysAlreadyIsRespected() throws {
    var clocked = ClockedBand(seed: 6, sigma: .zero)
    try clocked.band.command(1) { ensemble, now throws(CommandError) in try ensemble.start(tempo: .standard, at: now) }
    clocked.tick(10, bpm: 100)
    clocked.say(.start)
    clocked.tick(100, bpm: 100)
    #expect(clocked.events == [.refused(.belongsTo(clocked.band.identity(1)))])
    #expect(clocked.band.players[0].ensemble.role == .follower(of: clocked.band.identity(1)))
    try clocked.band.command(1) { ensemble, now throws(CommandError) in try ensemble.stop(now: now) }
    clocked.tick(100, bpm: 100)
    #expect(clocked.band.players[0].ensemble.role == .master)
    #expect(clocked.isWhole(0) && clocked.isWhole(1))
  }
}
