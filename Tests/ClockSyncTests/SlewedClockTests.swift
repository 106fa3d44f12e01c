import ClockSync
import MusicalTime
import Testing

/// Tests of the remote clock by which a follower plays: its gradual corrections and its jumps. The parameter `jump` of `steer` is the limit
/// of the errors that are corrected gradually. An error above this limit is corrected at once. If `jump` is nil, every error is corrected
/// at once.
@Suite struct SlewedClockTests {
  private let start = Instant(nanoseconds: 1_000_000_000_000)

  private func estimate(_ offset: Nanoseconds, skew: Double = 0) -> ClockEstimate {
    ClockEstimate(offset: offset, skew: skew, uncertainty: .zero)
  }

  /// `error` is the error of the clock in nanoseconds. The clock corrects this error by at most 4 ms per second (a rate of 0.004). The
  /// correction takes less than 30 s: 600 steps of 50 ms.
  @Test(arguments: [Int64(-90_000_000), -2_000_000, -50_000, 50_000, 2_000_000, 90_000_000])
  func errorIsCorrectedSlowlyWithoutOvershoot(error: Int64) {
    var clock = SlewedClock()
    clock.steer(to: estimate(.zero), at: start, jump: nil)
    let target = Nanoseconds(error)
    var (now, last) = (start, start)
    for step in 1...600 {
      now = now + .milliseconds(50)
      let remote = clock.mapping!.remote(at: now)
      // The rate of the remote clock over the previous 50 ms (50e6 ns), minus 1. It includes the correction.
      let rate = Double((remote - last).count) / 50e6 - 1
      #expect(abs(rate) <= 0.004_001, "\(step)")
      clock.steer(to: estimate(target), at: now, jump: .milliseconds(100))
      // Steering does not change the current remote time.
      #expect((clock.mapping!.remote(at: now) - remote).magnitude <= Nanoseconds(1))
      // The remaining error never changes its sign, apart from rounding.
      let remaining = target - (remote - now)
      #expect(error > 0 ? remaining >= Nanoseconds(-2) : remaining <= Nanoseconds(2))
      last = remote
    }
    #expect((clock.mapping!.remote(at: now) - now - target).magnitude <= .microseconds(1))
    #expect(clock.jumps == 0)
  }

  @Test func clockContinuesAtTheEstimatedRateWithoutNewEstimates() {
    var clock = SlewedClock()
    clock.steer(to: estimate(.zero, skew: 30), at: start, jump: nil)
    clock.steer(to: estimate(.milliseconds(3), skew: 30), at: start, jump: .milliseconds(100))
    // One hour without estimates. A skew of 30 ppm is 30 us per second.
    let later = start + .seconds(3600)
    let expected = Nanoseconds.milliseconds(3) + .microseconds(30 * 3600)
    #expect((clock.mapping!.remote(at: later) - later - expected).magnitude < .microseconds(1))
  }

  @Test func clockJumpsBeyondTheLimitOrInSilence() {
    var clock = SlewedClock()
    clock.steer(to: estimate(.zero), at: start, jump: .milliseconds(100))
    let later = start + .milliseconds(1)
    clock.steer(to: estimate(.milliseconds(101)), at: later, jump: .milliseconds(100))
    #expect(clock.mapping!.remote(at: later) == later + .milliseconds(101) && clock.jumps == 1)
    // Without a limit, as while no rhythm sounds, the clock jumps at once. This jump is not counted.
    clock.steer(to: estimate(.milliseconds(100)), at: later, jump: nil)
    #expect(clock.mapping!.remote(at: later) == later + .milliseconds(100) && clock.jumps == 1)
  }

  @Test func localAndRemoteAreInverseAcrossTheBend() {
    var clock = SlewedClock()
    clock.steer(to: estimate(.seconds(7), skew: -40), at: start, jump: nil)
    clock.steer(to: estimate(.seconds(7) + .milliseconds(2), skew: -35), at: start, jump: .milliseconds(100))
    let mapping = clock.mapping!
    for n in Int64(-1000)...1000 {
      // Instants up to 1 ms before and after the instant at which the rate changes.
      let instant = mapping.bend + Nanoseconds(n * 997)
      #expect((mapping.local(at: mapping.remote(at: instant)) - instant).magnitude <= Nanoseconds(2))
      #expect(mapping.remote(at: instant + Nanoseconds(3)) > mapping.remote(at: instant))
    }
  }
}
