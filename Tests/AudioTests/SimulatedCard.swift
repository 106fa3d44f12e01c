import Audio
import MusicalTime
import _TestSupport

/// A simulated sound card clock with noisy time stamps. Frame ``firstFrame`` + n leaves the converter n frame lengths after
/// ``start``. A frame is longer than nominal by ``drift`` parts per million.
struct SimulatedCard {
  /// The errors of the reported positions.
  enum Noise: String {
    /// A reported position is up to 4 ms old.
    case oneSided
    /// A reported position has an error of up to 0.5 ms of either sign.
    case symmetric
  }

  let noise: Noise
  let drift: Double
  let period: Int64
  private(set) var start = Instant(nanoseconds: 77_000_000_000_123)
  let firstFrame: Int64 = 1_000_000
  var random: SplitMix
  var clock: DeviceClock
  /// The number of frames that the card has played.
  private var position = Int64(0)

  init(noise: Noise, drift: Double, period: Int64 = 256, seed: UInt64) {
    (self.noise, self.drift, self.period) = (noise, drift, period)
    random = SplitMix(seed: seed)
    // The initial origin has an error of 3 ms.
    clock = DeviceClock(
      grid: .standard, noise: noise == .oneSided ? .oneSided : .symmetric, frame: firstFrame,
      at: start + .milliseconds(3))
  }

  /// The true instant at which `frame` leaves the converter.
  func instant(of frame: Int64) -> Instant {
    start + Nanoseconds(Int64((Double(frame - firstFrame) * (1e9 / 48_000) * (1 + drift / 1e6)).rounded()))
  }

  /// Reports the position once per period for `seconds` seconds.
  ///
  /// - Parameter after: the seconds at the start that the result ignores.
  /// - Returns: the smallest and the largest error of the fit in microseconds. The error is the instant by the fit minus the true
  ///   instant, both of the frame two periods after the reported frame.
  mutating func run(seconds: Double, after: Double = 0) -> (least: Double, greatest: Double) {
    var (least, greatest) = (Double.infinity, -Double.infinity)
    for count in 0..<Int64(seconds * 48_000) / period {
      let frame = firstFrame + position
      position += period
      let error =
        noise == .oneSided ? random.integer(in: 0...4_000_000) : random.integer(in: -500_000...500_000)
      clock.observe(frame: frame, at: instant(of: frame) + Nanoseconds(error))
      guard Double(count * period) >= after * 48_000 else { continue }
      let next = frame + 2 * period
      let fitError = (clock.fit.instant(of: next) - instant(of: next)).microseconds
      (least, greatest) = (min(least, fitError), max(greatest, fitError))
    }
    return (least, greatest)
  }

  /// Delays all later frames by `length`, as if the device had stopped without a report. If `length` is negative, the later frames are
  /// earlier, as if the device had skipped frames.
  mutating func delay(by length: Nanoseconds) { start = start + length }

  /// Restarts the stream. The new origin has an error of 3 ms.
  mutating func restart() {
    let frame = firstFrame + position
    clock.restart(frame: frame, at: instant(of: frame) + .milliseconds(3))
  }
}
