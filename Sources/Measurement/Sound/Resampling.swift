import Foundation

extension Recording {
  /// Returns the recording at another sample rate, with the same first instant.
  ///
  /// A frame of the result is the band-limited interpolation of the samples at the instant of the frame: their sum, weighted by a sinc
  /// function with a Kaiser window (J. O. Smith, "Digital audio resampling", CCRMA). The window covers 32 zero crossings on each side. If
  /// the new rate is lower, the sinc function is a low-pass at 0.45 times the new rate. The phase is linear and the delay is zero. The
  /// instants of hits change by less than 0.01 frame. Samples that are not finite count as silence.
  ///
  /// - Parameter newRate: the new rate in frames per second, positive.
  func resampled(to newRate: Int) -> Recording {
    guard newRate != rate else { return self }
    let ratio = Double(newRate) / Double(rate)
    // The cut-off as a fraction of half the old rate. Between 0.9 and 1.0 of the lower rate, the window needs room to fall.
    let cutoff = 0.95 * min(1, ratio)
    let kernel = SincKernel(crossings: 32, cutoff: cutoff)
    let values = samples.map { $0.isFinite ? $0 : 0 }
    let count = Int((Double(values.count) * ratio).rounded(.down))
    var result = self
    result.rate = newRate
    result.samples = (0..<count).map { frame in
      // The position in the old samples. The product of integers is exact.
      let (whole, rest) = (frame * rate).quotientAndRemainder(dividingBy: newRate)
      return Float(kernel.value(of: values, at: whole, part: Double(rest) / Double(newRate)))
    }
    return result
  }
}

/// A sinc function with a Kaiser window, tabulated and interpolated linearly, as in J. O. Smith, "Digital audio resampling".
private struct SincKernel {
  /// The values at multiples of 1 / ``resolution`` samples, from 0 on.
  private let table: [Double]
  /// The extent of the kernel on each side in samples.
  private let reach: Int

  /// The number of table entries per sample. The error of linear interpolation is below -100 dB.
  private static let resolution = 512
  /// The shape parameter of the window. The side lobes of the low-pass are below -80 dB.
  private static let beta = 8.0

  /// Creates a kernel.
  ///
  /// - Parameters:
  ///   - crossings: the number of zero crossings on each side.
  ///   - cutoff: the cut-off as a fraction of half the sample rate.
  init(crossings: Int, cutoff: Double) {
    reach = Int((Double(crossings) / cutoff).rounded(.up))
    let end = Double(reach)
    table = (0...reach * Self.resolution + 1).map { index in
      let distance = Double(index) / Double(Self.resolution)
      guard distance < end else { return 0 }
      let angle = .pi * distance * cutoff
      let window = Self.bessel(Self.beta * (1 - distance * distance / (end * end)).squareRoot())
      return cutoff * (angle == 0 ? 1 : sin(angle) / angle) * window / Self.bessel(Self.beta)
    }
  }

  /// Returns the value of `samples` at the position `whole + part`. `part` is from 0 to 1.
  func value(of samples: [Float], at whole: Int, part: Double) -> Double {
    var sum = 0.0
    for index in max(whole - reach + 1, 0)..<max(min(whole + reach + 1, samples.count), max(whole - reach + 1, 0)) {
      let position = abs(Double(index - whole) - part) * Double(Self.resolution)
      let entry = Int(position)
      guard entry + 1 < table.count else { continue }
      let weight = table[entry] + (table[entry + 1] - table[entry]) * (position - Double(entry))
      sum += Double(samples[index]) * weight
    }
    return sum
  }

  /// Returns the modified Bessel function of the first kind of order 0, by its power series.
  private static func bessel(_ x: Double) -> Double {
    var (term, sum, index) = (1.0, 1.0, 1.0)
    while term > 1e-12 * sum {
      term *= x * x / (4 * index * index)
      sum += term
      index += 1
    }
    return sum
  }
}
