import Foundation

/// The discrete Fourier transform of 2^k complex numbers: the radix-2 algorithm of J. Cooley and J. Tukey (Mathematics of Computation 19,
/// 1965), in place, O(n log n).
struct FourierTransform {
  /// The number of values, a power of two.
  let count: Int
  /// cos and -sin of 2 pi k / count, for the first half of the circle.
  private let cosines, sines: [Double]

  init(count: Int) {
    self.count = count
    let angles = (0..<count / 2).map { 2 * Double.pi * Double($0) / Double(count) }
    (cosines, sines) = (angles.map { cos($0) }, angles.map { -sin($0) })
  }

  /// Replaces the values by X(k), the sum of x(n) exp(-2 pi i k n / count).
  ///
  /// - Parameters:
  ///   - real: the real parts.
  ///   - imaginary: the imaginary parts. Both arrays have ``count`` values.
  func transform(_ real: inout [Double], _ imaginary: inout [Double]) {
    // The order of the bits of each index is reversed.
    var reversed = 0
    for index in 0..<count {
      if index < reversed {
        real.swapAt(index, reversed)
        imaginary.swapAt(index, reversed)
      }
      var bit = count >> 1
      while bit > 0, reversed & bit != 0 {
        reversed ^= bit
        bit >>= 1
      }
      reversed |= bit
    }
    var half = 1
    while half < count {
      let stride = count / (2 * half)
      for start in Swift.stride(from: 0, to: count, by: 2 * half) {
        for offset in 0..<half {
          let (c, s) = (cosines[offset * stride], sines[offset * stride])
          let (low, high) = (start + offset, start + offset + half)
          let product = (real[high] * c - imaginary[high] * s, real[high] * s + imaginary[high] * c)
          (real[high], imaginary[high]) = (real[low] - product.0, imaginary[low] - product.1)
          real[low] += product.0
          imaginary[low] += product.1
        }
      }
      half *= 2
    }
  }
}
