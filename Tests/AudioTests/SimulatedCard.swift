import Audio
import MusicalTime
import Seeds

/// A sound card's clock and its stamps, as a rule: frame f leaves the converter at `start` + f / rate, `drift` parts per
/// million too long.
struct SimulatedCard {
  enum Noise: String {
    /// A position read is up to 4 ms old.
    case sawtooth
    /// A position read is wrong by up to 0.5 ms, either way.
    case symmetric
  }

  let noise: Noise
  let drift: Double
  let period: Int64
  private(set) var start = Instant(nanoseconds: 77_000_000_000_123)
  let firstFrame: Int64 = 1_000_000
  var random: SplitMix
  var clock: DeviceClock
  private var read = Int64(0)

  init(noise: Noise, drift: Double, period: Int64 = 256, seed: UInt64) {
    (self.noise, self.drift, self.period) = (noise, drift, period)
    random = SplitMix(seed: seed)
    // What is known at the beginning is wrong by milliseconds.
    clock = DeviceClock(
      grid: .standard, stamps: noise == .sawtooth ? .stale : .noisy, frame: firstFrame, at: start + .milliseconds(3))
  }

  func instant(of frame: Int64) -> Instant {
    start + Nanoseconds(Int64((Double(frame - firstFrame) * (1e9 / 48_000) * (1 + drift / 1e6)).rounded()))
  }

  /// Reads the position once a period for `seconds`; gives the greatest errors of the mapping, in microseconds, for the
  /// frames written then.
  mutating func run(seconds: Double, after: Double = 0) -> (least: Double, greatest: Double) {
    var (least, greatest) = (Double.infinity, -Double.infinity)
    for count in 0..<Int64(seconds * 48_000) / period {
      let frame = firstFrame + read
      read += period
      let wrong =
        noise == .sawtooth ? random.integer(in: 0...4_000_000) : random.integer(in: -500_000...500_000)
      clock.observe(frame: frame, at: instant(of: frame) + Nanoseconds(wrong))
      guard Double(count * period) >= after * 48_000 else { continue }
      let next = frame + 2 * period
      let error = (clock.line.instant(of: next) - instant(of: next)).microseconds
      (least, greatest) = (min(least, error), max(greatest, error))
    }
    return (least, greatest)
  }

  /// The device stands still for `length` without telling, or has played less than it said.
  mutating func delay(by length: Nanoseconds) { start = start + length }

  /// The stream is started again: what is known of the beginning is wrong by milliseconds.
  mutating func restart() {
    let frame = firstFrame + read
    clock.restart(frame: frame, at: instant(of: frame) + .milliseconds(3))
  }
}
