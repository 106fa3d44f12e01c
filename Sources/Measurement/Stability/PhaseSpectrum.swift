import Foundation

/// The one-sided power spectral density of the phase errors of a clock.
///
/// The density is the mean of the periodograms of overlapping segments (P. Welch, IEEE Transactions on Audio and Electroacoustics 15 (2),
/// 1967). Each segment loses its best-fit line, and is multiplied by a Hann window. The segments overlap by half. The window leaks so
/// little that the slow part of random walk noise does not hide the fast part.
///
/// A lost tick is a 0 in its segment, and the density is divided by the energy of the window at the ticks that are present. Noise keeps its
/// density. A periodic error keeps its frequency, and a share of its power, equal to the share of lost ticks, is spread over all
/// frequencies. Segments with more than a tenth of lost ticks are omitted.
public struct PhaseSpectrum: Hashable, Sendable {
  /// A frequency whose density stands out: a periodic error, for example of mains hum or of a connection interval.
  public struct Line: Hashable, Sendable {
    /// The frequency in hertz. The error may have another frequency that the ticks cannot tell from this one: a multiple of the tick rate,
    /// plus or minus this frequency.
    public let frequency: Double
    /// The amplitude of the sine in nanoseconds.
    public let amplitude: Double
    /// The density divided by the density of the neighbouring frequencies.
    public let prominence: Double
  }

  /// The number of ticks in a segment, a power of two.
  public let segmentTicks: Int
  /// The number of segments.
  public let segments: Int
  /// The share of ticks of the segments that are lost.
  public let missingShare: Double
  /// The number of ticks per second.
  public let tickRate: Double
  /// The densities in square microseconds per hertz, at the multiples of ``spacing`` from 1 to half of ``segmentTicks``.
  public let densities: [Double]
  /// The frequencies that stand out, from the lowest.
  public private(set) var lines: [Line] = []

  /// The distance of the frequencies in hertz.
  public var spacing: Double { tickRate / Double(segmentTicks) }
  /// The frequency resolution in hertz: the equivalent noise bandwidth of the Hann window.
  public var resolution: Double { 1.5 * spacing }
  /// The equivalent degrees of freedom of a density (D. Percival and A. Walden, Spectral Analysis for Physical Applications, 1993, equation
  /// 292b: Hann window, half overlap).
  public var degreesOfFreedom: Double {
    let count = Double(segments)
    return 36 * count * count / (19 * count - 1)
  }

  /// The lengths of a segment, in ticks.
  private static let lengths = 64...8192

  /// Calculates the spectrum.
  ///
  /// The longest run has at least seven segments if it has 256 ticks or more.
  ///
  /// - Parameters:
  ///   - series: the phase errors in nanoseconds.
  ///   - period: the length of a tick in nanoseconds.
  /// - Returns: nil if no segment of 64 ticks has at least nine tenths of its ticks.
  init?(of series: PhaseSeries, period: Double) {
    var length = Self.lengths.lowerBound
    while 2 * length <= min(series.longestRun / 4, Self.lengths.upperBound) { length *= 2 }
    let window = (0..<length).map { 0.5 - 0.5 * cos(2 * Double.pi * Double($0) / Double(length)) }
    let transform = FourierTransform(count: length)
    var (sums, count, missing) = ([Double](repeating: 0, count: length / 2), 0, 0)
    for run in series.runs where run.count >= length {
      for start in stride(from: run.lowerBound, through: run.upperBound - length, by: length / 2) {
        let values = series.phase[start..<start + length]
        let lost = values.count { $0.isNaN }
        guard 10 * lost <= length else { continue }
        var (real, energy) = Self.windowed(values, window)
        var imaginary = [Double](repeating: 0, count: length)
        transform.transform(&real, &imaginary)
        for index in sums.indices {
          let (a, b) = (real[index + 1], imaginary[index + 1])
          // Negative frequencies have the same power. Half of the tick rate has no negative counterpart.
          sums[index] += (index + 1 == length / 2 ? 1 : 2) * (a * a + b * b) / energy
        }
        (count, missing) = (count + 1, missing + lost)
      }
    }
    guard count > 0 else { return nil }
    (segmentTicks, segments, tickRate) = (length, count, 1e9 / period)
    missingShare = Double(missing) / Double(count * length)
    // Square nanoseconds times the length of a tick in seconds become square microseconds per hertz.
    densities = sums.map { $0 / Double(count) * period / 1e9 / 1e6 }
    lines = findLines()
  }

  /// Returns the values minus their best-fit line, times the window, and the energy of the window at the values that are present.
  private static func windowed(_ values: ArraySlice<Double>, _ window: [Double]) -> ([Double], energy: Double) {
    var (count, x, y, xx, xy) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for (index, value) in values.enumerated() where !value.isNaN {
      let (dx, dy) = (Double(index) - x, value - y)
      count += 1
      x += dx / count
      y += dy / count
      xx += dx * (Double(index) - x)
      xy += dx * (value - y)
    }
    var energy = 0.0
    let result = values.enumerated().map { index, value in
      guard !value.isNaN else { return 0.0 }
      energy += window[index] * window[index]
      return (value - y - xy / xx * (Double(index) - x)) * window[index]
    }
    return (result, energy)
  }

  /// Returns the lines: densities that are the largest within two frequencies, and that noise with the density of the neighbours reaches
  /// at no frequency with a probability of 99.9 %.
  ///
  /// The density of the neighbours is the median of up to 16 frequencies on each side, from the third on. The larger of the two medians
  /// counts, so that the slope of a spectrum is not a line. The lowest four frequencies have too few neighbours.
  private func findLines() -> [Line] {
    let degrees = degreesOfFreedom
    let threshold = ChiSquared(degrees: degrees).quantile(1 - 1e-3 / Double(densities.count)) / degrees
    // The median of a chi-squared distribution, divided by its mean (E. Wilson and M. Hilferty, 1931).
    let medianRatio = pow(1 - 2 / (9 * degrees), 3)
    return densities.indices.dropFirst(Self.lowestFrequencies).compactMap { index in
      let near = densities[index - 2...min(index + 2, densities.count - 1)]
      guard densities[index] > 0, densities[index] == near.max() else { return nil }
      let sides = [
        densities[max(index - 18, 0)...index - 3],
        densities[min(index + 3, densities.count)..<min(index + 19, densities.count)],
      ]
      let medians = sides.filter { $0.count >= 2 }.map { $0.sorted()[$0.count / 2] }
      guard let median = medians.max(), median > 0 else { return nil }
      let background = median / medianRatio
      let prominence = densities[index] / background
      guard prominence > threshold else { return nil }
      // The main lobe of the window covers the frequencies within two steps. Its centre of gravity is the frequency of the line.
      let excess = near.map { max($0 - background, 0) }
      let sum = excess.reduce(0, +)
      let centre = zip(near.indices, excess).reduce(0) { $0 + Double($1.0 + 1) * $1.1 } / sum
      let power = sum * spacing / (1 - missingShare)
      return Line(frequency: centre * spacing, amplitude: (2 * power).squareRoot() * 1e3, prominence: prominence)
    }
  }

  /// The number of the lowest frequencies without an interval. The window and the best-fit line change their densities, and in noise with a
  /// steep spectrum by more than the interval.
  static let lowestFrequencies = 4

  /// The 95 % confidence interval of a density, as factors. It holds above the ``lowestFrequencies``.
  public var interval: ClosedRange<Double> {
    let distribution = ChiSquared(degrees: degreesOfFreedom)
    return degreesOfFreedom / distribution.quantile(0.975)...degreesOfFreedom / distribution.quantile(0.025)
  }
}
