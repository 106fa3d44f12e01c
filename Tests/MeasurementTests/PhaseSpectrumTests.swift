import Foundation
import Testing
import _TestSupport

@testable import Measurement

/// Tests of the phase spectrum of `tutti measure clock`.
@Suite struct PhaseSpectrumTests {
  /// The length of a tick at 120 BPM, nanoseconds. The tick rate is 48 Hz.
  private static let period = 500e6 / 24

  /// Returns white noise of 10 us with a sine.
  ///
  /// - Parameters:
  ///   - amplitude: the amplitude of the sine in nanoseconds.
  ///   - frequency: the frequency of the sine in hertz. It may be above half of the tick rate.
  private static func phase(_ count: Int, amplitude: Double, frequency: Double, seed: UInt64) -> [Double] {
    Clocks.gaussian(count, seed: seed).enumerated().map { index, value in
      let time = Double(index) * period / 1e9
      return 10_000 * value + amplitude * sin(2 * Double.pi * (frequency * time + Double(seed % 7) / 7))
    }
  }

  /// The transform equals the defining sum.
  @Test func transformEqualsItsDefinition() {
    let (real, imaginary) = (Clocks.gaussian(64, seed: 1), Clocks.gaussian(64, seed: 2))
    var (a, b) = (real, imaginary)
    FourierTransform(count: 64).transform(&a, &b)
    for k in 0..<64 {
      var sum = (0.0, 0.0)
      for n in 0..<64 {
        let angle = -2 * Double.pi * Double(k * n) / 64
        sum.0 += real[n] * cos(angle) - imaginary[n] * sin(angle)
        sum.1 += real[n] * sin(angle) + imaginary[n] * cos(angle)
      }
      #expect(abs(a[k] - sum.0) < 1e-12 && abs(b[k] - sum.1) < 1e-12)
    }
  }

  /// White noise of 10 us has its variance of 100 us^2 in the band from 0 to 24 Hz. The 95 % interval of a density contains the true
  /// density in 90 to 98 % of the cases. With 5 % of the ticks lost, the density is the same.
  @Test(arguments: [0, 5]) func whiteNoiseHasItsDensity(lostPercent: Int) throws {
    let truth = 100 / 24.0
    var (coverage, sum, count) = (Coverage(), 0.0, 0)
    for seed in 1...UInt64(200) {
      var random = SplitMix(seed: seed)
      var phase = Self.phase(1024, amplitude: 0, frequency: 0, seed: seed)
      for index in phase.indices where random.integer(in: 0...99) < lostPercent { phase[index] = .nan }
      let spectrum = try #require(PhaseSpectrum(of: PhaseSeries(phase), period: Self.period))
      // The detrending removes power from the lowest frequencies, and the highest is real.
      for density in spectrum.densities[3..<spectrum.densities.count - 1] {
        coverage.add(density * spectrum.interval.lowerBound...density * spectrum.interval.upperBound, truth: truth)
        (sum, count) = (sum + density, count + 1)
      }
    }
    #expect((sum / Double(count)).isClose(to: truth, 0.02), "\(sum / Double(count))")
    #expect((0.93...0.97).contains(coverage.share), "\(coverage)")
  }

  /// Mains hum of 50 Hz, the second harmonic, and the connection interval of BLE-MIDI (11.25 ms, 88.9 Hz) appear at the frequencies that
  /// 48 ticks per second cannot tell from them.
  @Test(arguments: [(50.0, 2.0), (100, 4), (1e3 / 11.25, 96 - 1e3 / 11.25), (7.3, 7.3)], [0, 4])
  func periodicErrorIsALine(_ frequency: (true: Double, alias: Double), lostPercent: Int) throws {
    for seed in 1...UInt64(20) {
      var random = SplitMix(seed: seed)
      var phase = Self.phase(4096, amplitude: 8_000, frequency: frequency.true, seed: seed)
      for index in phase.indices where random.integer(in: 0...99) < lostPercent { phase[index] = .nan }
      let spectrum = try #require(PhaseSpectrum(of: PhaseSeries(phase), period: Self.period))
      let line = try #require(spectrum.lines.max { $0.amplitude < $1.amplitude })
      #expect(abs(line.frequency - frequency.alias) < spectrum.resolution / 5, "\(line)")
      #expect(line.amplitude.isClose(to: 8_000, 0.12), "\(line)")
    }
  }

  /// Power-law noise has no lines. One of 1000 spectra may have a false line by the stated probability; of 400, at most 4.
  @Test(arguments: PowerLawNoise.allCases) func noiseHasNoLines(noise: PowerLawNoise) throws {
    var lines = 0
    for seed in 1...UInt64(400) {
      let series = PhaseSeries(Noises.phase(noise, count: 512, sigma: 1000, seed: seed))
      lines += try #require(PhaseSpectrum(of: series, period: Self.period)).lines.count
    }
    #expect(lines <= 4, "\(lines)")
  }

  /// The slope of the density is that of the noise: 2 - alpha.
  @Test(arguments: PowerLawNoise.allCases) func densityHasTheSlopeOfTheNoise(noise: PowerLawNoise) throws {
    var slopes = 0.0
    for seed in 1...UInt64(20) {
      let series = PhaseSeries(Noises.phase(noise, count: 4096, sigma: 1000, seed: seed))
      let spectrum = try #require(PhaseSpectrum(of: series, period: Self.period))
      // The mean densities around 16 and 64 of 512 frequencies.
      let mean = { (range: Range<Int>) in spectrum.densities[range].map { log2($0) }.reduce(0, +) / Double(range.count)
      }
      slopes += (mean(56..<72) - mean(14..<18)) / 2
    }
    #expect(abs(slopes / 20 - Double(noise.rawValue - 2)) < 0.15, "\(slopes / 20)")
  }

  /// The text, the CSV rows and the JSON contain the line and the densities.
  @Test func spectrumIsInEachForm() throws {
    let errors = Self.phase(4096, amplitude: 20_000, frequency: 50, seed: 1)
    let clock = ClockStamps(name: "x", stamps: Clocks.stamps(period: Self.period, errors: errors))
    let analysis = try ClockAnalysis(clock, provenance: Clocks.provenance)
    let spectrum = try #require(analysis.report.spectrum)
    #expect(spectrum.segmentTicks == 1024 && spectrum.segments == 7 && abs(spectrum.tickRate - 48) < 1e-4)
    var rows = ""
    try analysis.writeSpectrum { rows += $0 }
    let lines = rows.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(lines.count == 513 && lines[0] == "hz,density_us2_per_hz,low_us2_per_hz,high_us2_per_hz")
    let line = try #require(spectrum.lines.first)
    #expect(spectrum.lines.count == 1 && abs(line.frequency - 2) < 0.1 * spectrum.resolution)
    #expect(
      analysis.report.description.contains(
        "\n\(line.frequency.fixed(3))  \((spectrum.tickRate - line.frequency).fixed(3))  "
          + "\((spectrum.tickRate + line.frequency).fixed(3)) "), "\(analysis.report)")
    let json = String(decoding: try JSONEncoder().encode(analysis.report), as: UTF8.self)
    #expect(json.contains("\"density_us2_per_hz\":[") && json.contains("\"amplitude_us\":"))
    #expect(throws: ReportError.self) {
      try ClockAnalysis(
        ClockStamps(name: "x", stamps: Clocks.stamps(period: Self.period, errors: Array(errors.prefix(63)))),
        provenance: Clocks.provenance
      ).writeSpectrum { _ in }
    }
  }

  /// A run without 64 ticks has no spectrum, and segments with more than a tenth of lost ticks are omitted.
  @Test func tooFewTicksHaveNoSpectrum() {
    #expect(PhaseSpectrum(of: PhaseSeries([Double](repeating: 0, count: 63)), period: Self.period) == nil)
    let phase = Clocks.gaussian(64, seed: 1).enumerated().map { $0 % 8 == 0 ? .nan : $1 }
    #expect(PhaseSpectrum(of: PhaseSeries(phase), period: Self.period) == nil)
  }
}
