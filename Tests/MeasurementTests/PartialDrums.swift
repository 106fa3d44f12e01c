import Foundation
import Measurement
import MusicalTime
import _TestSupport

/// A drum kit whose sounds are sums of decaying sines, so that a hit can be at any position between two frames without interpolation. The
/// recordings contain no noise except the rounding to 16 bits.
struct PartialDrums {
  enum Sound: CaseIterable { case kick, snare, hat }

  /// A sine that decays exponentially.
  private struct Partial { var frequency, phase, level, decay: Double }

  private var sounds: [Sound: [Partial]] = [:]
  private let rate: Int

  /// Creates a kit. Each seed gives other sounds.
  init(seed: UInt64, rate: Int = 48_000) {
    self.rate = rate
    var random = SplitMix(seed: seed)
    for sound in Sound.allCases {
      // The frequencies in hertz, the number of partials, and the time constants of the decay in seconds. The tail of the snare overlaps
      // with later hits.
      let (range, count, decay): (ClosedRange<Double>, Int, ClosedRange<Double>) =
        switch sound {
        case .kick: (50...90, 1, 0.03...0.12)
        case .snare: (180...9_000, 40, 0.03...0.2)
        case .hat: (15_500...19_500, 60, 0.01...0.05)
        }
      sounds[sound] = (0..<count).map { _ in
        Partial(
          frequency: Double.random(in: range, using: &random), phase: Double.random(in: 0..<2 * .pi, using: &random),
          level: Double.random(in: 0.2...1, using: &random) / Double(count).squareRoot(),
          decay: Double.random(in: decay, using: &random))
      }
    }
  }

  /// Returns a recording of hits at `positions`, in frames, with `sounds` in turn. A negative level inverts the polarity.
  func recording(_ name: String, positions: [Double], sounds: [Sound], level: Double = 0.25) -> Recording {
    var samples = [Double](repeating: 0, count: Int((positions.last ?? 0)) + rate * 3 / 4)
    for (index, position) in positions.enumerated() {
      let first = Int(position.rounded(.up))
      // The time from the position to the first frame.
      let start = (Double(first) - position) / Double(rate)
      for partial in self.sounds[sounds[index % sounds.count]]! {
        // The partial is the imaginary part of a phasor, which turns and decays from frame to frame.
        let (angle, step) = (2 * .pi * partial.frequency, 1 / Double(rate))
        var (x, y) = (cos(angle * start + partial.phase), sin(angle * start + partial.phase))
        let scale = level * partial.level * exp(-start / partial.decay)
        (x, y) = (scale * x, scale * y)
        let (dx, dy) = (exp(-step / partial.decay) * cos(angle * step), exp(-step / partial.decay) * sin(angle * step))
        for frame in first..<min(first + Int(8 * partial.decay * Double(rate)), samples.count) {
          let time = start + Double(frame - first) * step
          // An attack of 0.5 ms limits the bandwidth.
          samples[frame] += y * (time < 0.0005 ? 0.5 - 0.5 * cos(.pi * time / 0.0005) : 1)
          (x, y) = (x * dx - y * dy, x * dy + y * dx)
        }
      }
    }
    return Recording(
      name: name, samples: samples.map { Float(($0 * 32_768).rounded() / 32_768) }, rate: rate,
      firstInstant: Instant(nanoseconds: 0))
  }
}
