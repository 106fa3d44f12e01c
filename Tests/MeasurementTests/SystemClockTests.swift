import MusicalTime
import Testing
import _TestSupport

@testable import Measurement

/// Tests of the notes on the clock of the machine during a measurement (``SystemClock``), and of the rate of CLOCK_MONOTONIC
/// relative to CLOCK_MONOTONIC_RAW (``ClockRate``).
@Suite struct SystemClockTests {
  private static func state(_ frequency: Double = 10) -> NTPState {
    NTPState(
      isSynchronized: true, offset: Nanoseconds(-1500), frequency: frequency, estimatedError: .microseconds(20),
      maximumError: .microseconds(5000))
  }

  /// Reads both clocks once per second. `rate` returns the rate in the second before a reading, in parts per million. The readings
  /// have errors of up to 40 ns.
  private static func clock(seconds: Int, seed: UInt64, rate: (Int) -> Double) -> ClockRate {
    var (random, clock, monotonic) = (SplitMix(seed: seed), ClockRate(), 5e9)
    for second in 0...seconds {
      if second > 0 { monotonic += 1e9 + rate(second) * 1e3 }
      let error = random.integer(in: -40...40)
      clock.add(
        monotonic: Instant(nanoseconds: Int64(monotonic.rounded()) + error), raw: Int64(second) * 1_000_000_000,
        uncertainty: Nanoseconds(40))
    }
    return clock
  }

  @Test(arguments: 0..<50) func rateIsRecoveredWithinItsUncertainty(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let rate = Double(random.integer(in: -500_000...500_000)) / 1e3
    let clock = Self.clock(seconds: 30, seed: seed) { _ in rate }
    let result = try #require(clock.partsPerMillion)
    // The uncertainty is 2 * 40 ns in 30 s, which is 0.0027 ppm. The summand 1e-4 allows for the rounding of the readings to whole
    // nanoseconds.
    #expect(abs(result.value - rate) <= result.uncertainty + 1e-4 && result.uncertainty < 0.003)
    #expect(clock.excursion <= 0)
    #expect(SystemClock(before: Self.state(), after: Self.state(), rate: clock).notes == [])
  }

  /// NTP slews the clock by 0.5 ppm for five of thirty seconds, 2.5 us in total. The deviation from a constant rate is largest at second
  /// 14: 2.5 us * (1 - 14 / 30) = 1.3 us. The excursion is less, because ``ClockRate`` subtracts the possible errors of the readings and
  /// its resolution.
  @Test(arguments: 0..<20) func slewIsReported(seed: UInt64) {
    let clock = Self.clock(seconds: 30, seed: seed) { (10..<15).contains($0) ? 10.5 : 10 }
    let notes = SystemClock(before: Self.state(), after: Self.state(), rate: clock).notes
    #expect(clock.excursion > 500 && notes.count == 1 && notes[0].hasPrefix("CLOCK_MONOTONIC was slewed"))
  }

  @Test func changedFrequencyIsReported() {
    let clock = Self.clock(seconds: 10, seed: 1) { _ in 10 }
    let notes = SystemClock(before: Self.state(10), after: Self.state(10.25), rate: clock).notes
    #expect(notes == ["NTP changed the rate of CLOCK_MONOTONIC during the measurement: from 10.000 to 10.250 ppm"])
  }

  /// A day has more readings than ``ClockRate`` keeps. The rate is still right.
  @Test func longObservationsKeepTheirRate() throws {
    let result = try #require(Self.clock(seconds: 86_400, seed: 3) { _ in -3.25 }.partsPerMillion)
    #expect(abs(result.value + 3.25) < 1e-4)
  }

  @Test func oneReadingHasNoRate() {
    let clock = Self.clock(seconds: 0, seed: 0) { _ in 0 }
    #expect(clock.partsPerMillion == nil && clock.excursion == 0)
    #expect(SystemClock(before: Self.state(), after: Self.state(), rate: clock).rate == nil)
  }
}
