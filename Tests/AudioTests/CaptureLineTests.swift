import Foundation
import MusicalTime
import Testing
import _TestSupport

@testable import Audio

/// Tests of recordings of an input. The instants of the frames follow from the position reports of a simulated input (``CaptureLine``).
/// Other tests check the conversion of the samples, and the errors of devices.
@Suite struct CaptureLineTests {
  /// The simulated card updates its position every 4 ms, like snd-aloop. Its frames are too long by `drift` ppm. The instants of frames are
  /// recovered with errors of less than 40 us, although the reported positions are up to 4 ms old.
  @Test(arguments: [-120.0, 0, 35], UInt64(1)...10)
  func instantsAreWithinFortyMicrosecondsDespiteOldPositions(drift: Double, seed: UInt64) {
    var random = SplitMix(seed: seed)
    // The length of a frame in nanoseconds.
    let length = 1e9 / 48_000 * (1 + drift / 1e6)
    var line = CaptureLine(rate: 48_000, isHardware: true)
    for report in 0..<3_000 {
      // Reports about every 20 ms for 60 s. Frame 0 arrives at 9 s.
      let time = Double(report) * 20e6 + Double.random(in: 0...5e6, using: &random)
      let frame = ((time / 4e6).rounded(.down) * 4e6 / length).rounded(.down)
      line.observe(frame: Int64(frame), at: Instant(nanoseconds: 9_000_000_000 + Int64(time)))
    }
    line.finish()
    // The beginning, the middle between two frames after 10 s, and a frame after 58 s.
    for frame in [0.0, 480_000.5, 2_800_000] {
      #expect(abs(line.instant(of: frame) - (9e9 + frame * length)) < 40e3, "\(frame)")
    }
  }

  /// The reports of a sound server have errors of both signs, which average out.
  @Test(arguments: UInt64(1)...10) func errorsOfAServerAverageOut(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var line = CaptureLine(rate: 44_100, isHardware: false)
    for report in 0..<3_000 {
      let time = Double(report) * 20e6
      let frame = ((time + Double.random(in: -3e6...3e6, using: &random)) * 44_100 / 1e9).rounded()
      line.observe(frame: Int64(max(frame, 0)), at: Instant(nanoseconds: Int64(time)))
    }
    line.finish()
    // Frame 1 000 000 arrives after 1 000 000 / 44 100 s. The line is exact to 0.2 ms, although a single report has an error of up to
    // 3 ms.
    #expect(abs(line.instant(of: 1_000_000) - 1e15 / 44_100) < 2e5)
  }

  /// The rate is not estimated from reports that span less than 5 s. The line then has the nominal rate.
  @Test func shortRecordingHasTheNominalRate() {
    var line = CaptureLine(rate: 48_000, isHardware: true)
    // Without a report, the instant is 0.
    #expect(line.instant(of: 10) == 0)
    // In the reports, a frame lasts 20.9 us. At the nominal rate, a frame lasts 20.83 us, so 96 000 frames last 2 s.
    for report in 0..<10 {
      let frame = Int64(report) * 960
      line.observe(frame: frame, at: Instant(nanoseconds: 1_000_000_000 + frame * 20_900))
    }
    line.finish()
    #expect(abs(line.instant(of: 96_000) - line.instant(of: 0) - 2e9) < 1)
  }

  /// Samples that ``InterleavedBatch`` has converted to the format of a device are converted back. The error is less than two steps of a
  /// 16-bit sample.
  @Test(arguments: PCMFormat.allCases, [1, 2, 5]) func samplesAreReadBack(format: PCMFormat, channels: Int) {
    var block = StereoBlock()
    let values: [Float] = [0, 0.5, -0.5, 0.123, -0.987, 1e-3]
    for (frame, value) in values.enumerated() { (block.left[frame], block.right[frame]) = (value, value) }
    var batch = InterleavedBatch(blocks: 1, format: format, channels: channels)
    batch.fill(block, from: 0)
    let count = 64 * channels * format.size
    let bytes = [UInt8](UnsafeRawBufferPointer(start: batch.bytes(from: 0), count: count))
    var samples: [Float] = []
    format.appendMeans(of: bytes, frames: 64, channels: channels, to: &samples)
    #expect(samples.count == 64)
    // The result is the mean of all channels. Channels after the second are silent.
    let share = channels > 2 ? 2 / Float(channels) : 1
    for (sample, value) in zip(samples, values) { #expect(abs(sample - value * share) < 2.0 / 32_768) }
  }

  /// ALSA's device `null` delivers any number of frames at once. The recording ends instead of filling the memory. Playback on
  /// such a device is refused.
  @Test func inputWithoutAClockIsReported() throws {
    let capture = try PCMCapture("null")
    // Waits for 200 000 frames, at most 20 s. In the following half second, a recording that has not ended would continue to grow.
    for _ in 0..<2_000 where capture.count < 200_000 { Thread.sleep(forTimeInterval: 0.01) }
    Thread.sleep(forTimeInterval: 0.5)
    let recording = capture.finish()
    #expect(recording.failure?.description.hasPrefix("null: delivers samples faster than real time") == true)
    #expect(recording.samples.count < 1_000_000)
    let error = #expect(throws: PCMError.self) { try PCMPlayback("null") }
    #expect(error?.description.contains("aplay -L") == true)
  }

  @Test func missingInputIsReported() {
    for name in ["hw:NoSuchCard", ""] {
      let error = #expect(throws: PCMError.self) { try PCMCapture(name) }
      #expect(error?.description.contains("arecord -L") == true, "\(error!)")
    }
  }
}
