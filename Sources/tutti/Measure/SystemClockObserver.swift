import Engine
import Measurement
import MusicalTime
import Realtime

/// Observes the clocks of this machine during a live measurement, for its provenance.
final class SystemClockObserver {
  /// The state of NTP at the start; nil if the kernel does not report it.
  private let before = NTPState.current
  /// The rate of CLOCK_MONOTONIC relative to CLOCK_MONOTONIC_RAW, which NTP does not adjust.
  private var rate = ClockRate()
  /// The instant at which the next comparison of CLOCK_MONOTONIC with CLOCK_MONOTONIC_RAW is due.
  private var next = Instant(nanoseconds: .min)
  /// The interval between comparisons.
  private static let interval = Nanoseconds.seconds(1)

  init() { sample() }

  /// Compares the clocks if a second has passed since the last comparison.
  func sampleIfDue(at now: Instant) { if now >= next { sample() } }

  private func sample() {
    let readings = MonotonicClock.compareWithRaw()
    rate.add(monotonic: readings.monotonic, raw: readings.raw, uncertainty: readings.uncertainty)
    next = readings.monotonic + Self.interval
  }

  /// Ends the observation and returns its result; nil if the kernel does not report the state of NTP.
  func finish() -> SystemClock? {
    sample()
    guard let before, let after = NTPState.current else { return nil }
    return SystemClock(before: before, after: after, rate: rate)
  }
}
