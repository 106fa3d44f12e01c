import Foundation
import Measurement
import Testing
import _TestSupport

/// Tests of the tick numbers of stamps that contain none: the phase errors are below half a tick, but single intervals are longer than one
/// and a half ticks or shorter than half a tick.
@Suite struct ClockNumberingTests {
  /// The length of a tick at 120 BPM, nanoseconds.
  private static let period = 500e6 / 24

  /// Expects a clock of one run without lost, doubled and late ticks.
  private func expectNoFaults(_ report: ClockReport, ticks: Int, _ comment: Comment) {
    #expect(
      report.ticks == ticks && report.runs == 1 && report.lost == 0 && report.doubled == 0,
      "\(comment): lost \(report.lost), doubled \(report.doubled), runs \(report.runs)")
  }

  /// The stamps of ticks that arrive at the next multiple of `interval`, as those of MIDI over Bluetooth Low Energy do.
  private func quantized(_ interval: Double, period: Double = Self.period, count: Int, seed: UInt64) -> [Int64] {
    var random = SplitMix(seed: seed)
    let start = Double.random(in: 0..<period, using: &random)
    return (0..<count).map { Int64(((start + Double($0) * period) / interval).rounded(.up) * interval) }
  }

  /// The errors are uniform over one connection interval, so their standard deviation is the interval divided by sqrt(12).
  @Test(arguments: [7.5e6, 10e6, 11.25e6, 15e6], UInt64(1)...5)
  func ticksOfBluetoothAreNumbered(interval: Double, seed: UInt64) throws {
    let report = try Clocks.report(quantized(interval, count: 2880, seed: seed), nominalBPM: 120)
    let unknownTempo = try Clocks.report(quantized(interval, count: 2880, seed: seed))
    for report in [report, unknownTempo] {
      expectNoFaults(report, ticks: 2880, "\(interval) ns, seed \(seed)")
      #expect(try #require(report.phase.standardDeviation).isClose(to: interval / 12.0.squareRoot(), 0.01))
      #expect(report.tempo.value.isClose(to: 120, 20e-6) && report.late == 0)
      #expect(report.resolution == interval && report.warnings.count == 2, "\(report.warnings)")
      #expect(report.warnings.contains { $0.contains("more than a third of a tick") }, "\(report.warnings)")
    }
  }

  /// The errors reach 0.72 ticks. The nominal tempo makes the numbers right, and the report states that they are uncertain.
  @Test(arguments: UInt64(1)...5) func nominalTempoNumbersTicksOfASlowConnection(seed: UInt64) throws {
    let report = try Clocks.report(quantized(30e6, count: 2880, seed: seed), nominalBPM: 120)
    expectNoFaults(report, ticks: 2880, "seed \(seed)")
    #expect(report.tempo.value.isClose(to: 120, 50e-6))
    #expect(try #require(report.phase.standardDeviation).isClose(to: 30e6 / 12.0.squareRoot(), 0.01))
    #expect(report.warnings.contains { $0.contains("reach half a tick") }, "\(report.warnings)")
  }

  /// White jitter of 2 ms at 120 BPM: of 10 000 intervals, two are longer than one and a half ticks, and two shorter than half a tick.
  @Test(arguments: UInt64(1)...5) func ticksWithWhiteJitterAreNumbered(seed: UInt64) throws {
    let errors = Clocks.gaussian(10_000, seed: seed).map { $0 * 2e6 }
    let report = try Clocks.report(Clocks.stamps(period: Self.period, errors: errors).sorted(), nominalBPM: 120)
    expectNoFaults(report, ticks: 10_000, "seed \(seed)")
    #expect(try #require(report.phase.standardDeviation).isClose(to: 2e6, 0.03) && report.warnings.isEmpty)
    #expect(report.interval.map { $0.maximum > 1.5 * Self.period || $0.minimum < Self.period / 2 } == true)
  }

  /// Taps at 120 BPM: each tap deviates from an inner beat by 8 % of an interval (motor noise), and the intervals of the inner beat
  /// vary by 3 % (A. Wing and A. Kristofferson, 1973). Some intervals are shorter than 0.7 or longer than 1.3 beats.
  @Test(arguments: UInt64(1)...10) func tapsAreNumbered(seed: UInt64) throws {
    let (timer, motor) = (Clocks.gaussian(600, seed: seed), Clocks.gaussian(600, seed: seed + 100))
    var beat = 0.0
    let taps = zip(timer, motor).map { timer, motor in
      beat += 500e6 * (1 + 0.03 * timer)
      return Int64(beat + 40e6 * motor)
    }
    let clock = ClockStamps(name: "taps", stamps: taps.sorted())
    let report = try ClockAnalysis(clock, ticksPerQuarter: 1, provenance: Clocks.provenance).report
    expectNoFaults(report, ticks: 600, "seed \(seed)")
  }

  /// The tempo alternates between 120 BPM and another tempo every 200 ticks, with white jitter in ticks.
  @Test(arguments: [0.75, 0.9, 1.1, 1.3], [0.0, 0.01, 0.02]) func stepsOfTheTempoAreFollowed(
    ratio: Double, jitter: Double
  ) throws {
    var time = 0.0
    let stamps = Clocks.gaussian(2000, seed: 3).enumerated().map { index, noise in
      time += index % 400 < 200 ? Self.period : Self.period * ratio
      return Int64(time + noise * jitter * Self.period)
    }
    expectNoFaults(try Clocks.report(stamps.sorted()), ticks: 2000, "ratio \(ratio), jitter \(jitter)")
  }

  /// The tempo rises from 60 to 180 BPM and falls again, by `rate` BPM per second.
  @Test(arguments: [0.5, 2, 8], [0.0, 0.01, 0.02]) func rampsOfTheTempoAreFollowed(rate: Double, jitter: Double) throws
  {
    var (time, tempo, direction) = (0.0, 60.0, 1.0)
    let stamps = Clocks.gaussian(3000, seed: 4).map { noise in
      let period = 2.5e9 / tempo
      time += period
      tempo += direction * rate * period / 1e9
      if tempo > 180 { direction = -1 } else if tempo < 60 { direction = 1 }
      return Int64(time + noise * jitter * period)
    }
    expectNoFaults(try Clocks.report(stamps.sorted()), ticks: 3000, "rate \(rate), jitter \(jitter)")
  }

  /// The phase jumps every 300 ticks, by `step` ticks.
  @Test(arguments: [-0.4, -0.2, 0.2, 0.4], [0.0, 0.01, 0.02]) func stepsOfThePhaseAreFollowed(
    step: Double, jitter: Double
  ) throws {
    let stamps = Clocks.gaussian(1800, seed: 5).enumerated().map { index, noise in
      Int64((Double(index) + Double(index / 300) * step + noise * jitter) * Self.period)
    }
    expectNoFaults(try Clocks.report(stamps.sorted()), ticks: 1800, "step \(step), jitter \(jitter)")
  }

  /// One of a hundred ticks is lost in stamps that are quantized to 7.5 ms, with 1 ms of jitter.
  @Test(arguments: UInt64(1)...5) func lostTicksAreFoundInQuantizedStamps(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let all = quantized(7.5e6, count: 2880, seed: seed).map { $0 + random.integer(in: 0...1_000_000) }.sorted()
    let kept = all.indices.filter { $0 == 0 || $0 == 2879 || random.integer(in: 0...99) > 0 }
    let report = try Clocks.report(kept.map { all[$0] })
    #expect(report.lost == 2880 - kept.count && report.doubled == 0 && report.runs == 1, "seed \(seed)")
  }

  /// Ticks are lost at random from stamps in steps of more than a third of a tick. In steps of 20 ms, the stamps look like an exact clock at
  /// 125 BPM, and with `--nominal 140`, stamps in steps of 18.75 ms look like a clock at about 136 BPM. Each report has a warning that names
  /// the step.
  @Test(
    arguments: [(20e6, nil), (18.75e6, 140), (20e6, 120), (15e6, nil), (10e6, nil), (7.5e6, nil)]
      as [(Double, Double?)], [0, 19, 99])
  func coarseStepsAreReported(_ stamps: (step: Double, nominal: Double?), loss: Int64) throws {
    for seed in UInt64(1)...3 {
      var random = SplitMix(seed: seed)
      let all = quantized(stamps.step, count: 2880, seed: seed)
      let kept = all.indices.filter { $0 == 0 || $0 == 2879 || loss == 0 || random.integer(in: 0...loss) > 0 }
      let report = try Clocks.report(kept.map { all[$0] }, nominalBPM: stamps.nominal)
      let warning = report.warnings.first { $0.contains("more than a third of a tick, so the tempo") }
      #expect(warning?.contains("multiples of \(Int(stamps.step / 1e3)).000 us") == true, "seed \(seed): \(report)")
      #expect(warning?.hasSuffix("or give --nominal") == (stamps.nominal == nil))
    }
    // An exact clock without losses has no resolution, and its numbers are certain.
    #expect(try Clocks.report((0..<100).map { $0 * 20_000_000 }).warnings.isEmpty)
  }

  /// With white jitter of 0.14 ticks or more and random losses, some numbers are wrong in a part of the files. Such a report has a warning.
  /// With 0.1 ticks, the numbers are right, and there is no warning.
  @Test(arguments: [0.1, 0.12, 0.14, 0.2]) func ambiguousJitterIsReported(jitter: Double) throws {
    for seed in UInt64(1)...25 {
      var random = SplitMix(seed: seed)
      let errors = Clocks.gaussian(2880, seed: seed &* 77).map { $0 * jitter * Self.period }
      let all = Clocks.stamps(period: Self.period, errors: errors).sorted()
      let kept = all.indices.filter { $0 == 0 || $0 == 2879 || random.integer(in: 0...99) > 0 }
      let report = try Clocks.report(kept.map { all[$0] })
      let isRight = report.lost == 2880 - kept.count && report.doubled == 0
      let warns = report.warnings.contains { $0.contains("are uncertain") }
      #expect(isRight || warns, "seed \(seed): lost \(report.lost) of \(2880 - kept.count)")
      if jitter < 0.11 { #expect(isRight && !warns, "seed \(seed): \(report.warnings)") }
    }
  }

  /// The limits of the tempo are 20 and 1040 BPM, by the number of ticks in a quarter note.
  @Test(
    arguments: [
      (126e6, 24, false), (124e6, 24, true), (2.41e6, 24, true), (2.39e6, 24, false), (2.9e9, 1, true),
      (3.1e9, 1, false),
      (58e6, 1, true), (57e6, 1, false), (20e6, 1, false), (500e6, 24, false),
    ])
  func temposOutsideTheRangeAreRefused(period: Double, ticksPerQuarter: Int, isMeasured: Bool) throws {
    let clock = ClockStamps(
      name: "x", stamps: Clocks.stamps(period: period, errors: [Double](repeating: 0, count: 100)))
    func measure() throws -> ClockReport {
      try ClockAnalysis(clock, ticksPerQuarter: ticksPerQuarter, provenance: Clocks.provenance).report
    }
    guard !isMeasured else {
      #expect(try measure().ticks == 100)
      return
    }
    let error = #expect(throws: ReportError.self) { try measure() }
    #expect(
      error?.reason.contains("outside 20 to 1040 BPM") == true && error?.remedy.contains("--ticks-per-quarter") == true)
  }

  @Test(arguments: [19.9, 1041]) func nominalTempoOutsideTheRangeIsRefused(tempo: Double) {
    let error = #expect(throws: ReportError.self) {
      try Clocks.report((0..<100).map { $0 * 20_000_000 }, nominalBPM: tempo)
    }
    #expect(error?.description.hasPrefix("--nominal: \(tempo) BPM is outside 20 to 1040 BPM") == true)
  }

  /// A clock at 132 BPM, measured with --nominal 120.
  @Test func measuredTempoFarFromTheNominalTempoIsReported() throws {
    let stamps = Clocks.stamps(period: 2.5e9 / 132, errors: [Double](repeating: 0, count: 500))
    let report = try Clocks.report(stamps, nominalBPM: 120)
    expectNoFaults(report, ticks: 500, "132 BPM")
    #expect(report.warnings.contains { $0.contains("differs from the nominal tempo by 10.0 %") }, "\(report.warnings)")
    #expect(try Clocks.report(stamps, nominalBPM: 131).warnings.isEmpty)
  }
}
