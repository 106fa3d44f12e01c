import ClockSync
import Foundation
import MusicalTime
import Testing
import _TestSupport

/// A sender of ticks with time stamps. Each tick arrives later than its due time, by 2 ms plus the magnitude of a normally
/// distributed number.
private struct Sender {
  var random: SplitMix
  /// The clock of the sender minus the clock of the receiver.
  let ahead: Nanoseconds
  /// The standard deviation of the normally distributed number, in nanoseconds.
  let sigma: Double
  /// The newest tick, and its due time in nanoseconds by the clock of the receiver.
  var tick = Tick(0)
  var due = 1e12

  init(seed: UInt64, ahead: Nanoseconds = .seconds(-90), sigma: Nanoseconds = .milliseconds(1)) {
    (random, self.ahead, self.sigma) = (SplitMix(seed: seed), ahead, Double(sigma.count))
  }

  /// The estimate that the receiver has of the sender's clock.
  var clock: ClockEstimate { ClockEstimate(offset: ahead, uncertainty: .milliseconds(1)) }

  /// Sends the next tick. `stamp` calculates its time stamp from its due time and its arrival, both by the sender's
  /// clock. The time stamp is rounded down to units of 100 us.
  ///
  /// - Returns: the due time of the tick by the clock of the receiver.
  mutating func next(
    bpm: Double, to ticks: inout StampedTicks,
    stamp: (_ due: Instant, _ arrival: Instant) -> Instant = { due, _ in due }
  ) -> Instant {
    due += 60e9 / bpm / 24
    tick = tick + 1
    // The Box-Muller transform of two random numbers gives a normally distributed number.
    let (u, v) = (Double.random(in: 1e-12...1, using: &random), Double.random(in: 0..<1, using: &random))
    let late = 2e6 + abs((-2 * log(u)).squareRoot() * cos(2 * .pi * v)) * sigma
    let (dueTime, arrival) = (Instant(nanoseconds: Int64(due)), Instant(nanoseconds: Int64(due + late)))
    let stamped = stamp(dueTime + ahead, arrival + ahead).nanoseconds
    ticks.add(tick, stamped: Instant(nanoseconds: stamped / 100_000 * 100_000), at: arrival, by: clock)
    return dueTime
  }
}

/// Tests of which time stamps of ticks are trusted, and how accurate the tempo and the phase from trusted stamps are.
@Suite struct StampedTicksTests {
  @Test(arguments: UInt64(1)...10) func trueStampsAreTrustedAndAccurate(seed: UInt64) {
    var (sender, ticks) = (Sender(seed: seed), StampedTicks())
    for n in 0..<400 {
      let due = sender.next(bpm: 97.3, to: &ticks)
      // The first two quarter notes are not compared.
      guard n >= 48 else { continue }
      let error = ticks.timeline!.deadline(sender.tick) - due
      let tempo = ticks.timeline!.tempo.bpm
      if !ticks.isTrusted || error.magnitude >= .microseconds(30) || abs(tempo - 97.3) >= 0.02 {
        Issue.record("seed \(seed), tick \(n): trusted \(ticks.isTrusted), \(error.microseconds) us, \(tempo) BPM")
      }
    }
  }

  @Test func tempoStepIsFollowed() {
    var (sender, ticks) = (Sender(seed: 1), StampedTicks())
    for _ in 0..<200 { _ = sender.next(bpm: 120, to: &ticks) }
    for n in 1...60 {
      let due = sender.next(bpm: 140, to: &ticks)
      // Half a quarter note after the step.
      if n >= 12 {
        #expect((ticks.timeline!.deadline(sender.tick) - due).magnitude < .microseconds(150))
        #expect(abs(ticks.timeline!.tempo.bpm - 140) < 0.5)
      }
    }
  }

  /// A step of the tempo shows in the first exact stamp, also if the arrivals scatter less than the stamps.
  @Test(arguments: [Nanoseconds.microseconds(10), .milliseconds(1)], UInt64(1)...5)
  func exactStampsShowAStepAtOnce(sigma: Nanoseconds, seed: UInt64) {
    var (sender, ticks) = (Sender(seed: seed, sigma: sigma), StampedTicks())
    for _ in 0..<100 { _ = sender.next(bpm: 120, to: &ticks) }
    for n in 1...90 {
      let due = sender.next(bpm: 126, to: &ticks)
      let error = (ticks.timeline!.deadline(sender.tick) - due).magnitude
      let tempo = ticks.timeline!.tempo.bpm
      // Two stamps give the tempo to 0.5 % each, many stamps exactly.
      let tolerance = n < 6 ? 126 * 0.01 : 0.2
      if !ticks.isTrusted || error > .microseconds(100) || abs(tempo - 126) > tolerance {
        Issue.record("seed \(seed), tick \(n): trusted \(ticks.isTrusted), \(error.microseconds) us, \(tempo) BPM")
      }
    }
  }

  /// One stamp, or two, deviate although the ticks have arrived on time. They change nothing.
  @Test(arguments: [1, 2], [Nanoseconds.milliseconds(5), .milliseconds(-3)])
  func wrongStampIsLeftOut(count: Int, error: Nanoseconds) {
    var (sender, ticks) = (Sender(seed: 3, sigma: .microseconds(300)), StampedTicks())
    for n in 0..<200 {
      let isWrong = (100..<(100 + count)).contains(n)
      let due = sender.next(bpm: 120, to: &ticks) { due, _ in isWrong ? due + error : due }
      guard n >= 60 else { continue }
      let deviation = (ticks.timeline!.deadline(sender.tick) - due).magnitude
      if !ticks.isTrusted || deviation > .microseconds(60) {
        Issue.record("tick \(n): trusted \(ticks.isTrusted), \(deviation.microseconds) us")
      }
    }
  }

  /// The ticks are sent before they are due, with stamps 100 ms in the future.
  @Test func stampsAheadOfTimeAreTrusted() {
    var (sender, ticks) = (Sender(seed: 1), StampedTicks())
    for _ in 0..<60 { _ = sender.next(bpm: 120, to: &ticks) { due, _ in due + .milliseconds(100) } }
    #expect(ticks.isTrusted)
  }

  /// Senders with useless stamps. Each closure calculates a stamp from the due time and the arrival of the tick, both by the sender's
  /// clock. In the case "arrival", the stamp equals the arrival: a jittery sender stamps each tick when it sends it. The receiver reads
  /// each stamp as a number of units of 100 us. Therefore a sender that counts frames at 44.1 kHz (22.7 us) or milliseconds appears to have
  /// a fast or a slow clock.
  @Test(
    arguments: [
      ("zero", { @Sendable (_, _) in Instant(nanoseconds: 0) }),
      ("constant", { @Sendable (_, _) in Instant(nanoseconds: 123_456_789_000) }),
      ("arrival", { @Sendable (_, arrival) in arrival }),
      ("44.1 kHz", { @Sendable (due, _) in Instant(nanoseconds: Int64(Double(due.nanoseconds) * 4.41)) }),
      ("milliseconds", { @Sendable (due, _) in Instant(nanoseconds: due.nanoseconds / 10) }),
      ("another origin", { @Sendable (due, _) in due + .seconds(3600) }),
      ("a second in the past", { @Sendable (due, _) in due - .seconds(1) }),
    ] as [(String, @Sendable (Instant, Instant) -> Instant)])
  func uselessStampsAreNotTrusted(_ name: String, stamp: @Sendable (Instant, Instant) -> Instant) {
    var (sender, ticks) = (Sender(seed: 7), StampedTicks())
    for _ in 0..<400 {
      _ = sender.next(bpm: 120, to: &ticks, stamp: stamp)
      if ticks.isTrusted { Issue.record("\(name)") }
    }
  }

  /// The arrivals scatter by 10 us, and the stamps have units of 100 us.
  @Test func preciseArrivalsArePreferredToCoarseStamps() {
    var (sender, ticks) = (Sender(seed: 1, sigma: .microseconds(10)), StampedTicks())
    for _ in 0..<100 { _ = sender.next(bpm: 97.3, to: &ticks) }
    #expect(!ticks.isTrusted)
  }

  @Test(arguments: UInt64(1)...100) func randomInputKeepsTheTimelineValid(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var ticks = StampedTicks()
    var (tick, stamp, arrival) = (Tick(0), Instant(nanoseconds: 0), Instant(nanoseconds: 0))
    for _ in 0..<500 {
      switch random.integer(in: 0...20) {
      case 0: tick = Tick(random.integer(in: .min ... .max))
      case 1: stamp = Instant(nanoseconds: random.integer(in: .min ... .max))
      case 2: arrival = Instant(nanoseconds: random.integer(in: .min ... .max))
      default:
        tick = tick + 1
        stamp = stamp + Nanoseconds(random.integer(in: 0...40_000_000))
        arrival = arrival + Nanoseconds(random.integer(in: 0...40_000_000))
      }
      let offset = Nanoseconds(random.integer(in: .min ... .max))
      ticks.add(
        tick, stamped: stamp, at: arrival, by: ClockEstimate(offset: offset, uncertainty: .milliseconds(1)))
      if ticks.count > StampedTicks.depth { Issue.record("seed \(seed): \(ticks.count) ticks") }
      if let timeline = ticks.timeline, !Tempo.lengths.contains(timeline.tempo.nanosecondsPerQuarter) {
        Issue.record("seed \(seed): \(timeline.tempo)")
      }
    }
  }
}
