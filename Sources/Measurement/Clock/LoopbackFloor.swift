import Foundation

/// The jitter floor of an audio interface: the phase errors of known pulses that the interface plays and records through a
/// cable from an output to an input. No clock in a recording of this interface can be measured better.
///
/// The pulses are raised cosines of 0.4 ms. Their distance is not a whole number of frames, so that they fall on all
/// positions between two frames, as those of a real clock. The floor therefore includes the error of the detector.
public struct LoopbackFloor: Sendable {
  /// The names of the output and of the input.
  public let output, input: String
  /// The number of pulses that were found.
  public let pulses: Int
  /// The number of pulses that were not found, or found twice.
  public let faults: Int
  /// The phase errors of the pulses.
  public let phase: Distribution
  /// The largest minus the smallest phase error in nanoseconds.
  public var peakToPeak: Double { phase.maximum - phase.minimum }
  /// The rate of the output clock relative to the input clock in parts per million; 0 within the error if both are one.
  public let drift: Double

  /// The number of pulses that are played.
  private static let count = 480
  /// The length and the level of a pulse.
  private static let (length, level) = (0.4e-3, 0.5)
  /// The silence before the first and after the last pulse, seconds.
  private static let margin = 0.25

  /// Returns the distance of two pulses in frames, about 21 ms.
  private static func interval(rate: Int) -> Double { Double(rate / 48) + 0.37 }

  /// Returns the samples to play, one channel, full scale 1.
  ///
  /// Real-time: not safe.
  public static func signal(rate: Int) -> [Float] {
    let (margin, half) = (margin * Double(rate), length * Double(rate) / 2)
    let interval = interval(rate: rate)
    var samples = [Float](repeating: 0, count: Int(2 * margin + Double(count) * interval))
    for pulse in 0..<count {
      let center = margin + Double(pulse) * interval
      for frame in Int((center - half).rounded(.up))...Int(center + half) {
        samples[frame] = Float(level / 2 * (1 + cos(.pi * (Double(frame) - center) / half)))
      }
    }
    return samples
  }

  /// Measures the recording of ``signal(rate:)``.
  ///
  /// - Parameters:
  ///   - recording: what the input recorded; its name is that of the input.
  ///   - output: the name of the output.
  ///   - outputRate: the sample rate of the output.
  /// - Throws: ``ReportError`` if the recording does not contain the pulses.
  ///
  /// Real-time: not safe.
  public init(_ recording: Recording, output: String, outputRate: Int) throws(ReportError) {
    let period = Self.interval(rate: outputRate) / Double(outputRate)
    let missing = ReportError(
      subject: "--loopback \(output) \(recording.name)", reason: "the pulses of the output are not at the input",
      remedy: "connect the output to the input with a cable, and raise the levels")
    let report: ClockReport
    do throws(ReportError) {
      report = try ClockAnalysis(
        ClockStamps(recording), nominalBPM: 60 / period, ticksPerQuarter: 1,
        provenance: Provenance(version: "", command: "", inputs: [])
      ).report
    } catch { throw missing }
    guard let drift = report.drift?.value, report.ticks * 2 > Self.count else { throw missing }
    (self.output, input, pulses) = (output, recording.name, report.ticks)
    faults = abs(Self.count - report.ticks) + report.doubled
    (phase, self.drift) = (report.phase, drift)
  }

  /// The figures in one line.
  var text: String {
    "Loopback from \(output) to \(input): \(pulses) pulses, \(faults) missing or doubled, phase sd "
      + "\(phase.standardDeviation.microseconds) us, peak to peak \((peakToPeak as Double?).microseconds) us, "
      + "drift \((drift as Double?).fixed(3)) ppm"
  }
}

extension LoopbackFloor: Encodable {
  private enum CodingKeys: String, CodingKey {
    case output, input, pulses, faults, phase
    case peakToPeak = "phase_peak_to_peak_us"
    case drift = "drift_ppm"
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(output, forKey: .output)
    try container.encode(input, forKey: .input)
    try container.encode(pulses, forKey: .pulses)
    try container.encode(faults, forKey: .faults)
    try container.encode(phase, forKey: .phase)
    try container.encode(peakToPeak / 1e3, forKey: .peakToPeak)
    try container.encode(drift, forKey: .drift)
  }
}
