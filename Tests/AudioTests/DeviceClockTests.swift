import Audio
import MusicalTime
import Testing
import _TestSupport

/// Tests of the device clock with simulated time stamps. Errors are those of the fit (``SimulatedCard/run(seconds:after:)``).
/// Errors and their bounds are in microseconds, and drifts are in parts per million. A frame lasts 20.8 us. With one-sided noise, a
/// reported position may be old but is never ahead, as with hardware. With symmetric noise, it may be old or ahead, as with a sound server.
@Suite struct DeviceClockTests {
  static let drifts: [Double] = [0, 50, -50, 200, -200]

  @Test(arguments: [SimulatedCard.Noise.oneSided, .symmetric], drifts)
  func fitErrorDecreasesOverTime(noise: SimulatedCard.Noise, drift: Double) {
    // The bound of the error in successive intervals of 2, 2, 6 and 20 s. The first second is not examined.
    let bounds: [(seconds: Double, error: Double)] = [(2, 400), (2, 200), (6, 150), (20, 40)]
    for seed in UInt64(1)...2 {
      var card = SimulatedCard(noise: noise, drift: drift, seed: seed)
      var after = 1.0
      for (seconds, bound) in bounds {
        let error = card.run(seconds: seconds, after: after)
        #expect(error.least > -bound && error.greatest < bound, "seed \(seed)")
        after = 0
      }
      #expect(abs(card.clock.drift - drift) < 2, "seed \(seed)")
    }
  }

  @Test(arguments: [SimulatedCard.Noise.oneSided, .symmetric], [50, -200] as [Double])
  func fitStaysAccurateForAnHour(noise: SimulatedCard.Noise, drift: Double) {
    // A period of 2048 instead of 256 frames gives an eighth of the stamps. Without an estimate of the drift, the error
    // after an hour would be 180 ms (50 ppm) and 720 ms (200 ppm).
    var card = SimulatedCard(noise: noise, drift: drift, period: 2_048, seed: 5)
    _ = card.run(seconds: 40)
    let error = card.run(seconds: 3_560)
    #expect(error.least > -150 && error.greatest < 150)
  }

  @Test func fitIsWithinOneMicrosecondOfNoiselessStamps() {
    for drift in Self.drifts {
      let start = Instant(nanoseconds: 5_000_000_000)
      var clock = DeviceClock(grid: .standard, noise: .oneSided, frame: 0, at: start)
      let length = 1e9 / 48_000 * (1 + drift / 1e6)
      for frame in stride(from: Int64(256), to: 48_000 * 40, by: 256) {
        clock.observe(frame: frame, at: start + Nanoseconds(Int64(Double(frame) * length)))
        // The first two seconds are not compared. The fit is compared two periods after the report.
        guard frame > 2 * 48_000 else { continue }
        let error = clock.fit.instant(of: frame + 512) - start - Nanoseconds(Int64(Double(frame + 512) * length))
        #expect(error.magnitude < .microseconds(1))
      }
    }
  }

  @Test(arguments: UInt64(1)...5) func fitMovesByAtMostOneMillisecondPerSecond(seed: UInt64) {
    // The slew is limited after the first second. The drift of the device adds to the slew. A period of 256 frames lasts 5.33 ms. In this
    // time, the fit moves by at most 5.33 us of slew and 0.53 us of drift (100 ppm).
    var card = SimulatedCard(noise: .oneSided, drift: 100, seed: seed)
    _ = card.run(seconds: 1.1)
    for _ in 0..<4_000 {
      let before = card.clock.fit
      _ = card.run(seconds: 256.0 / 48_000)
      let frame = card.clock.fit.frame
      let moved = card.clock.fit.instant(of: frame) - before.instant(of: frame)
      #expect(moved.magnitude <= .microseconds(6), "seed \(seed)")
    }
  }

  @Test(arguments: [SimulatedCard.Noise.oneSided, .symmetric], [2_400, -2_400] as [Int64])
  func fitRecoversFromUnreportedFrameSkip(noise: SimulatedCard.Noise, frames: Int64) {
    var card = SimulatedCard(noise: noise, drift: 30, seed: 9)
    _ = card.run(seconds: 10)
    // 2400 frames last 50 ms: a millisecond has 48 frames.
    card.delay(by: .milliseconds(frames / 48))
    let error = card.run(seconds: 5, after: 2)
    #expect(error.least > -200 && error.greatest < 200)
  }

  /// The first reports of a sound server are too early, as observed with PulseAudio: by 67 ms in the first tenth of a second, and by 14 ms
  /// in the second one. The fit is right half a second after the first report, so that the first hit of a rhythm sounds at its instant.
  /// If reports come only every 1024 frames, a block of 16 reports takes 0.34 s, and the fit is right after 1.25 s.
  @Test(arguments: [DeviceClock.Noise.oneSided, .symmetric], [64, 256, 1_024] as [Int64])
  func wrongFirstReportsAreForgotten(noise: DeviceClock.Noise, step: Int64) {
    let start = Instant(nanoseconds: 5_000_000_000)
    func instant(_ frame: Int64) -> Instant { start + Nanoseconds(frame * 1_000_000_000 / 48_000) }
    var clock = DeviceClock(grid: .standard, noise: noise, frame: 0, at: start - .milliseconds(94))
    var random = SplitMix(seed: 6)
    for frame in stride(from: 0, to: Int64(5 * 48_000), by: Int(step)) {
      let error: Nanoseconds =
        switch frame {
        case ..<4_800: .milliseconds(-67)
        case ..<9_600: .milliseconds(-14)
        default: Nanoseconds(random.integer(in: -50_000...50_000))
        }
      clock.observe(frame: frame, at: instant(frame) + error)
      guard frame >= (step == 1_024 ? 60_000 : 24_000) else { continue }
      let fitError = (clock.fit.instant(of: frame + 512) - instant(frame + 512)).magnitude
      #expect(fitError < .microseconds(frame < 96_000 ? 500 : 150), "frame \(frame)")
    }
  }

  @Test func rateIsKeptAcrossRestart() {
    var card = SimulatedCard(noise: .oneSided, drift: -150, seed: 3)
    _ = card.run(seconds: 40)
    #expect(abs(card.clock.drift + 150) < 1)
    card.restart()
    // The known drift of -150 ppm is kept.
    #expect(abs(card.clock.drift + 150) < 1)
    // During the first seconds after a restart, the drift stays within 20 ppm of the known drift.
    // The reports are up to 4 ms old, so a fit to few reports is late rather than early. Therefore the upper limit is larger.
    let error = card.run(seconds: 4, after: 1)
    #expect(error.least > -100 && error.greatest < 200)
    #expect(abs(card.clock.drift + 150) < 20.1)
  }

  /// The estimated drift is limited to 500 ppm. The device drifts by 900 ppm, so the error of the fit grows by 0.4 ms per second. After two
  /// consecutive blocks of reports that deviate by more than 2 ms, the clock removes the older blocks (``DeviceClock``). Without this
  /// removal, the error would reach 7.6 ms in the 19 examined seconds.
  @Test func driftBeyondTheLimitIsFollowedWithinMilliseconds() {
    var card = SimulatedCard(noise: .oneSided, drift: 900, seed: 4)
    let error = card.run(seconds: 20, after: 1)
    #expect(error.least > -4_000 && error.greatest < 4_000 && abs(card.clock.drift) <= 500)
  }

  /// The position of the device goes back by a second, so the clock rejects all reports until it restarts. The number of reports per second
  /// does not change the time until the restart.
  @Test(arguments: [64, 256, 1_024] as [Int64]) func clockRestartsWhenAllReportsOfHalfASecondWereRejected(step: Int64) {
    let start = Instant(nanoseconds: 5_000_000_000)
    func instant(_ frame: Int64) -> Instant { start + Nanoseconds(frame * 1_000_000_000 / 48_000) }
    var clock = DeviceClock(grid: .standard, noise: .oneSided, frame: 0, at: start)
    // The frame numbers 49 152, 22 528 and 3 072 are multiples of all three steps: 1.024 s, 469 ms and 64 ms.
    for frame in stride(from: 0, to: Int64(49_152), by: Int(step)) { clock.observe(frame: frame, at: instant(frame)) }
    let fit = clock.fit
    let end = Int64(49_152) + 22_528
    for frame in stride(from: Int64(49_152), to: end, by: Int(step)) {
      clock.observe(frame: frame - 48_000, at: instant(frame))
    }
    // The reports of 469 ms were rejected, which is less than half a second.
    #expect(clock.fit == fit)
    // With the next 64 ms, the reports of more than half a second are rejected. The clock restarts at a reported frame.
    for frame in stride(from: end, to: end + 3_072, by: Int(step)) {
      clock.observe(frame: frame - 48_000, at: instant(frame))
    }
    #expect(abs(clock.fit.frame(nearest: instant(end)) - (end - 48_000)) <= 1)
  }

  @Test(arguments: UInt64(1)...20) func clockRecoversFromImplausibleStamps(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var card = SimulatedCard(noise: seed % 2 == 0 ? .oneSided : .symmetric, drift: 20, seed: seed)
    _ = card.run(seconds: 3)
    // Half of the frames and instants are extreme values, and half are random values.
    let ends: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    for _ in 0..<300 {
      let frame =
        random.integer(in: 0...1) == 0 ? ends[Int(random.integer(in: 0...6))] : random.integer(in: .min ... .max)
      let instant =
        random.integer(in: 0...1) == 0 ? ends[Int(random.integer(in: 0...6))] : random.integer(in: .min ... .max)
      card.clock.observe(frame: frame, at: Instant(nanoseconds: instant))
      _ = card.clock.fit.frame(nearest: Instant(nanoseconds: instant))
    }
    // The clock recovers after half a second of valid stamps.
    let error = card.run(seconds: 5, after: 3)
    #expect(error.least > -300 && error.greatest < 300, "seed \(seed)")
  }
}
