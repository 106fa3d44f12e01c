import Foundation

/// The jitter floor of an audio interface: the smallest jitter that a recording by this interface can show.
///
/// The interface plays known pulses to an output and records them from an input, through a cable. The phase errors of the recorded
/// pulses are the floor. The pulses are raised cosines of 0.4 ms. The interval between two pulses is not a whole number of frames, so that
/// the pulses fall on all positions between two frames, as those of a real clock do. The floor therefore includes the error of
/// ``PulseDetector``.
///
/// Real-time: not safe.
public struct LoopbackFloor: Sendable {
  /// The names of the output and of the input.
  public let output, input: String
  /// The number of pulses that were found.
  public let pulses: Int
  /// The number of pulses that were not found, found twice, or found without having been played.
  public let faults: Int
  /// The phase errors of the pulses in nanoseconds.
  public let phase: Distribution
  /// The largest minus the smallest phase error in nanoseconds.
  public var peakToPeak: Double { phase.maximum - phase.minimum }
  /// The relative difference of the rate of the output clock from that of the input clock, in parts per million. If input and output share
  /// one clock, it is 0 within its error.
  public let drift: Double

  /// The number of pulses that are played.
  private static let count = 480
  /// The length of a pulse in seconds, and its peak level relative to full scale.
  private static let (length, level) = (0.4e-3, 0.5)
  /// The silence before the first and after the last pulse in seconds.
  private static let margin = 0.25

  /// Returns the interval between two pulses in frames: about 21 ms, and not a whole number of frames.
  private static func interval(rate: Int) -> Double { Double(rate / 48) + 0.37 }

  /// Returns the samples to play: one channel, full scale 1, at `rate` frames per second, about ten seconds.
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
  ///   - recording: the recording of the input; its name is the name of the input.
  ///   - output: the name of the output.
  ///   - outputRate: the sample rate of the output in frames per second.
  /// - Throws: ``ReportError`` if the recording does not contain more than half of the pulses.
  ///
  /// Real-time: not safe.
  public init(_ recording: Recording, output: String, outputRate: Int) throws(ReportError) {
    let period = Self.interval(rate: outputRate) / Double(outputRate)
    let missing = ReportError(
      subject: "--loopback \(output) \(recording.name)", reason: "the pulses of the output do not arrive at the input",
      remedy: "connect the output to the input with a cable, and raise the levels")
    let report: ClockReport
    do throws(ReportError) {
      // Each pulse counts as a MIDI clock tick.
      report = try ClockAnalysis(
        ClockStamps(recording), nominalBPM: 60 / (period * 24),
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
      + "\(phase.standardDeviation.microseconds) us, peak to peak \(peakToPeak.microseconds) us, "
      + "drift \(drift.fixed(3)) ppm"
  }
}

extension LoopbackFloor: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "output": output, "input": input, "pulses": pulses, "faults": faults, "phase": phase,
      "phase_peak_to_peak_us": peakToPeak / 1e3, "drift_ppm": drift,
    ])
  }
}
