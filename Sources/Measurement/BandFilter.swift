import Foundation

/// A causal band filter, so that a hit never shows before its first frame: two second-order sections in series, one for
/// either edge of the band (Butterworth, 12 dB an octave), or both for the one edge of the lowest and the highest band
/// (Butterworth of order four, 24 dB an octave). Coefficients: R. Bristow-Johnson, "Cookbook formulae for audio EQ
/// biquad filter coefficients"; direct form II transposed.
struct BandFilter {
  private var first: Section
  private var second: Section

  /// The band from `low` to `high` hertz at `rate` frames a second; nil leaves that side open. Edges beyond what the
  /// rate holds are drawn in to 0.45 of it.
  init(from low: Double?, to high: Double?, rate: Int) {
    // The pole pairs of order two (one pair) and order four (two pairs).
    let (single, flat, peaked) = (0.5.squareRoot(), 0.541_196_100, 1.306_562_965)
    func section(_ side: Side, _ edge: Double, _ quality: Double) -> Section {
      Section(side, angle: 2 * .pi * min(edge / Double(rate), 0.45), quality: quality)
    }
    switch (low, high) {
    case (let low?, let high?): (first, second) = (section(.high, low, single), section(.low, high, single))
    case (let low?, nil): (first, second) = (section(.high, low, flat), section(.high, low, peaked))
    case (nil, let high?): (first, second) = (section(.low, high, flat), section(.low, high, peaked))
    case (nil, nil): (first, second) = (Section(), Section())
    }
  }

  /// The next frame of the band. A sample that is not a number counts as silence.
  mutating func next(_ sample: Float) -> Double { second.next(first.next(sample.isFinite ? Double(sample) : 0)) }

  private enum Side { case low, high }

  private struct Section {
    private var (b0, b1, b2) = (1.0, 0.0, 0.0)
    private var (a1, a2) = (0.0, 0.0)
    private var (z1, z2) = (0.0, 0.0)

    /// Passes everything.
    init() {}

    init(_ side: Side, angle: Double, quality: Double) {
      let alpha = sin(angle) / (2 * quality)
      let scale = 1 / (1 + alpha)
      let edge = side == .low ? 1 - cos(angle) : 1 + cos(angle)
      b0 = edge / 2 * scale
      b1 = (side == .low ? edge : -edge) * scale
      b2 = b0
      a1 = -2 * cos(angle) * scale
      a2 = (1 - alpha) * scale
    }

    mutating func next(_ x: Double) -> Double {
      let y = b0 * x + z1
      z1 = b1 * x - a1 * y + z2
      z2 = b2 * x - a2 * y
      return y
    }
  }
}
