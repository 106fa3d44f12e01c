import MusicalTime
import Testing

@testable import Ensemble

/// A band whose player 0 plays by an external clock. Player 0 is then the master, and the other players follow it.
///
/// ``ClockedBand/tick(_:bpm:arrives:loss:stamped:)`` sends ticks and returns their due times. Each tick arrives late by the magnitude
/// of a normally distributed number with the standard deviation `sigma`. `error` compares steps with the due times of their ticks.
@Suite struct ExternalClockTests {
  @Test(arguments: UInt64(1)...10) func allPlayersPlayInPhaseWithTheClock(seed: UInt64) {
    var clocked = ClockedBand(players: 3, seed: seed, sigma: .milliseconds(1))
    clocked.deliver(.start)
    let dueTimes = clocked.tick(24 * 60, bpm: 120)
    for n in 0..<3 {
      #expect(clocked.newestRunIsGapless(of: n), "seed \(seed), player \(n)")
      // A step has six ticks. The tempo is known after six ticks, and the lead time of 100 ms must pass before the first step
      // that sounds. This step is step 2, or one soon after it.
      #expect(clocked.band.players[n].runs.last!.first!.step < Step(6))
      // The rhythm has 240 steps. The first 24, in which the estimate of the clock rests on few ticks, and the last four are not
      // compared.
      let error = clocked.error(ofPlayer: n, against: dueTimes, steps: 24..<236)
      #expect(error.count == 212)
      // The estimate of the clock from many ticks is better than a single tick, whose lateness is the magnitude of a number with a standard
      // deviation of 1 ms. A follower also has the error of the offset of the master's clock: at most half of the network delay, which is
      // up to 3 ms.
      #expect(
        error.largest < (n == 0 ? .microseconds(600) : .microseconds(2500)),
        "seed \(seed), player \(n): \(error.largest.microseconds) us")
    }
    #expect(clocked.events.isEmpty)
  }

  @Test func clockWithoutJitterIsFollowedWithin25Microseconds() {
    var clocked = ClockedBand(seed: 1, sigma: .zero)
    clocked.tick(100, bpm: 97.3)
    clocked.deliver(.start)
    let dueTimes = clocked.tick(24 * 40, bpm: 97.3)
    // The tempo is known before Start. The rhythm begins with the first step that can be announced to all peers.
    #expect(clocked.band.players[0].runs.last!.first!.step <= Step(2))
    #expect(clocked.error(ofPlayer: 0, against: dueTimes, steps: 0..<150).largest < .microseconds(25))
    #expect(clocked.newestRunIsGapless(of: 0) && clocked.newestRunIsGapless(of: 1))
  }

  @Test(arguments: [(120.0, 140.0), (140, 90), (60, 61)]) func tempoChangeIsFollowedWithoutAJump(
    from: Double, to: Double
  ) {
    var clocked = ClockedBand(seed: 5, sigma: .microseconds(300))
    clocked.deliver(.start)
    var dueTimes = clocked.tick(24 * 16, bpm: from)
    dueTimes += clocked.tick(24 * 16, bpm: to)
    for n in 0..<2 {
      #expect(clocked.newestRunIsGapless(of: n))
      #expect(clocked.band.players[n].runs.count == 1)
    }
    // The last four quarter notes before the change, and those from the eighth quarter note after it.
    #expect(clocked.error(ofPlayer: 0, against: dueTimes, steps: 48..<64).largest < .milliseconds(1))
    #expect(clocked.error(ofPlayer: 0, against: dueTimes, steps: 96..<126).largest < .milliseconds(1))
  }

  @Test func stopContinueAndSongPositionAreExecuted() {
    var clocked = ClockedBand(seed: 2, sigma: .microseconds(100))
    clocked.deliver(.start)
    clocked.tick(100, bpm: 120)
    clocked.deliver(.stop)
    clocked.tick(50, bpm: 120)
    #expect(clocked.band.players.allSatisfy { $0.ensemble.role == .idle })
    clocked.deliver(.continue)
    var dueTimes = clocked.tick(200, bpm: 120)
    // Ticks 0...99 were counted before Stop. The first tick after Continue is tick 100, so element 100 of the due times
    // belongs to it. No compared step uses the elements before it.
    #expect(clocked.band.players[0].runs.count == 2)
    #expect(clocked.newestRunIsGapless(of: 0))
    #expect(
      clocked.error(ofPlayer: 0, against: [Instant](repeating: dueTimes[0], count: 100) + dueTimes, steps: 26..<45)
        .largest < .milliseconds(1))
    // Step 64 is tick 64 * 6.
    clocked.deliver(.songPosition(Step(64)))
    dueTimes = clocked.tick(300, bpm: 120)
    #expect(clocked.band.players[1].runs.count == 3)
    #expect(clocked.newestRunIsGapless(of: 1))
    #expect(
      clocked.error(ofPlayer: 0, against: [Instant](repeating: dueTimes[0], count: 64 * 6) + dueTimes, steps: 72..<100)
        .largest < .milliseconds(1))
    clocked.deliver(.stop)
    clocked.deliver(.songPosition(Step(8)))
    clocked.tick(20, bpm: 120)
    clocked.deliver(.continue)
    clocked.tick(60, bpm: 120)
    // The rhythm continues with step 8 or soon after it: with the first step that can be announced to all peers.
    #expect((Step(8)...Step(12)).contains(clocked.band.players[0].runs.last!.first!.step))
  }

  /// The clock runs before Start, so its tempo is known. The first tick after Start is the downbeat and sounds.
  @Test func downbeatAfterARunningClockSounds() {
    var clocked = ClockedBand(seed: 12, sigma: .microseconds(100))
    clocked.tick(48, bpm: 120)
    clocked.deliver(.start)
    let dueTimes = clocked.tick(96, bpm: 120)
    #expect(clocked.band.players[0].runs.last?.first?.step == Step(0) && clocked.newestRunIsGapless(of: 0))
    #expect(clocked.error(ofPlayer: 0, against: dueTimes, steps: 0..<15).largest < .milliseconds(1))
    // The other peer enters at its next step.
    #expect((Step(1)...Step(2)).contains(clocked.band.players[1].runs.last!.first!.step))
  }

  /// A DAW loops 17 sixteenths: it sends Start, or Song Position 0 and Continue, while the clock runs. Each step of each pass sounds once, in
  /// time.
  @Test(arguments: [[.start], [.songPosition(Step(0)), .continue]] as [[ExternalClock.Message]])
  func loopPlaysEachStep(messages: [ExternalClock.Message]) {
    var clocked = ClockedBand(seed: 13, sigma: .microseconds(100))
    clocked.tick(24, bpm: 120)
    clocked.deliver(.start)
    var dueTimes = clocked.tick(102, bpm: 120)
    for _ in 0..<4 {
      for message in messages { clocked.deliver(message) }
      dueTimes += clocked.tick(102, bpm: 120)
    }
    clocked.deliver(.stop)
    clocked.band.run(for: .seconds(1))
    let steps = clocked.band.soundedSteps(of: 0)
    // The steps of the first tick of a new pass, and those after it.
    for pass in 0..<5 {
      for step in 0..<17 {
        let due = dueTimes[pass * 102 + step * 6]
        let sounded = steps.filter { $0.step == Step(Int64(step)) && ($0.at - due).magnitude < .milliseconds(10) }
        #expect(sounded.count == 1, "pass \(pass), step \(step)")
      }
    }
    // The step after each pass may have been passed to the audio output before the new pass began.
    #expect(steps.count <= 5 * 18)
  }

  /// Some programs send Continue, or the Song Position, again while the clock runs. Neither has an effect.
  @Test func redundantContinueHasNoEffect() {
    var clocked = ClockedBand(seed: 14, sigma: .microseconds(100))
    clocked.tick(24, bpm: 120)
    clocked.deliver(.start)
    var dueTimes = clocked.tick(96, bpm: 120)
    clocked.deliver(.continue)
    clocked.deliver(.songPosition(Step(16)))
    dueTimes += clocked.tick(96, bpm: 120)
    for n in 0...1 { #expect(clocked.band.players[n].runs.count == 1 && clocked.newestRunIsGapless(of: n)) }
    #expect(clocked.error(ofPlayer: 0, against: dueTimes, steps: 0..<31).largest < .milliseconds(1))
  }

  /// After Stop, no further step sounds, also none that has been passed to the audio output already. The other peer hears of Stop a network delay
  /// later.
  @Test func stopTakesEffectAtOnce() {
    var clocked = ClockedBand(seed: 15, sigma: .microseconds(100))
    clocked.deliver(.start)
    // The last tick is tick 199. Step 34 begins at tick 204, 104 ms later.
    clocked.tick(200, bpm: 120)
    clocked.deliver(.stop)
    #expect(clocked.band.players[0].ensemble.schedule.end <= Tick(200 + 1))
    clocked.band.run(for: .seconds(1))
    for n in 0...1 {
      #expect(clocked.band.role(n) == .idle && clocked.band.soundedSteps(of: n).last?.step == Step(33), "player \(n)")
    }
  }

  @Test func rhythmStaysInPhaseAfterTicksWereLostInAnInterruption() {
    var clocked = ClockedBand(seed: 3, sigma: .microseconds(200))
    clocked.deliver(.start)
    var dueTimes = clocked.tick(24 * 12, bpm: 120)
    // 100 ticks last 2.08 s. The clock counts as silent after two seconds.
    dueTimes += clocked.tick(100, bpm: 120, arrives: false)
    clocked.advance()
    #expect(clocked.events == [.silent])
    // The port is disconnected and returns.
    clocked.clocks.disconnect { _ in true }
    clocked.clocks.connect("clock", .port(client: 20, port: 0))
    dueTimes += clocked.tick(24 * 12, bpm: 120)
    #expect(clocked.newestRunIsGapless(of: 0) && clocked.newestRunIsGapless(of: 1))
    #expect(clocked.band.players[0].runs.count == 1)
    #expect(clocked.error(ofPlayer: 0, against: dueTimes, steps: 24..<110).largest < .milliseconds(1))
    #expect(clocked.events.contains(.heard))
  }

  /// A device is switched off, returns and starts again. The rhythm has the position of the new Start, not that of its own count.
  @Test func startAfterAnInterruptionSetsThePosition() {
    var clocked = ClockedBand(seed: 3, sigma: .microseconds(200))
    clocked.deliver(.start)
    clocked.tick(24 * 12, bpm: 120)
    clocked.clocks.disconnect { _ in true }
    clocked.tick(150, bpm: 120, arrives: false)
    clocked.clocks.connect("clock", .port(client: 20, port: 0))
    clocked.deliver(.start)
    let dueTimes = clocked.tick(24 * 12, bpm: 132)
    #expect(clocked.newestRunIsGapless(of: 0) && clocked.newestRunIsGapless(of: 1))
    let error = clocked.error(ofPlayer: 0, against: dueTimes, steps: 8..<46)
    #expect(error.count == 38 && error.largest < .milliseconds(5), "\(error)")
  }

  @Test func stallOfTheSenderLosesNoTick() {
    var clocked = ClockedBand(seed: 4, sigma: .microseconds(100))
    clocked.deliver(.start)
    clocked.tick(24 * 8, bpm: 120)
    // The twelve ticks of 250 ms arrive together at the end of the stall. At 120 BPM, a tick lasts 60e9 / 120 / 24 ns.
    clocked.band.run(for: .milliseconds(250))
    for _ in 0..<12 { clocked.deliver(.clock) }
    clocked.lastDueTime += 12 * 60e9 / 120 / 24
    clocked.tick(24 * 12, bpm: 120)
    #expect(clocked.newestRunIsGapless(of: 0) && clocked.newestRunIsGapless(of: 1))
    #expect(clocked.band.players[0].runs.count == 1)
  }

  /// The first tick arrives on time. The ticks of the stall then arrive together. The source numbers its ticks.
  @Test(arguments: [4, 7, 8, 13, 24, 40]) func stallRightAfterStartDoesNotDistortTheTempo(ticks: Int) {
    var clocked = ClockedBand(seed: 8, sigma: .zero)
    clocked.deliver(.start)
    var dueTimes = clocked.tick(1, bpm: 97.3)
    let length = 60e9 / 97.3 / 24
    dueTimes += (1...ticks).map { dueTimes[0] + Nanoseconds(Int64(Double($0) * length)) }
    clocked.band.run(for: dueTimes[ticks] - dueTimes[0])
    for _ in 0..<ticks { clocked.deliver(.clock, missing: 0) }
    clocked.lastDueTime += Double(ticks) * length
    dueTimes += clocked.tick(24 * 20, bpm: 97.3)
    for n in 0..<2 {
      #expect(clocked.newestRunIsGapless(of: n))
      #expect(clocked.band.players[n].runs.count == 1)
      // The rhythm starts at most a quarter note (24 ticks) and the lead time after the stall. The lead time is 100 ms, or
      // four ticks. Rounded up to the beginning of a step, it is at most 12 ticks.
      #expect(clocked.band.players[n].runs[0][0].step <= Step(Int64(ticks + 24 + 12) / 6))
      #expect(clocked.error(ofPlayer: n, against: dueTimes, steps: 0..<75).largest < .milliseconds(1))
    }
    #expect(clocked.events.isEmpty)
  }

  /// Tempos below 20 BPM or above 999 BPM are not playable. Such a tempo is reported after one second. The ticks of this test last for 5 s
  /// and 1.7 s in total.
  @Test(arguments: [(10.0, 20), (1500, 1000)]) func unplayableTempoIsReportedOnce(bpm: Double, ticks: Int) {
    var clocked = ClockedBand(players: 1, seed: 9, sigma: .zero)
    clocked.deliver(.start)
    clocked.tick(ticks, bpm: bpm)
    #expect(clocked.events == [.unplayable])
    #expect(clocked.band.players[0].ensemble.role == .idle)
  }

  /// A tick is due every 20 ms. Each tick is late by up to 200 ms, which is ten tick intervals.
  @Test(arguments: UInt64(1)...5) func clockWithPersistentJitterStartsTheRhythmAfterAQuarterNote(seed: UInt64) {
    var clocked = ClockedBand(players: 1, seed: seed, sigma: .zero)
    clocked.deliver(.start)
    let start = clocked.band.now
    var ticks: Int64 = 0
    while ticks < 100, clocked.band.players[0].ensemble.role == .idle {
      let late = Int64.random(in: 0...200, using: &clocked.random)
      clocked.band.run(for: max(.zero, start + .milliseconds(20 * ticks + late) - clocked.band.now))
      clocked.deliver(.clock, missing: 0)
      ticks += 1
    }
    // The quarter note lasts 24 ticks. It begins when the ticks have a tempo. The bounds allow 1 to 12 ticks for that.
    #expect((25...36).contains(ticks))
  }

  /// The player stops the rhythm of the clock and starts another one. The new rhythm keeps its tempo while the clock runs.
  @Test func rhythmStartedByThePlayerIsNotSteeredByTheClock() throws {
    var clocked = ClockedBand(players: 1, seed: 7, sigma: .zero)
    clocked.deliver(.start)
    clocked.tick(100, bpm: 100)
    #expect(clocked.clockLeads)
    try clocked.band.command(0) { ensemble, now throws(CommandError) in try ensemble.stop(now: now) }
    clocked.tick(50, bpm: 100)
    try clocked.band.command(0) { ensemble, now throws(CommandError) in try ensemble.start(tempo: .standard, at: now) }
    clocked.tick(50, bpm: 100)
    #expect(clocked.band.players[0].ensemble.role == .master && clocked.externalClock.isRunning)
    #expect(!clocked.clockLeads)
    #expect(clocked.band.players[0].ensemble.schedule.tempo.first.tempo == .standard)
  }

  @Test func clockWaitsUntilTheRhythmOfAnotherMasterEnds() throws {
    var clocked = ClockedBand(seed: 6, sigma: .zero)
    try clocked.band.command(1) { ensemble, now throws(CommandError) in try ensemble.start(tempo: .standard, at: now) }
    clocked.tick(10, bpm: 100)
    clocked.deliver(.start)
    clocked.tick(100, bpm: 100)
    #expect(clocked.events == [.refused(.belongsTo(clocked.band.identity(1)))])
    #expect(clocked.band.players[0].ensemble.role == .follower(of: clocked.band.identity(1)))
    try clocked.band.command(1) { ensemble, now throws(CommandError) in try ensemble.stop(now: now) }
    clocked.tick(100, bpm: 100)
    #expect(clocked.band.players[0].ensemble.role == .master)
    #expect(clocked.newestRunIsGapless(of: 0) && clocked.newestRunIsGapless(of: 1))
  }
}
