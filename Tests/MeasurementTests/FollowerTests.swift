import Foundation
import Measurement
import MusicalTime
import Testing
import _TestSupport

/// Tests of the report on a device that follows a MIDI clock (`tutti measure follower`). The devices are simulated, so the true
/// figures are known. ``Followers`` contains the devices. The lag is the lasting change of the phase error after a tempo step.
@Suite struct FollowerTests {
  /// The delay is recovered to 0.1 ms if the device has noise of 0.2 ms. A device with a negative delay plays early.
  @Test(arguments: [-20e6, 0, 3e6, 90e6], UInt64(1)...10)
  func delayIsRecovered(delay: Double, seed: UInt64) throws {
    let followers = try Followers(seed: seed)
    let report = try followers.analysis(followers.ideal(delay: delay), noise: 2e5, seed: seed).report
    #expect(abs(try #require(report.delay) - delay) < 1e5)
    #expect(try #require(report.steady?.standardDeviation).isClose(to: 2e5, 0.25))
    #expect(report.offGrid == 0 && report.warnings.isEmpty && report.drift == nil, "\(report.warnings)")
  }

  /// A device that knows the ideal clock: it has no jitter and no lag, settles at once, and plays as if no tick was lost.
  @Test(arguments: UInt64(1)...10)
  func perfectDeviceHasNoJitterAndNoLagAndKeepsItsPosition(seed: UInt64) throws {
    let followers = try Followers(seed: seed)
    let report = try followers.analysis(followers.ideal(delay: 3e6), noise: 1e5, seed: seed).report
    let transfer = try #require(report.transfer)
    #expect(transfer.ratio < 0.03 && transfer.input.isClose(to: 2e6, 0.06), "\(transfer)")
    #expect(report.steps.map(\.settling) == [0, 0] && report.steps.map(\.overshoot) == [0, 0])
    for step in report.steps {
      #expect(abs(step.peak) < 6e5)
      #expect(abs(try #require(step.lag)) < 1e5)
    }
    #expect(report.losses.count == 4 && report.keptLosses == 4)
    for loss in report.losses { #expect(abs(loss.ticks) < 0.02) }
  }

  /// The jitter of the clock causes jitter of the device. The jitter transfer is the standard deviation of the jitter of the device,
  /// divided by the standard deviation of the jitter of the clock. A low-pass filter of first order with the gain g has the transfer
  /// (g / (2 - g))^(1/2). The result of each seed is within five standard errors of this value. The mean over all seeds is within 0.02.
  @Test(arguments: [1.0, 0.3, 0.1, 0.03])
  func jitterTransferIsRecovered(gain: Double) throws {
    let expected = (gain / (2 - gain)).squareRoot()
    var sum = 0.0
    for seed in UInt64(1)...20 {
      let followers = try Followers(seed: seed)
      let sounds = gain == 1 ? followers.onArrival(delay: 5e6) : followers.loop(gain: gain)
      let transfer = try #require(try followers.analysis(sounds, noise: 2e5, seed: seed).report.transfer)
      #expect(abs(transfer.ratio - expected) < 5 * transfer.standardError, "seed \(seed): \(transfer), \(expected)")
      #expect(transfer.standardError < 0.08, "seed \(seed): \(transfer)")
      sum += transfer.ratio
    }
    #expect(abs(sum / 20 - expected) < 0.02, "\(sum / 20), \(expected)")
  }

  /// The response of a low-pass filter of first order to a tempo step. With the gain g and the change d of the length of a
  /// tick, the lag is d (1 - g) / g, the remaining error after n ticks is the lag times (1 - g)^n, and there is no overshoot.
  @Test(arguments: [0.2, 0.05, 0.02], UInt64(1)...10)
  func lowPassFilterIsRecovered(gain: Double, seed: UInt64) throws {
    let followers = try Followers(seed: seed)
    let report = try followers.analysis(followers.loop(gain: gain), noise: 2e5, seed: seed).report
    let (slow, fast) = (500e6 / 24, 500e6 / 24 / 1.05)
    let tolerance = try #require(report.tolerance)
    try #require(report.steps.count == 2)
    for (step, change, period) in [(report.steps[0], slow - fast, fast), (report.steps[1], fast - slow, slow)] {
      let lag = change * (1 - gain) / gain
      #expect(abs(try #require(step.lag) - lag) < 1.5e5, "\(step), \(lag)")
      let ticks = max(log(tolerance / abs(lag)) / log(1 - gain), 0)
      // The device plays on every sixth tick, so the report finds the instant of settling up to six ticks late. Noise moves the instant
      // at which the error enters the tolerance band. The bounds allow for three standard deviations of the noise, 6e5 ns.
      let settling = try #require(step.settling)
      let crossing = log(1 + 6e5 / tolerance) / gain
      #expect(
        settling > (ticks - crossing) * period && settling < (ticks + crossing + 7) * period,
        "\(settling / 1e9) s, \(ticks * period / 1e9) s")
      #expect(step.overshoot == 0 && abs(step.peak - lag) < 8e5, "\(step)")
    }
    for loss in report.losses { #expect(abs(loss.ticks) < 0.02, "\(loss)") }
  }

  /// A loop of second order has no lag. It overshoots if it is weakly damped. The test computes the expected peak and overshoot from
  /// the phase errors without noise. The report gets the sounds with noise.
  @Test(arguments: [(0.1, 0.0025), (0.05, 0.003)], UInt64(1)...10)
  func secondOrderLoopIsRecovered(loop: (gain: Double, rate: Double), seed: UInt64) throws {
    let followers = try Followers(seed: seed)
    let sounds = followers.loop(gain: loop.gain, rate: loop.rate)
    let report = try followers.analysis(sounds, noise: 2e5, seed: seed).report
    let tolerance = try #require(report.tolerance)
    for (step, section) in zip(report.steps, followers.record.header.stimulus.sections[1...2]) {
      // The phase errors without noise, their peak, and the overshoot: the largest error of the opposite sign after the peak.
      let errors = section.ticks.filter { $0 % 6 == 0 }.map {
        sounds[$0 / 6] - Double(Followers.origin.nanoseconds + followers.record.ticks[$0].ideal)
      }
      let peak = try #require(errors.max { abs($0) < abs($1) })
      let direction = peak < 0 ? -1.0 : 1
      let after = errors[errors.firstIndex(of: peak)!...].map { -$0 * direction }
      let overshoot = try #require(after.max())
      #expect(abs(step.peak - peak) < 7e5, "\(step), \(peak)")
      #expect(abs(try #require(step.lag)) < 1.5e5)
      if overshoot > tolerance + 5e5 {
        #expect(abs(try #require(step.overshoot) - overshoot) < 7e5, "\(step), \(overshoot)")
      } else if overshoot < tolerance - 7e5 {
        #expect(step.overshoot == 0)
      }
      // When the clock becomes faster, the device is late at first.
      #expect((peak > 0) == (section.part == .faster))
    }
    // The second loop is weakly damped.
    #expect(loop.gain != 0.05 || report.steps.allSatisfy { $0.overshoot! > 0 })
  }

  /// A device that counts ticks falls behind by one tick with each lost tick.
  @Test(arguments: [3, 6, 12, 24], UInt64(1)...5)
  func permanentLossIsRecovered(grid: Int, seed: UInt64) throws {
    let followers = try Followers(seed: seed, grid: grid)
    let report = try followers.analysis(followers.counting(delay: 3e6), noise: 2e5, seed: seed).report
    #expect(report.losses.count == 4 && report.keptLosses == 0 && report.offGrid == 0)
    for loss in report.losses { #expect(abs(loss.ticks - 1) < 0.02, "\(loss)") }
  }

  /// If a device plays on every tick or on every second tick, the shift by one tick after a lost tick looks like a missing sound. The
  /// report then has a warning and no figures of lost ticks.
  @Test(arguments: [1, 2]) func lostTicksAreNotMeasuredOnAFineGrid(grid: Int) throws {
    let followers = try Followers(grid: grid)
    let report = try followers.analysis(followers.onArrival(delay: 3e6), noise: 1e5).report
    #expect(report.losses.isEmpty)
    #expect(report.warnings.contains { $0.contains("the effect of lost ticks is not measured") })
    #expect(abs(try #require(report.transfer).ratio - 1) < 0.05)
  }

  /// The clock of a recorder on another machine has another origin and drifts. The delay is therefore unknown. The report recovers the
  /// drift to 20 ppm, and the other figures as with a common clock.
  @Test(arguments: [-120.0, 0, 80], UInt64(1)...10)
  func recorderMayHaveAnotherClock(drift: Double, seed: UInt64) throws {
    let followers = try Followers(seed: seed)
    let sounds = followers.loop(gain: 0.1).map { ($0 - 6e9) * (1 + drift * 1e-6) + 5e6 }
    // The first sound is the click of a plug before the start.
    let report = try followers.analysis([0.3e9] + sounds, noise: 2e5, seed: seed, hasCommonClock: false).report
    #expect(report.delay == nil)
    #expect(abs(try #require(report.drift).value - drift) < 20, "\(report.drift!)")
    // The formulas of `lowPassFilterIsRecovered` and `jitterTransferIsRecovered`, with the gain 0.1: (1 - g) / g is 9.
    let lag = 500e6 / 24 * (1 - 1 / 1.05) * 9
    #expect(abs(try #require(report.steps.first?.lag) - lag) < 5e5)
    #expect(report.keptLosses == 4 && report.steps.allSatisfy { $0.settling != nil })
    let transfer = try #require(report.transfer)
    #expect(abs(transfer.ratio - (0.1 / 1.9).squareRoot()) < 5 * transfer.standardError + 0.01)
  }

  /// The device plays three of eight sixteenth notes: 0, 3 and 6. The recording also contains sounds off the grid, 62 ms after a sound.
  /// A sixteenth note at 120 BPM lasts 125 ms, so these sounds are near the middle between two lines of the grid.
  @Test func sparsePatternIsMeasured() throws {
    let followers = try Followers()
    var sounds = followers.ideal(delay: 10e6).enumerated().filter { $0.offset % 8 % 3 == 0 }.map(\.element)
    sounds += stride(from: 10, to: sounds.count, by: 20).map { sounds[$0] + 62e6 }
    let report = try followers.analysis(sounds, noise: 1e5).report
    #expect(abs(try #require(report.delay) - 10e6) < 1e5)
    #expect(report.offGrid > 10)
    #expect(report.keptLosses == 4 && report.steps.map(\.settling) == [0, 0])
  }

  /// From the lost tick on, the device plays 60 ms later, which is about half of a grid interval. The first four sounds after the
  /// jump count as off the grid. With the fifth, the report knows that the device has jumped (``SoundPlacement``).
  @Test func jumpOfHalfAnIntervalIsFollowed() throws {
    let followers = try Followers(losses: 1)
    let tick = followers.record.header.stimulus.lostTicks[0]
    let sounds = followers.ideal(delay: 1e6).enumerated().map { $1 + ($0 * 6 > tick ? 60e6 : 0) }
    let report = try followers.analysis(sounds, noise: 1e5).report
    #expect(abs(try #require(report.losses.first).shift - 60e6) < 2e5, "\(report)")
    #expect(report.offGrid == 4)
  }

  /// The stimulus was interrupted. Its complete parts are measured, and the other parts are not.
  @Test func interruptedStimulusHasNoFiguresOfMissingParts() throws {
    let complete = try Followers()
    var record = StimulusRecord(complete.record.header)
    let end = record.header.stimulus.sections[1].ticks.upperBound + 100
    for tick in 0..<end { _ = record.add(tick, sent: Instant(nanoseconds: complete.record.sent[tick]!)) }
    let sounds = FollowerSounds(
      name: "x.wav", instants: complete.ideal(delay: 1e6).filter { $0 < Double(record.sent[end - 1]!) + 5e6 },
      hasCommonClock: true)
    let report = try FollowerAnalysis(sounds, record, soundsPerQuarter: 4, provenance: Clocks.provenance).report
    #expect(report.delay != nil && report.steps.count == 1 && report.transfer == nil && report.losses.isEmpty)
    #expect(report.warnings.contains { $0.contains("the clock ended after \(end) of") }, "\(report.warnings)")
  }

  /// The device needs longer to settle than the parts of the stimulus last. It has no settling time and no lag.
  @Test func slowDeviceDoesNotSettle() throws {
    let followers = try Followers(seconds: 8)
    let report = try followers.analysis(followers.loop(gain: 0.003), noise: 1e5).report
    #expect(report.steps.allSatisfy { $0.settling == nil && $0.lag == nil && $0.overshoot == nil })
    #expect(report.steps.allSatisfy { abs($0.peak) > 5e7 })
    #expect(report.warnings.contains { $0.contains("did not settle") } && report.description.contains("  -"))
  }

  @Test func soundsWithoutAGridAreRejected() throws {
    let followers = try Followers()
    var random = SplitMix(seed: 3)
    let sounds = (0..<600).map { _ in Double.random(in: 7e9...130e9, using: &random) }
    for hasCommonClock in [true, false] {
      let error = #expect(throws: ReportError.self) {
        try followers.analysis(sounds, hasCommonClock: hasCommonClock)
      }
      #expect(error?.description.contains("not on a grid") == true)
      let few = #expect(throws: ReportError.self) {
        try followers.analysis([8e9, 9e9], hasCommonClock: hasCommonClock)
      }
      #expect(few?.description.contains("fewer than 4 sounds") == true)
    }
  }

  /// The sounds of a device are rendered as a recording of pulses or of drum hits, and then found by the detectors.
  @Test(arguments: [true, false]) func soundsAreFoundInARecording(usesPulses: Bool) throws {
    let followers = try Followers(seconds: 6)
    let instants = followers.counting(delay: 4e6)
    // The recording begins at 6 s and ends half a second after the last sound.
    var drums = Drums(seconds: instants.last! / 1e9 - 5.5)
    for (index, instant) in instants.enumerated() {
      let position = (instant - 6e9) * 48e-6
      if usesPulses {
        let first = Int(position.rounded(.up))
        for frame in first..<first + 400 {
          let time = (Double(frame) - position) / 48e3
          drums.add(Float(0.7 * sin(2 * .pi * 3_000 * time) * exp(-time / 1e-3) * min(1, time / 5e-5)), at: frame)
        }
      } else {
        drums.strike(index % 2 == 0 ? .snare : .hat, at: Int(position.rounded()))
      }
    }
    let recording = Recording(
      name: "x.wav", samples: drums.rounded(), rate: 48_000, firstInstant: Instant(nanoseconds: 6_000_000_000))
    let sounds = try FollowerSounds(recording, usesPulses: usesPulses, hasCommonClock: true)
    #expect(sounds.instants.count == instants.count)
    let analysis = try FollowerAnalysis(
      sounds, followers.record, soundsPerQuarter: 4, provenance: Clocks.provenance)
    let report = analysis.report
    // The tolerance of the delay allows for the detector, which finds a pulse a little later than its beginning. A drum hit begins at a
    // whole frame, so its position has an error of up to half a frame, 10.4 us.
    #expect(abs(try #require(report.delay) - 4e6) < 1e5)
    #expect(try #require(report.steady?.maximum) < (usesPulses ? 4e3 : 1.2e4))
    #expect(report.losses.allSatisfy { abs($0.ticks - 1) < 0.02 } && report.losses.count == 4)
    #expect(throws: ReportError.self) {
      try FollowerSounds(
        Recording(
          name: "s.wav", samples: [Float](repeating: 0, count: 48_000), rate: 48_000, firstInstant: Followers.origin),
        usesPulses: usesPulses, hasCommonClock: true)
    }
  }

  /// One sound that is 45 ms late is outside the axis. The label contains its value, and the response to a tempo step, 8.9 ms, stays inside.
  @Test func outlierDoesNotFlattenThePlot() throws {
    let followers = try Followers()
    var sounds = followers.loop(gain: 0.1)
    // The sound is in the part after the second tempo step.
    sounds[300] += 45e6
    let picture = PlotPicture(file: "x.svg", format: .svg)
    let script = try followers.analysis(sounds, noise: 4e5).plot(picture)
    #expect(script.components(separatedBy: "'phase error / ms'").count == 3)
    #expect(script.components(separatedBy: "s (△ outside: 1, up to 4").count == 3)
    let ranges = script.components(separatedBy: "\n").filter { $0.hasPrefix("set yrange") }
    #expect(ranges.count == 2, "\(ranges)")
    for range in ranges {
      let bounds = range.dropFirst("set yrange [".count).dropLast().split(separator: ":").compactMap { Double($0) }
      #expect(bounds.count == 2 && bounds[0] < -1 && bounds[1] > 10 && bounds[1] < 30, "\(range)")
    }
    let constant = try Followers(step: 0)
    let single = try constant.analysis(constant.ideal(delay: 3e6), noise: 4e5).plot(picture)
    #expect(single.components(separatedBy: "\nplot ").count == 2 && !single.contains("set yrange"))
  }
}
