/// A filter that makes the spectrum of a given noise white. It is the prediction error filter of this noise, calculated by the
/// autocorrelation method and the recursion of Levinson and Durbin (J. Makhoul, "Linear prediction: a tutorial review", Proc.
/// IEEE 63 (4), 1975).
struct WhiteningFilter {
  /// The coefficients of the filter. The first is 1.
  private var coefficients = [1.0]

  /// The number of coefficients after the first.
  private static let order = 16
  /// The power of white noise that is added to the noise, relative to the power of the hit. Noise of a lower level is not whitened: it
  /// hardly moves the maximum of the correlation, and to whiten it would amplify the rounding noise of the recordings.
  private static let floor = 1e-3

  /// Creates the filter for the mean spectrum of noises. The level of each noise is relative to the hit in the same recording, so the
  /// levels of the recordings have no effect. A recording with a silent hit has no effect. If there is no noise, the filter passes
  /// everything unchanged.
  init(_ parts: [(noise: ArraySlice<Float>, hit: ArraySlice<Float>)]) {
    var correlation = [Double](repeating: 0, count: Self.order + 1)
    for (noise, hit) in parts where noise.count > Self.order {
      let values = noise.map { $0.isFinite ? Double($0) : 0 }
      // The power of the hit, for a hit of the same length as the noise.
      let sum = hit.reduce(0.0) { $0 + ($1.isFinite ? Double($1) * Double($1) : 0) }
      let power = sum * Double(values.count) / Double(max(hit.count, 1))
      guard power > 0 else { continue }
      for lag in 0...Self.order {
        var sum = 0.0
        for index in lag..<values.count { sum += values[index] * values[index - lag] }
        correlation[lag] += sum / power
      }
    }
    guard correlation[0] > 0 else { return }
    correlation[0] += Self.floor
    var error = correlation[0]
    for order in 1...Self.order {
      var sum = correlation[order]
      for index in 1..<order { sum += coefficients[index] * correlation[order - index] }
      let reflection = -sum / error
      let old = coefficients
      coefficients.append(reflection)
      for index in 1..<order { coefficients[index] += reflection * old[order - index] }
      error *= 1 - reflection * reflection
      guard error > 0 else { return }
    }
  }

  /// Returns `count` frames of the filtered samples from frame `start` on. Frames outside `samples`, and samples that are
  /// not finite, are silence.
  func output(of samples: [Float], from start: Int, count: Int) -> [Double] {
    let history = coefficients.count - 1
    let input = (start - history..<start + count).map { index in
      samples.indices.contains(index) && samples[index].isFinite ? Double(samples[index]) : 0
    }
    return (history..<history + count).map { index in
      var sum = 0.0
      for (lag, coefficient) in coefficients.enumerated() { sum += coefficient * input[index - lag] }
      return sum
    }
  }
}

extension Array {
  /// The elements of the array whose indices are in `range`. `range` may extend beyond the array.
  subscript(clamped range: Range<Int>) -> ArraySlice<Element> { self[range.clamped(to: indices)] }
}
