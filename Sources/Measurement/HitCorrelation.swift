/// How many frames apart the same hit lies in two recordings.
///
/// Peers play the same sound, so the lag at which the two recordings around a hit resemble each other most is their
/// difference, exact to the frame, wherever a detector put the onsets. Compared are the first differences of the
/// samples, 2 ms before the onset to 10 ms after it: differencing takes the weight off the low frequencies, whose
/// correlation is broad and which ring over from earlier hits. The coefficient is normalised at every lag. (C. H. Knapp
/// and G. C. Carter, "The generalized correlation method for estimation of time delay", IEEE Trans. ASSP 24 (4), 1976,
/// with a fixed pre-emphasis.)
struct HitCorrelation {
  /// Lags up to this far from the onsets' difference are tried: 3 ms.
  private let reach: Int
  private let before: Int
  private let after: Int

  /// Two hits that resemble each other less are not the same sound.
  private static let leastCoefficient = 0.6

  init(rate: Int) {
    reach = rate * 3 / 1_000
    before = rate * 2 / 1_000
    after = rate * 10 / 1_000
  }

  /// The frame of `second` that sounds like `frame` of `first`, near `guess`; nil when nothing there resembles it
  /// enough, or the best lies at the end of the reach.
  func match(_ frame: Int, in first: [Float], near guess: Int, in second: [Float]) -> Int? {
    let length = before + after
    let x = differences(of: first, from: frame - before, count: length)
    let y = differences(of: second, from: guess - before - reach, count: length + 2 * reach)
    let power = x.reduce(0) { $0 + $1 * $1 }
    guard power > 0 else { return nil }
    var other = y[..<length].reduce(0) { $0 + $1 * $1 }
    var best = (lag: 0, coefficient: 0.0)
    for lag in 0...2 * reach {
      var product = 0.0
      for index in 0..<length { product += x[index] * y[lag + index] }
      let norm = (power * max(other, 0)).squareRoot()
      // What is 60 dB softer is the rounding of silence.
      if other > power * 1e-6, product > best.coefficient * norm { best = (lag, product / norm) }
      if lag < 2 * reach { other += y[lag + length] * y[lag + length] - y[lag] * y[lag] }
    }
    guard best.coefficient >= Self.leastCoefficient, best.lag > 0, best.lag < 2 * reach else { return nil }
    return guess - reach + best.lag
  }

  /// `samples[i] - samples[i - 1]` for `count` frames; silence lies beyond the ends.
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
