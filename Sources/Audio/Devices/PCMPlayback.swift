import CALSA
import Glibc
import MusicalTime

/// Plays samples that are known in advance, such as the test sounds of a measurement, to an output of a sound card.
///
/// Real-time: not safe.
public final class PCMPlayback: @unchecked Sendable {
  /// The ALSA name of the device.
  public let name: String
  /// Frames per second.
  public var rate: Int { Int(stream.rate) }

  // Invariant: open until deinit. One thread at a time calls `play`.
  private let stream: PCMStream

  /// Opens the output `name` at 48 000 frames per second, or at the nearest supported rate.
  ///
  /// - Throws: ``PCMError`` if the device is missing, busy, not permitted, or supports no usable parameters.
  ///
  /// Real-time: not safe.
  public init(_ name: String) throws(PCMError) {
    self.name = name
    do throws(PCMError) {
      stream = try PCMDevice.open(name, rate: nil, period: PCMDevice.defaultPeriod)
    } catch {
      // -ENOTSUP: the error has its own reason and remedy, such as the parameters that the device does not support.
      throw error.code == -ENOTSUP ? error : PCMError(device: name, code: error.code, listedBy: "aplay -L")
    }
  }

  deinit { snd_pcm_close(stream.pcm) }

  /// Plays `samples` on channels 1 and 2, and returns when the device has taken the last one.
  ///
  /// - Parameters:
  ///   - samples: the samples, full scale 1.
  ///   - isRunning: returns false to end the playback early.
  /// - Throws: ``PCMError`` if the device fails, or runs out of frames because the thread is late.
  ///
  /// Real-time: not safe.
  public func play(_ samples: [Float], while isRunning: () -> Bool) throws(PCMError) {
    try check(Int(stream.prepare()))
    var batch = InterleavedBatch(blocks: 1, format: stream.format, channels: stream.channels)
    var block = StereoBlock()
    var (frame, isStarted) = (0, false)
    while frame < samples.count, isRunning() {
      for index in 0..<Int(StereoBlock.length) {
        let sample = frame + index < samples.count ? samples[frame + index] : 0
        (block.left[index], block.right[index]) = (sample, sample)
      }
      batch.fill(block, from: 0)
      var written = 0
      while written < Int(StereoBlock.length), isRunning() {
        let count = Int(stream.write(batch.bytes(from: written), StereoBlock.length - Int64(written)))
        if count == 0 || count == -Int(EAGAIN) {
          // The buffer is full.
          if !isStarted { try check(Int(stream.start())) }
          isStarted = true
          try check(Int(stream.wait()))
        } else {
          try check(count)
          written += count
        }
      }
      frame += Int(StereoBlock.length)
    }
    if !isStarted { try check(Int(stream.start())) }
  }

  private func check(_ code: Int) throws(PCMError) {
    guard code < 0 else { return }
    guard code == -Int(EPIPE) else { throw PCMError(device: name, code: Int32(code), listedBy: "aplay -L") }
    throw PCMError(
      device: name, reason: "the playback broke off, because this program did not deliver the samples in time",
      remedy: "close other programs and measure again")
  }
}
