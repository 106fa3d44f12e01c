import Foundation

/// A causal band-pass, low-pass or high-pass filter. It is causal so that a hit has no effect before its first frame.
///
/// The filter consists of two second-order sections in series. A band-pass has one section for each edge (Butterworth,
/// 12 dB per octave). The lowest and the highest band have only one edge and use both sections for it (Butterworth of
/// order four, 24 dB per octave). Coefficients: R. Bristow-Johnson, "Cookbook formulae for audio EQ biquad filter
/// coefficients"; direct form II transposed.
struct BandFilter {
  private var first: Section
  private var second: Section

  /// Creates a filter that passes `low` to `high` hertz at `rate` frames per second. Nil means no limit on this side.
  /// An edge must be below half the rate, so edges above 0.45 times the rate are set to 0.45 times the rate.
  init(from low: Double?, to high: Double?, rate: Int) {
    // The quality factors of Butterworth filters of order two (one pole pair) and order four (two pole pairs).
    let (single, flat, peaked) = (0.5.squareRoot(), 0.541_196_100, 1.306_562_965)
    func section(_ response: Response, _ edge: Double, _ quality: Double) -> Section {
      Section(response, angle: 2 * .pi * min(edge / Double(rate), 0.45), quality: quality)
    }
    switch (low, high) {
    case (let low?, let high?): (first, second) = (section(.highPass, low, single), section(.lowPass, high, single))
    case (let low?, nil): (first, second) = (section(.highPass, low, flat), section(.highPass, low, peaked))
    case (nil, let high?): (first, second) = (section(.lowPass, high, flat), section(.lowPass, high, peaked))
    case (nil, nil): (first, second) = (Section(), Section())
    }
  }

  /// Returns the next frame of the filtered signal. A sample that is not finite counts as silence.
  mutating func next(_ sample: Float) -> Double { second.next(first.next(sample.isFinite ? Double(sample) : 0)) }

  /// The frequency response of a section.
  private enum Response { case lowPass, highPass }

  /// A second-order section, with the names of the cookbook: coefficients a and b, divided by a0, and the state z.
  private struct Section {
    private var (b0, b1, b2) = (1.0, 0.0, 0.0)
    private var (a1, a2) = (0.0, 0.0)
    private var (z1, z2) = (0.0, 0.0)

    /// Creates a section that passes all frequencies.
    init() {}

    /// Creates a section whose edge is at `angle`, in radians per frame.
    init(_ response: Response, angle: Double, quality: Double) {
      let alpha = sin(angle) / (2 * quality)
      let scale = 1 / (1 + alpha)
      let edge = response == .lowPass ? 1 - cos(angle) : 1 + cos(angle)
      b0 = edge / 2 * scale
      b1 = (response == .lowPass ? edge : -edge) * scale
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
