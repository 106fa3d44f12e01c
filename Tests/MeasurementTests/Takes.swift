import Foundation
import Measurement
import MusicalTime
import _TestSupport

/// Synthetic recordings with noise. Their hits are at known positions, which may lie between two frames.
enum Takes {
  /// The sample rate in hertz.
  static let rate = 48_000

  /// Returns a recording of hits.
  ///
  /// - Parameters:
  ///   - name: the name of the recording.
  ///   - positions: the positions of the hits in frames, ascending.
  ///   - sounds: the sounds of the hits, in turn.
  ///   - level: the amplitude of the hits.
  ///   - noise: the ratio of the mean power of the first 10 ms of a hit to the power of the white noise, in decibels; nil
  ///     for no noise. The ratio applies to the softest sound.
  ///   - seed: the seed of the noise.
  ///   - instant: the instant of the first frame.
  static func recording(
    _ name: String, positions: [Double], sounds: [Drums.Sound], level: Float = 0.5, noise: Double? = nil,
    seed: UInt64 = 1, at instant: Instant = Instant(nanoseconds: 0)
  ) -> Recording {
    let count = Int(positions.last ?? 0) + rate / 2
    var samples = [Float](repeating: 0, count: count)
    var softest = Float.infinity
    for (index, position) in positions.enumerated() {
      let sound = sounds[index % sounds.count]
      let whole = position.rounded(.down)
      let shape = shape(sound, level: level, fraction: position - whole)
      for (offset, sample) in shape.enumerated() {
        let frame = Int(whole) - taps + offset
        if samples.indices.contains(frame) { samples[frame] += sample }
      }
      softest = min(softest, shape[taps..<taps + rate / 100].reduce(0) { $0 + $1 * $1 } / Float(rate / 100))
    }
    if let noise {
      let amplitude = (Double(softest) / pow(10, noise / 10)).squareRoot()
      for (frame, value) in Clocks.gaussian(count, seed: seed).enumerated() {
        samples[frame] += Float(value * amplitude)
      }
    }
    // The samples are rounded as in a recording with 16 bits.
    return Recording(
      name: name, samples: samples.map { ($0 * 32_768).rounded() / 32_768 }, rate: rate, firstInstant: instant)
  }

  /// The number of taps of the interpolation filter on each side of its center.
  private static let taps = 32

  /// Returns a sound that begins ``taps`` frames plus `fraction` of a frame after the first sample. The fractional delay is an
  /// interpolation by a sinc function with a Hann window. An audio converter with an anti-aliasing filter has the same effect.
  private static func shape(_ sound: Drums.Sound, level: Float, fraction: Double) -> [Float] {
    var drums = Drums(seconds: 0.15)
    drums.strike(sound, at: 0, level: level)
    let kernel = (-taps...taps).map { index in
      let distance = Double(index) - fraction
      let sinc = distance == 0 ? 1 : sin(.pi * distance) / (.pi * distance)
      return Float(sinc * (0.5 + 0.5 * cos(.pi * distance / Double(taps + 1))))
    }
    // The last 50 ms (2400 frames) are faded out, so that the sound does not end with a step.
    let length = drums.samples.count
    var result = [Float](repeating: 0, count: length + 2 * taps)
    for index in 0..<length {
      let sample = drums.samples[index] * min(1, Float(length - index) / 2_400)
      for offset in 0...2 * taps { result[index + offset] += sample * kernel[offset] }
    }
    return result
  }

  /// Returns random positions in frames, about 200 ms apart. `drift` lengthens the distances by this fraction.
  static func grid(_ count: Int, seed: UInt64, drift: Double = 0) -> [Double] {
    var random = SplitMix(seed: seed)
    return (0..<count).map { 9_600 + Double($0) * 9_600 * (1 + drift) + Double.random(in: 0..<400, using: &random) }
  }
}
