/// Measures the distance in frames of the same hit in two recordings, by cross-correlation.
///
/// Peers play the same sound. The lag with the maximum correlation of the two recordings around a hit is therefore the
/// time difference of the hit, with a resolution of one frame, regardless of the exact frames of the detected onsets.
/// The correlation uses the first differences of the samples, from 2 ms before the onset to 10 ms after it.
/// Differencing attenuates low frequencies, which have a broad correlation peak and still ring from earlier hits. The
/// coefficient is normalised at every lag. (C. H. Knapp and G. C. Carter, "The generalized correlation method for
/// estimation of time delay", IEEE Trans. ASSP 24 (4), 1976, with a fixed pre-emphasis.)
struct HitCorrelation {
  /// The maximum lag in frames relative to the detected onsets: 3 ms.
  private let maximumLag: Int
  /// The frames compared before the onset: 2 ms.
  private let before: Int
  /// The frames compared after the onset: 10 ms.
  private let after: Int

  /// The minimum correlation coefficient of two hits with the same sound.
  private static let minimumCoefficient = 0.6

  /// Creates a correlation for recordings with `rate` frames per second.
  init(rate: Int) {
    maximumLag = rate * 3 / 1_000
    before = rate * 2 / 1_000
    after = rate * 10 / 1_000
  }

  /// Returns the frame of `second` near `guess` that corresponds to `frame` of `first`. Returns nil if the coefficient
  /// is too small or if its maximum lies at the maximum lag on either side.
  func match(_ frame: Int, in first: [Float], near guess: Int, in second: [Float]) -> Int? {
    let length = before + after
    let x = differences(of: first, from: frame - before, count: length)
    let y = differences(of: second, from: guess - before - maximumLag, count: length + 2 * maximumLag)
    let powerOfX = x.reduce(0) { $0 + $1 * $1 }
    guard powerOfX > 0 else { return nil }
    // The power of the part of y that is compared with x, at the present lag.
    var powerOfY = y[..<length].reduce(0) { $0 + $1 * $1 }
    // Lags are counted from 0, which means `maximumLag` frames before `guess`.
    var best = (lag: 0, coefficient: 0.0)
    for lag in 0...2 * maximumLag {
      var product = 0.0
      for index in 0..<length { product += x[index] * y[lag + index] }
      let norm = (powerOfX * max(powerOfY, 0)).squareRoot()
      // A power 60 dB below that of x is rounding noise of silence.
      if powerOfY > powerOfX * 1e-6, product > best.coefficient * norm { best = (lag, product / norm) }
      if lag < 2 * maximumLag { powerOfY += y[lag + length] * y[lag + length] - y[lag] * y[lag] }
    }
    guard best.coefficient >= Self.minimumCoefficient, best.lag > 0, best.lag < 2 * maximumLag else { return nil }
    return guess - maximumLag + best.lag
  }

  /// Returns `samples[i] - samples[i - 1]` for `count` frames from `start`. Frames outside the recording are silence.
  private func differences(of samples: [Float], from start: Int, count: Int) -> [Double] {
    func sample(_ index: Int) -> Double {
      guard samples.indices.contains(index), samples[index].isFinite else { return 0 }
      return Double(samples[index])
    }
    var last = sample(start - 1)
    return (start..<start + count).map { index in
      let value = sample(index)
      defer { last = value }
      return value - last
    }
  }
}
