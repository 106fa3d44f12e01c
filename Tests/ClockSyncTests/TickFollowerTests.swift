import ClockSync
import Foundation
import MusicalTime
import Testing
import _TestSupport

/// A clock whose ticks arrive late by the magnitude of a normally distributed number.
private struct JitteryClock {
  var random: SplitMix
  /// The standard deviation of the normally distributed number, in nanoseconds.
  let sigma: Double
  var tick = Tick(0)
  /// The due time of the latest tick, in nanoseconds.
  var due = 1e12

  /// The next tick at `bpm`, with its due time and its arrival.
  mutating func next(bpm: Double) -> (tick: Tick, due: Double, arrival: Instant) {
    // A minute has 60e9 ns, and a quarter note has 24 ticks.
    due += 60e9 / bpm / 24
    tick = tick + 1
    return (tick, due, Instant(nanoseconds: Int64(due + abs(normal()) * sigma)))
  }

  private mutating func normal() -> Double {
    // Box-Muller transform.
    let (u, v) = (Double.random(in: 1e-12...1, using: &random), Double.random(in: 0..<1, using: &random))
    return (-2 * log(u)).squareRoot() * cos(2 * .pi * v)
  }
}

/// The error of the line of the follower at `tick`, in nanoseconds: the deadline by the line minus the true due time.
private func error(of follower: TickFollower, at tick: Tick, due: Double) -> Double {
  Double(follower.timeline?.deadline(tick).nanoseconds ?? .max) - due
}

private func standardDeviation(_ values: [Double]) -> Double {
  let mean = values.reduce(0, +) / Double(values.count)
  return (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)).squareRoot()
}

/// Tests of the tempo and the phase that the follower derives from the arrivals of ticks alone.
@Suite struct TickFollowerTests {
  @Test func exactClockIsFollowedWithinOneMicrosecond() {
    var follower = TickFollower()
    let truth = Timeline(tempo: try! Tempo(bpm: 137.3), tick: Tick(1000), at: Instant(nanoseconds: 77))
    for n in Int64(1000)..<4000 {
      follower.add(Tick(n), at: truth.deadline(Tick(n)))
      guard n > 1000 else { continue }
      // The error a quarter note ahead is at most 1 us at first, and 40 ns from the tenth tick on.
      let error = follower.timeline!.deadline(Tick(n + 24)) - truth.deadline(Tick(n + 24))
      if error.magnitude > (n < 1010 ? .microseconds(1) : Nanoseconds(40)) { Issue.record("tick \(n): \(error)") }
    }
    #expect(follower.restarts == 0)
  }

  /// `Benchmarks/bare-ticks.sh` compares published followers in the same experiment: 1000 ticks at 120 BPM, then 300 ticks at 140 BPM. The
  /// ticks arrive late by the magnitude of a normally distributed number with a standard deviation of 1 ms.
  @Test(arguments: UInt64(1)...20) func tempoStepIsFollowedDespiteJitter(seed: UInt64) {
    var clock = JitteryClock(random: SplitMix(seed: seed), sigma: 1e6)
    var follower = TickFollower()
    var errors: [Double] = []
    // The restarts of the window during the first 200 ticks, which are not compared.
    var initialRestarts = 0
    for n in 0..<1000 {
      let (tick, due, arrival) = clock.next(bpm: 120)
      follower.add(tick, at: arrival)
      if n >= 200 {
        errors.append(error(of: follower, at: tick, due: due))
      } else {
        initialRestarts = follower.restarts
      }
    }
    // The standard deviation and the mean of the error are less than 0.1 ms.
    #expect(standardDeviation(errors) < 100_000, "seed \(seed)")
    #expect(abs(errors.reduce(0, +)) / Double(errors.count) < 100_000, "seed \(seed)")
    #expect(follower.restarts == initialRestarts, "seed \(seed)")
    // The largest error after the tempo step, and the last tick at which the error of the tempo is more than 0.5 BPM.
    var (worst, settled) = (0.0, 0)
    for n in 1...300 {
      let (tick, due, arrival) = clock.next(bpm: 140)
      follower.add(tick, at: arrival)
      worst = max(worst, abs(error(of: follower, at: tick, due: due)))
      if abs((follower.timeline?.tempo.bpm ?? 0) - 140) > 0.5 { settled = n }
    }
    // The limits are 5 ms, and a quarter note (24 ticks).
    #expect(worst < 5e6, "seed \(seed)")
    #expect(settled < 24, "seed \(seed)")
  }

  /// A quarter note (24 ticks) after the tempo step from 140 to 120 BPM, the tempo is accurate to 0.5 BPM.
  @Test(arguments: UInt64(1)...20) func slowerTempoIsDetected(seed: UInt64) {
    var clock = JitteryClock(random: SplitMix(seed: seed), sigma: 300_000)
    var follower = TickFollower()
    for _ in 0..<300 {
      let (tick, _, arrival) = clock.next(bpm: 140)
      follower.add(tick, at: arrival)
    }
    for n in 1...100 {
      let (tick, _, arrival) = clock.next(bpm: 120)
      follower.add(tick, at: arrival)
      if n >= 24 { #expect(abs((follower.timeline?.tempo.bpm ?? 0) - 120) < 0.5, "seed \(seed), tick \(n)") }
    }
  }

  @Test func lineIsAccurateFiftyTicksAfterTenLateTicks() {
    var clock = JitteryClock(random: SplitMix(seed: 3), sigma: 100_000)
    var follower = TickFollower()
    for n in 0..<600 {
      let (tick, due, arrival) = clock.next(bpm: 120)
      // The sender stalls for 200 ms, which is about ten ticks. Tick 300 is 200 ms late. The lateness of each further tick is 20 ms less.
      follower.add(
        tick,
        at: (300..<310).contains(n)
          ? Instant(nanoseconds: arrival.nanoseconds + 200_000_000 - Int64(n - 300) * 20_000_000) : arrival)
      // 50 ticks after the stall, the error is less than 50 us.
      if n > 360 { #expect(abs(error(of: follower, at: tick, due: due)) < 50_000) }
    }
  }

  @Test(arguments: UInt64(1)...200) func randomInputKeepsTheTimelineValid(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var follower = TickFollower()
    var (tick, instant) = (Tick(0), Instant(nanoseconds: 0))
    for _ in 0..<1000 {
      switch random.integer(in: 0...20) {
      case 0: tick = Tick(random.integer(in: .min ... .max))
      case 1: instant = Instant(nanoseconds: random.integer(in: .min ... .max))
      case 2: break  // The same tick arrives again at the same instant.
      default:
        tick = tick + 1
        instant = instant + Nanoseconds(random.integer(in: 0...40_000_000))
      }
      follower.add(tick, at: instant)
      expectPlausible(follower, "seed \(seed)")
      if follower.lateness < .zero { Issue.record("seed \(seed): \(follower.lateness)") }
    }
  }
}
