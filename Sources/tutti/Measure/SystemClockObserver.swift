import Engine
import Measurement
import MusicalTime
import Realtime

/// Observes the clocks of this machine during a live measurement.
final class SystemClockObserver {
  private let before = NTPState.current
  private var rate = ClockRate()
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

  /// Ends the observation; nil if the kernel does not tell the state of its clock.
  func finish() -> SystemClock? {
    sample()
    guard let before, let after = NTPState.current else { return nil }
    return SystemClock(before: before, after: after, rate: rate)
  }
}
