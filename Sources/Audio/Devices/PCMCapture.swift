import CALSA
import Dispatch
import Glibc
import MusicalTime
import Realtime
import Synchronization

/// A recording of an input of a sound card, kept in memory, with the instants at which its frames arrived.
///
/// A thread of normal priority reads the device, whose buffer of about two seconds tolerates delays of the thread. The mean of all
/// channels is recorded.
///
/// Real-time: not safe.
public final class PCMCapture: @unchecked Sendable {
  /// The ALSA name of the device.
  public let name: String
  /// Frames per second.
  public var rate: Int { Int(stream.rate) }
  /// The number of frames recorded so far. Any thread may read it.
  public var count: Int { frames.load(ordering: .relaxed) }

  // Invariants: the stream is open until deinit. From init to the end of `finish`, only the reader uses the stream, the
  // samples and the line.
  private let stream: PCMStream
  private var samples: [Float] = []
  private var line: CaptureLine
  private var failure: PCMError?
  private let frames = Atomic<Int>(0)
  private let isEnded = Atomic<Bool>(false)
  private let reader = DispatchQueue(label: "tutti.capture")

  /// Opens the input `name` at 48 000 frames per second, or at the nearest supported rate, and records from now on.
  ///
  /// - Throws: ``PCMError`` if the device is missing, busy, not permitted, or supports no usable parameters.
  ///
  /// Real-time: not safe.
  public init(_ name: String) throws(PCMError) {
    let stream = try PCMDevice.openCapture(name)
    let code = stream.start()
    guard code >= 0 else {
      // deinit does not run, because not all properties have a value.
      snd_pcm_close(stream.pcm)
      throw PCMError(device: name, code: code, listedBy: "arecord -L")
    }
    (self.name, self.stream) = (name, stream)
    line = CaptureLine(rate: stream.rate, isHardware: stream.isHardware)
    reader.async { self.read() }
  }

  deinit { snd_pcm_close(stream.pcm) }

  /// What was recorded.
  public struct Result: Sendable {
    /// The samples, full scale 1.
    public let samples: [Float]
    /// The error that ended the recording early, or an error if nothing was recorded; nil without an error.
    public let failure: PCMError?
    private let line: CaptureLine

    fileprivate init(_ samples: [Float], _ failure: PCMError?, _ line: CaptureLine) {
      (self.samples, self.failure, self.line) = (samples, failure, line)
    }

    /// Returns the instant at which a frame arrived, in nanoseconds of CLOCK_MONOTONIC. The frame may lie between two whole
    /// frames.
    ///
    /// Real-time: not safe.
    public func instant(of frame: Double) -> Double { line.instant(of: frame) }
  }

  /// Ends the recording and returns it. Call this function once.
  ///
  /// Real-time: not safe.
  public func finish() -> Result {
    isEnded.store(true, ordering: .relaxed)
    return reader.sync {
      line.finish()
      if failure == nil, samples.isEmpty {
        failure = PCMError(
          device: name, reason: "the device delivers no samples",
          remedy: "disconnect and connect it again, or give another device that `arecord -L` lists")
      }
      return Result(samples, failure, line)
    }
  }

  /// Whether more frames were recorded than a clock can have produced: more than twice the sum of the elapsed time and the
  /// buffer. ALSA's device `null` delivers any number of frames at once.
  private func isAhead(of elapsed: Nanoseconds) -> Bool {
    Double(samples.count) > 2 * (elapsed.seconds * Double(stream.rate) + Double(stream.buffer))
  }

  /// Reads until ``finish()`` or an error. Runs on the queue `reader`.
  private func read() {
    let (chunk, start) = (Int(stream.interval), MonotonicClock.now)
    var bytes = [UInt8](repeating: 0, count: chunk * stream.channels * stream.format.size)
    var last = Instant(nanoseconds: .min)
    while !isEnded.load(ordering: .relaxed) {
      var code = stream.wait()
      if code >= 0, let position = stream.position(after: last, &code) {
        last = position.instant
        // The device has recorded the frames that were read, and the frames that wait in its buffer. For capture, `delay` and
        // `available` both count the waiting frames (``PCMStream/Position``).
        line.observe(frame: Int64(samples.count) + max(position.delay, position.available), at: last)
      }
      guard !isAhead(of: MonotonicClock.now - start) else {
        failure = PCMError(
          device: name, reason: "delivers samples faster than real time, so it is not a sound card",
          remedy: "give an input of a sound card that `arecord -L` lists")
        return
      }
      // Reads at most one buffer at once, because a device without a clock always has more frames.
      let limit = samples.count + Int(stream.buffer)
      var count = chunk
      while code >= 0, count == chunk, samples.count < limit {
        let result = bytes.withUnsafeMutableBytes { snd_pcm_readi(stream.pcm, $0.baseAddress, UInt(chunk)) }
        if result == -Int(EAGAIN) { break }
        if result < 0 { code = Int32(result) }
        count = max(Int(result), 0)
        stream.format.appendMeans(of: bytes, frames: count, channels: stream.channels, to: &samples)
      }
      frames.store(samples.count, ordering: .relaxed)
      guard code >= 0 else {
        failure =
          code == -EPIPE
          ? PCMError(
            device: name, reason: "the recording broke off, because this program read the device too late",
            remedy: "close other programs and measure again")
          : PCMError(device: name, code: code, listedBy: "arecord -L")
        return
      }
    }
  }
}
