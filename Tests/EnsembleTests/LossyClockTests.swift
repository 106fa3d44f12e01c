import MusicalTime
import Testing

@testable import Ensemble

/// An external clock with lost ticks, tempo steps or time stamps. Each tick arrives late by the magnitude of a normally distributed
/// number with the standard deviation `sigma` (``ClockedBand``).
@Suite struct LossyClockTests {
  @Test(arguments: UInt64(1)...4) func lossOfOneTickInTwentyShiftsNothing(seed: UInt64) {
    var clocked = ClockedBand(seed: seed, sigma: .milliseconds(1))
    clocked.tick(48, bpm: 120)
    clocked.deliver(.start)
    var dueTimes = clocked.tick(24, bpm: 120)
    // With seed 2, five alternate ticks are lost 60 quarter notes later. This counts as a change of the tempo (``TickCounter``).
    dueTimes += clocked.tick(24 * 59, bpm: 120, loss: 0.05)
    for n in 0..<2 {
      #expect(clocked.newestRunIsGapless(of: n), "seed \(seed), player \(n)")
      #expect(clocked.band.players[n].runs.count == 1)
    }
    // The first six quarter notes, in which the estimate of the clock rests on few ticks, and the end are not compared.
    let error = clocked.error(ofPlayer: 0, against: dueTimes, steps: 24..<240)
    #expect(error.count == 216 && error.largest < .microseconds(800), "seed \(seed): \(error.largest.microseconds) us")
  }

  @Test(arguments: UInt64(1)...5) func tempoStepWithTickLossKeepsThePosition(seed: UInt64) {
    var clocked = ClockedBand(seed: seed, sigma: .milliseconds(1))
    clocked.deliver(.start)
    var dueTimes = clocked.tick(24 * 16, bpm: 120)
    dueTimes += clocked.tick(24 * 24, bpm: 140, loss: 0.05)
    #expect(clocked.newestRunIsGapless(of: 0) && clocked.newestRunIsGapless(of: 1), "seed \(seed)")
    #expect(clocked.band.players[0].runs.count == 1, "seed \(seed)")
    // The tempo steps at step 64. The comparison begins ten quarter notes later.
    #expect(clocked.error(ofPlayer: 0, against: dueTimes, steps: 104..<158).largest < .milliseconds(1), "seed \(seed)")
  }

  /// The tempo is halved between two ticks. The present run or a new run follows the new tempo.
  @Test func halvedTempoIsFollowed() {
    var clocked = ClockedBand(seed: 1, sigma: .microseconds(200))
    clocked.deliver(.start)
    var dueTimes = clocked.tick(24 * 32, bpm: 120)
    dueTimes += clocked.tick(24 * 16, bpm: 60)
    #expect(clocked.newestRunIsGapless(of: 0) && clocked.newestRunIsGapless(of: 1))
    #expect(abs(clocked.band.players[0].ensemble.schedule.tempo(at: clocked.band.localTime(of: 0)).bpm - 60) < 1)
    // The tempo is halved at step 128. The comparison begins eight quarter notes later.
    #expect(clocked.error(ofPlayer: 0, against: dueTimes, steps: 160..<190).largest < .milliseconds(1))
  }

  @Test(arguments: [60.0, 90, 120, 150, 180]) func reportedTempoIsSteady(bpm: Double) throws {
    for seed in UInt64(1)...2 {
      var clocked = ClockedBand(players: 1, seed: seed, sigma: .milliseconds(1))
      clocked.deliver(.start)
      clocked.tick(24 * 8, bpm: bpm)
      for _ in 0..<160 {
        clocked.tick(3, bpm: bpm, loss: 0.02)
        #expect(abs(try #require(clocked.externalClock.tempo).bpm - bpm) < 0.1, "seed \(seed)")
      }
      // A new tempo is reported within a quarter note.
      clocked.tick(24, bpm: bpm * 1.25)
      #expect(abs(try #require(clocked.externalClock.tempo).bpm - bpm * 1.25) < 1)
      clocked.deliver(.stop)
      #expect(clocked.externalClock.tempo == nil)
    }
  }

  /// The lateness of a tick is the magnitude of a number with a standard deviation of 4 ms. The time stamps have a unit of 100 us. The
  /// error is below 150 us.
  @Test(arguments: UInt64(1)...5) func timeStampsAreMorePreciseThanArrivalTimes(seed: UInt64) {
    var clocked = ClockedBand(seed: seed, sigma: .milliseconds(4))
    clocked.deliver(.start)
    let dueTimes = clocked.tick(24 * 40, bpm: 97.3, stamped: true)
    #expect(clocked.newestRunIsGapless(of: 0) && clocked.newestRunIsGapless(of: 1))
    let error = clocked.error(ofPlayer: 0, against: dueTimes, steps: 32..<150)
    #expect(error.count == 118 && error.largest < .microseconds(150), "seed \(seed): \(error.largest.microseconds) us")
  }

  /// The clock runs. Then Start and the first ticks arrive together, late, but in order. The packets are numbered and none is missing, so no
  /// tick is lost.
  @Test(arguments: [40, 65, 85] as [Int64]) func lateStartLosesNoTick(milliseconds: Int64) {
    var clocked = ClockedBand(seed: 5, sigma: .microseconds(300))
    clocked.tick(48, bpm: 120, stamped: true, missing: 0)
    let arrival = Instant(nanoseconds: Int64(clocked.lastDueTime)) + .milliseconds(21 + milliseconds)
    clocked.band.run(for: arrival - clocked.band.now)
    clocked.deliver(.start, missing: 0)
    let dueTimes = clocked.tick(240, bpm: 120, stamped: true, missing: 0, delayedUntil: arrival)
    #expect(clocked.externalClock.lost == 0 && clocked.band.players[0].runs.count == 1)
    #expect(clocked.newestRunIsGapless(of: 0) && clocked.newestRunIsGapless(of: 1))
    #expect(clocked.error(ofPlayer: 0, against: dueTimes, steps: 4..<38).largest < .milliseconds(3))
  }

  /// One tick, or two, are lost before a gateway that numbers its own packets. The stamps show the loss.
  @Test(arguments: [1, 2]) func ticksThatWereLostBeforeAGatewayDoNotShiftThePosition(ticks: Int) {
    var clocked = ClockedBand(seed: 6, sigma: .microseconds(100))
    clocked.tick(24, bpm: 120, stamped: true, missing: 0)
    clocked.deliver(.start, missing: 0)
    var dueTimes = clocked.tick(100, bpm: 120, stamped: true, missing: 0)
    dueTimes += clocked.tick(ticks, bpm: 120, arrives: false)
    dueTimes += clocked.tick(188 - ticks, bpm: 120, stamped: true, missing: 0)
    #expect(clocked.externalClock.lost == ticks && clocked.band.players[0].runs.count == 1)
    #expect(clocked.newestRunIsGapless(of: 0) && clocked.newestRunIsGapless(of: 1))
    #expect(clocked.error(ofPlayer: 0, against: dueTimes, steps: 8..<46).largest < .milliseconds(3))
  }

  /// The tempo of a clock with stamps and numbered packets is halved. No tick counts as lost for long.
  @Test func halvedTempoIsNotALossBeforeAGateway() {
    var clocked = ClockedBand(seed: 7, sigma: .microseconds(100))
    clocked.deliver(.start, missing: 0)
    var dueTimes = clocked.tick(24 * 16, bpm: 120, stamped: true, missing: 0)
    dueTimes += clocked.tick(24 * 16, bpm: 60, stamped: true, missing: 0)
    #expect(clocked.externalClock.lost == 0)
    #expect(clocked.error(ofPlayer: 0, against: dueTimes, steps: 96..<126).largest < .milliseconds(1))
  }

  /// The tempo of a clock with stamps steps from 120 to 126 BPM, or a knob is turned from 120 to 140 BPM in 1.6 s. The local peer plays alone.
  /// The largest error is 5 ms or 8 ms. With arrivals of any jitter, the stamps show the new tempo at once.
  @Test(arguments: [Nanoseconds.microseconds(10), .microseconds(300), .milliseconds(2)], [false, true])
  func tempoChangeWithStampsIsFollowedAtOnce(sigma: Nanoseconds, isKnob: Bool) {
    var clocked = ClockedBand(players: 1, seed: 8, sigma: sigma)
    clocked.tick(24, bpm: 120, stamped: true, missing: 0)
    clocked.deliver(.start, missing: 0)
    var dueTimes = clocked.tick(96, bpm: 120, stamped: true, missing: 0)
    if isKnob {
      for n in 0..<40 { dueTimes += clocked.tick(2, bpm: 120 + Double(n) / 2, stamped: true, missing: 0) }
      dueTimes += clocked.tick(72, bpm: 140, stamped: true, missing: 0)
    } else {
      dueTimes += clocked.tick(152, bpm: 126, stamped: true, missing: 0)
    }
    #expect(clocked.externalClock.lost == 0 && clocked.newestRunIsGapless(of: 0))
    let error = clocked.error(ofPlayer: 0, against: dueTimes, steps: 16..<39)
    let limit = Nanoseconds.milliseconds(isKnob ? 8 : 5)
    #expect(error.count == 23 && error.largest <= limit, "\(error.largest.milliseconds) ms")
    // Half a second after the change, the rhythm is with the clock again.
    #expect(clocked.error(ofPlayer: 0, against: dueTimes, steps: 36..<39).largest < .microseconds(1500))
  }

  @Test func ticksFromARecoveryJournalAreCounted() {
    var clocked = ClockedBand(seed: 1, sigma: .zero)
    clocked.deliver(.start)
    var dueTimes = clocked.tick(24 * 8, bpm: 120)
    // The packets of half a second, which is 24 ticks, are lost. The recovery journal of the next packet contains their
    // ticks. So no tick is missing before the tick of the next packet.
    dueTimes += clocked.tick(24, bpm: 120, arrives: false)
    for _ in 0..<24 { clocked.deliver(.recoveredClock) }
    dueTimes += clocked.tick(1, bpm: 120, arrives: false)
    clocked.deliver(.clock, missing: 0)
    dueTimes += clocked.tick(24 * 8, bpm: 120)
    #expect(clocked.newestRunIsGapless(of: 0) && clocked.newestRunIsGapless(of: 1))
    // The ticks were lost from step 32 to step 36.
    #expect(clocked.error(ofPlayer: 0, against: dueTimes, steps: 48..<64).largest < .milliseconds(1))
  }
}
