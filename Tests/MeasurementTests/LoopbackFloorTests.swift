import Foundation
import Measurement
import MusicalTime
import Testing

/// Tests of the jitter floor of an audio interface (``LoopbackFloor``), from recordings of known pulses.
@Suite struct LoopbackFloorTests {
  private func floor(_ samples: [Float]) throws -> LoopbackFloor {
    try LoopbackFloor(
      Recording(name: "in", samples: samples, rate: 48_000, firstInstant: Instant(nanoseconds: 0)), output: "out",
      outputRate: 48_000)
  }

  /// The interface adds only white noise, 60 dB below full scale. With the gain -0.1, the input also inverts the signal and attenuates
  /// signal and noise by 20 dB. The floor consists only of the error of the detector.
  @Test(arguments: UInt64(1)...5, [1, -0.1] as [Float])
  func perfectInterfaceHasALowFloor(seed: UInt64, gain: Float) throws {
    // The recording begins 1000 frames before the signal and ends after the signal, which has 504 177 frames.
    let noise = Clocks.gaussian(560_000, seed: seed).map { Float($0 * 1e-3) * abs(gain) }
    let signal = LoopbackFloor.signal(rate: 48_000)
    let samples = noise.enumerated().map { index, noise in
      noise + (signal.indices.contains(index - 1_000) ? signal[index - 1_000] * gain : 0)
    }
    let floor = try floor(samples)
    #expect(floor.pulses == 480 && floor.faults == 0)
    // A frame is 20.8 us. If the phase errors have a standard deviation of 1 us, their range is about six standard deviations, 6 us. The
    // slope through 480 pulses in 10 s then has a standard deviation of 0.016 ppm.
    #expect(try #require(floor.phase.standardDeviation) < 1_000, "\(floor.phase)")
    #expect(floor.peakToPeak < 6_000 && abs(floor.drift) < 0.05, "\(floor)")
  }

  /// The interface delays every second block of 24 009 frames by one frame. A block has the length of 24 pulses, which are 1000.37
  /// frames apart.
  @Test func jitterOfTheInterfaceIsRecovered() throws {
    let signal = LoopbackFloor.signal(rate: 48_000)
    let samples = signal.indices.map { index in
      let delay = index / 24_009 % 2
      return index >= delay ? signal[index - delay] : 0
    }
    // Half of the pulses are one frame late, so the standard deviation of the phase errors is half a frame.
    let floor = try floor(samples + [0, 0])
    #expect(abs(try #require(floor.phase.standardDeviation) - 0.5e9 / 48_000) < 500, "\(floor.phase)")
    #expect(abs(floor.peakToPeak - 1e9 / 48_000) < 3_000)
  }

  @Test func missingPulsesAreCountedAndSilenceIsRejected() throws {
    var samples = LoopbackFloor.signal(rate: 48_000)
    for index in 100_000..<110_000 { samples[index] = 0 }
    let floor = try floor(samples)
    // The silence of 10 000 frames hides about ten of the 480 pulses.
    #expect((9...11).contains(floor.faults) && floor.pulses == 480 - floor.faults)
    // Silence, and the first 60 000 frames, which contain 48 of the 480 pulses.
    for samples in [[Float](repeating: 0, count: 48_000), Array(samples[..<60_000])] {
      let error = #expect(throws: ReportError.self) { try self.floor(samples) }
      let message = "--loopback out in: the pulses of the output do not arrive at the input"
      #expect(error?.description.hasPrefix(message) == true)
    }
  }
}
