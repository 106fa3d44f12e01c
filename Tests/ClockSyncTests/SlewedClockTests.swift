import ClockSync
import MusicalTime
import Seeds
import Testing

@Suite struct ClockLineTests {
  @Test(arguments: UInt64(1)...100) func thereAndBackIsExactToTwoNanoseconds(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let line = ClockLine(
      own: Instant(nanoseconds: random.integer(in: -1_000_000_000_000_000...1_000_000_000_000_000)),
      remote: Instant(nanoseconds: random.integer(in: -1_000_000_000_000_000...1_000_000_000_000_000)),
      skew: Double(random.integer(in: -10_000...10_000)))
    for _ in 0..<100 {
      let instant = line.own + Nanoseconds(random.integer(in: -1_000_000_000_000...1_000_000_000_000))
      let there = line.remote(at: instant)
      #expect((line.own(at: there) - instant).magnitude <= Nanoseconds(2))
      let exact = Double((instant - line.own).count) * (1 + line.skew / 1e6)
      #expect(abs(Double((there - line.remote).count) - exact) < 2)
      #expect(line.remote(at: instant + Nanoseconds(2)) > there)
    }
  }

  @Test func theEndsOfTimeStandForNever() {
    let line = ClockLine(local: Instant(nanoseconds: 5), remote: Instant(nanoseconds: .max - 5), skew: 100)
    #expect(line.own(at: .distantFuture) == .distantFuture && line.remote(at: .distantFuture) == .distantFuture)
    #expect(line.remote(at: Instant(nanoseconds: .max - 1)) == .distantFuture)
    #expect(line.own(at: Instant(nanoseconds: .min)) == Instant(nanoseconds: .min))
    #expect(ClockLine.identity.own(at: Instant(nanoseconds: 42)) == Instant(nanoseconds: 42))
  }
}

@Suite struct SlewedClockTests {
  private let start = Instant(nanoseconds: 1_000_000_000_000)

  private func estimate(_ offset: Nanoseconds, skew: Double = 0) -> ClockEstimate {
    ClockEstimate(offset: offset, skew: skew, uncertainty: .zero)
  }

  @Test(arguments: [Int64(-90_000_000), -2_000_000, -50_000, 50_000, 2_000_000, 90_000_000])
  func anErrorIsMadeGoodGentlyAndNotOverdone(error: Int64) {
    var clock = SlewedClock()
    clock.steer(to: estimate(.zero), at: start, jump: nil)
    let goal = Nanoseconds(error)
    var (now, last) = (start, start)
    for step in 1...600 {
      now = now + .milliseconds(50)
      // The rate at which the remote clock passes, the correction in it: by what is played in the 50 ms before.
      let remote = clock.mapping!.remote(at: now)
      let rate = Double((remote - last).count) / 50e6 - 1
      #expect(abs(rate) <= 0.004_001, "\(step)")
      clock.steer(to: estimate(goal), at: now, jump: .milliseconds(100))
      // Steering moves nothing at the moment itself.
      #expect((clock.mapping!.remote(at: now) - remote).magnitude <= Nanoseconds(1))
      let left = goal - (remote - now)
      #expect(error > 0 ? left >= Nanoseconds(-2) : left <= Nanoseconds(2))
      last = remote
    }
    #expect((clock.mapping!.remote(at: now) - now - goal).magnitude <= .microseconds(1))
    #expect(clock.jumps == 0)
  }

  @Test func withoutNewsItGoesOnAtTheEstimatedRateAndStopsWhereItWasGoing() {
    var clock = SlewedClock()
    clock.steer(to: estimate(.zero, skew: 30), at: start, jump: nil)
    clock.steer(to: estimate(.milliseconds(3), skew: 30), at: start, jump: .milliseconds(100))
    // An hour of silence.
    let later = start + .seconds(3600)
    let expected = Nanoseconds.milliseconds(3) + .microseconds(30 * 3600)
    #expect((clock.mapping!.remote(at: later) - later - expected).magnitude < .microseconds(1))
  }

  @Test func jumpsBeyondAStepOrInSilence() {
    var clock = SlewedClock()
    clock.steer(to: estimate(.zero), at: start, jump: .milliseconds(100))
    let later = start + .milliseconds(1)
    clock.steer(to: estimate(.milliseconds(101)), at: later, jump: .milliseconds(100))
    #expect(clock.mapping!.remote(at: later) == later + .milliseconds(101) && clock.jumps == 1)
    clock.steer(to: estimate(.milliseconds(100)), at: later, jump: nil)
    #expect(clock.mapping!.remote(at: later) == later + .milliseconds(100) && clock.jumps == 1)
  }

  @Test func ownAndRemoteAreInverseAcrossTheBend() {
    var clock = SlewedClock()
    clock.steer(to: estimate(.seconds(7), skew: -40), at: start, jump: nil)
    clock.steer(to: estimate(.seconds(7) + .milliseconds(2), skew: -35), at: start, jump: .milliseconds(100))
    let mapping = clock.mapping!
    for n in Int64(-1000)...1000 {
      let instant = mapping.bend + Nanoseconds(n * 997)
      #expect((mapping.own(at: mapping.remote(at: instant)) - instant).magnitude <= Nanoseconds(2))
      #expect(mapping.remote(at: instant + Nanoseconds(3)) > mapping.remote(at: instant))
    }
  }
}
