import Audio
import Dispatch
import Measurement
public import MusicalTime
import Realtime

/// The microphone with which the peer hears the clicks of a calibration.
public struct Microphone: Sendable {
  /// The ALSA name of the device. Nil if the peer has no microphone: another device then records the room for `tutti calibrate --from`.
  public var device: String?
  /// The part of the latency of the microphone that the device does not report. Nil if this part is unknown. The peer then clicks too,
  /// as the reference.
  public var latency: Nanoseconds?

  public init(device: String?, latency: Nanoseconds?) { (self.device, self.latency) = (device, latency) }

  private static let queue = DispatchQueue(label: "microphone")

  /// Records from `device` until `end`, calls `analyse` with the recording, and passes the result of the analysis, or the error of the
  /// device, to `deliver`. All of this runs on a background queue, so the call returns at once.
  func record<Value: Sendable>(
    _ device: String, until end: Instant, analyse: @escaping @Sendable (Recording) -> Value,
    deliver: @escaping @Sendable (Result<Value, PCMError>) -> Void
  ) {
    Self.queue.async { [latency] in
      deliver(
        Result { () throws(PCMError) in
          let capture = try PCMCapture(device)
          MonotonicClock.sleep(until: end)
          let result = capture.finish()
          if let failure = result.failure { throw failure }
          let first = Instant(nanoseconds: Int64(result.instant(of: 0).rounded()))
          return analyse(
            Recording(
              name: "microphone", samples: result.samples, rate: capture.rate, firstInstant: first - (latency ?? .zero))
          )
        })
    }
  }
}
