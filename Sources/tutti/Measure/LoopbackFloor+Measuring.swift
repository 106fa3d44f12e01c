import Audio
import Measurement
import MusicalTime
import Realtime
import Synchronization

extension LoopbackFloor {
  /// The recorded time before and after the pulses, which allows for the start and the delay of the devices.
  private static let margin = Nanoseconds.milliseconds(500)

  /// Measures the jitter floor of an audio interface: plays the pulses to an output and records them from an input, for about twelve
  /// seconds.
  ///
  /// - Throws: `PCMError` if a device cannot be used, `ReportError` if the pulses do not arrive at the input or the measurement
  ///   is interrupted.
  init(output: String, input: String) throws {
    let playback = try PCMPlayback(output)
    let capture = try PCMCapture(input)
    let (interruption, terminal) = (Interruption(), Terminal())
    let signals = TerminationSignals { interruption.raise() }
    defer { signals.cancel() }
    MonotonicClock.sleep(until: MonotonicClock.now + Self.margin)
    let samples = Self.signal(rate: playback.rate)
    let failure = Mutex<PCMError?>(nil)
    let thread = RealtimeThread(name: "tutti-loopback", priority: 60) {
      do throws(PCMError) {
        try playback.play(samples) { !interruption.isRaised }
      } catch { failure.withLock { $0 = error } }
    }
    while !thread.join(within: .milliseconds(100)) {
      terminal.showStatus("loopback from \(output) to \(input): \(capture.count / capture.rate) s")
    }
    MonotonicClock.sleep(until: MonotonicClock.now + Self.margin)
    let result = capture.finish()
    terminal.end()
    guard !interruption.isRaised else {
      throw ReportError(
        subject: "--loopback \(output) \(input)", reason: "interrupted",
        remedy: "let the measurement run for about twelve seconds")
    }
    if let error = failure.withLock({ $0 }) ?? result.failure { throw error }
    // Only the intervals between the pulses matter, so any first instant will do.
    try self.init(
      Recording(name: input, samples: result.samples, rate: capture.rate, firstInstant: Instant(nanoseconds: 0)),
      output: output, outputRate: playback.rate)
  }
}
