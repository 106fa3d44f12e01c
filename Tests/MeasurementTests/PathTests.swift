import Foundation
import MusicalTime
import Testing
import _TestSupport

@testable import Measurement

/// Tests of the report on the path of a tick (`tutti measure path`), on synthetic traces with known jitter. The share of a stage
/// is the part of the variance at the end of the path that the stage causes. ``PathKind/instants`` are the instants between the stages.
@Suite struct PathTests {
  /// The number of ticks of a trace: 20 minutes at 120 BPM.
  private static let count = 57_600

  private static func header(clockPort: Bool = true) -> TraceHeader {
    TraceHeader(
      name: "ada", identity: "0123456789abcdef", role: "master", version: "1", kernel: "k", processor: "p",
      scheduler: "s", memoryLocked: true, command: "c", patch: nil, activity: 64, audio: nil, hasClockPort: clockPort)
  }

  /// A normally distributed number (Box and Muller).
  private static func normal(_ random: inout SplitMix) -> Double {
    let radius = (-2 * log(Double.random(in: Double.ulpOfOne..<1, using: &random))).squareRoot()
    return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
  }

  private static func due(_ index: Int) -> Instant {
    Instant(nanoseconds: 1_000_000_000_000 + Int64(index) * 20_833_333)
  }

  private static func length(_ nanoseconds: Double) -> Nanoseconds { Nanoseconds(Int64(nanoseconds.rounded())) }

  /// The stages of a master are independent. The share of a stage is therefore its variance divided by the sum of the variances.
  @Test(arguments: 0..<20) func independentStagesHaveTheSharesOfTheirVariances(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let (wake, write) = (
      Double.random(in: 500...20_000, using: &random), Double.random(in: 500...20_000, using: &random)
    )
    let ticks = (0..<Self.count).map { index in
      let woken = Self.due(index) + Self.length(50_000 + wake * Self.normal(&random))
      let acted = woken + Self.length(200_000 + write * Self.normal(&random))
      return TraceTick(tick: Tick(Int64(index)), due: Self.due(index), acted: acted, path: TickPath(woken: woken))
    }
    let report = PathAnalysis(Trace(header: Self.header(), ticks: ticks), file: "ada.trace").report
    let path = try #require(report.paths.first { $0.kind == .clockPort })
    let expected = wake * wake / (wake * wake + write * write)
    let share = try #require(path.stages[0].share)
    let error = try #require(path.stages[0].shareError)
    // The standard error of the share of one of two independent stages is at most 0.5 / sqrt(57 600) = 0.0021.
    #expect(abs(share - expected) < 0.02 && abs(share - expected) < 5 * error && error < 0.004)
    #expect(abs(path.stages.compactMap(\.share).reduce(0, +) - 1) < 1e-9)
    let stages: [(stage: PathReport.Stage, mean: Double, deviation: Double)] = [
      (path.stages[0], 50_000, wake), (path.stages[1], 200_000, write),
    ]
    for (stage, mean, deviation) in stages {
      let figures = stage.duration
      let meanError = abs(figures.mean - mean)
      #expect(meanError < 5 * deviation / Double(Self.count).squareRoot())
      let ratio = try #require(figures.standardDeviation) / deviation
      #expect(abs(ratio - 1) < 0.02)
      // The 95 % and the 99.9 % quantile of the normal distribution are 1.6449 and 3.0902 standard deviations.
      let errors = (abs(figures.p95 - mean - 1.6449 * deviation), abs(figures.p999 - mean - 3.0902 * deviation))
      #expect(errors.0 < 0.03 * deviation && errors.1 < 0.2 * deviation)
    }
    // The report does not list `receivedSound` as missing, because only followers have this path.
    let missing = Set(report.missing.map(\.path))
    #expect(missing == [.packets, .packetsAhead, .network, .sound])
  }

  /// A follower schedules its hits by its timeline, 60 ms before their step, whether the packet arrives early or late. The wait for
  /// this instant absorbs the jitter of the network. Only the jitter of the first frame reaches the sound.
  ///
  /// The tolerances of the means and of the standard deviations are at least 4.9 standard errors for 9600 hits and 57 600 ticks.
  @Test(arguments: 0..<20) func absorbedJitterOfTheNetworkHasNoShare(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let (network, sound) = (
      Double.random(in: 10_000...2_000_000, using: &random), Double.random(in: 1_000...50_000, using: &random)
    )
    let offset = Nanoseconds(Int64.random(in: -1_000_000_000_000...1_000_000_000_000, using: &random))
    var (ticks, hits): ([TraceTick], [TraceHit]) = ([], [])
    for index in 0..<Self.count {
      let due = Self.due(index)
      let sent = due - .milliseconds(90) + Self.length(2_000 * Self.normal(&random))
      let received = sent + Self.length(300_000 - network * log(Double.random(in: Double.ulpOfOne..<1, using: &random)))
      ticks.append(
        TraceTick(
          tick: Tick(Int64(index)), due: due, acted: due, offset: offset, uncertainty: .microseconds(30),
          path: TickPath(woken: due, masterSent: sent + offset, received: received)))
      // Every sixth tick begins a step.
      guard index % 6 == 0 else { continue }
      // Each hit is a pushed hit, which is intended 3 ms before its step. The analysis must not count this distance as an error.
      let intended = due - .milliseconds(3)
      hits.append(
        TraceHit(
          due: intended, step: due, scheduled: due - .milliseconds(60) + Self.length(5_000 * Self.normal(&random)),
          firstFrame: intended + Self.length(sound * Self.normal(&random))))
    }
    let report = PathAnalysis(Trace(header: Self.header(), ticks: ticks, hits: hits), file: "ada.trace").report
    let path = try #require(report.paths.first { $0.kind == .receivedSound })
    let shares = path.stages.compactMap(\.share)
    #expect(shares.count == 4 && abs(shares.reduce(0, +) - 1) < 1e-6)
    // If a packet arrives late, the third stage (received -> scheduled) is shorter by the same time. If a hit is scheduled late, the last
    // stage (scheduled -> first frame) is shorter by the same time. The sum of the stages varies only with the first frame, which is in
    // the last stage, so the whole share belongs to this stage.
    for (stage, expected) in zip(path.stages, [0, 0, 0, 1.0]) {
      let (share, error) = (try #require(stage.share), try #require(stage.shareError))
      #expect(abs(share - expected) < 5 * error + 1e-9)
    }
    let ratio = try #require(path.total.standardDeviation) / sound
    #expect(abs(ratio - 1) < 0.05)
    #expect(abs(path.total.mean) < sound / 20)
    let transit = try #require(report.paths.first { $0.kind == .network }).stages[1]
    // The mean and the standard deviation of the exponential distribution are equal.
    let meanError = abs(transit.duration.mean - 300_000 - network)
    #expect(transit.duration.count == Self.count && meanError < 0.03 * network)
    let transitRatio = try #require(transit.duration.standardDeviation) / network
    #expect(abs(transitRatio - 1) < 0.05)
    #expect(report.offsetUncertainty?.p50 == 30_000 && report.hits == hits.count && report.notes == [])
  }

  /// Each instant is a random time after the previous one, without a wait for a fixed instant. The jitter of every stage therefore
  /// reaches the sound. With 9600 hits, the standard error of a share is at most 0.5 / sqrt(9600) = 0.005.
  @Test(arguments: 0..<20) func stagesWithoutAWaitAddTheirJitter(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let deviations = (0..<4).map { _ in Double.random(in: 5_000...100_000, using: &random) }
    var (ticks, hits): ([TraceTick], [TraceHit]) = ([], [])
    for index in 0..<Self.count {
      var instants = [Self.due(index)]
      for deviation in deviations {
        instants.append(instants.last! + Self.length(500_000 + deviation * Self.normal(&random)))
      }
      ticks.append(
        TraceTick(
          tick: Tick(Int64(index)), due: instants[0], acted: instants[0], offset: .zero, uncertainty: .zero,
          path: TickPath(woken: instants[0], masterSent: instants[1], received: instants[2])))
      guard index % 6 == 0 else { continue }
      hits.append(TraceHit(due: instants[0], step: instants[0], scheduled: instants[3], firstFrame: instants[4]))
    }
    let report = PathAnalysis(Trace(header: Self.header(), ticks: ticks, hits: hits), file: "ada.trace").report
    let path = try #require(report.paths.first { $0.kind == .receivedSound })
    let sum = deviations.reduce(0) { $0 + $1 * $1 }
    for (stage, deviation) in zip(path.stages, deviations) {
      let (share, expected) = (try #require(stage.share), deviation * deviation / sum)
      #expect(abs(share - expected) < 0.03)
    }
  }

  @Test func ticksWithoutAPacketAreCountedAndNotEstimated() throws {
    let ticks = (0..<100).map { index in
      let due = Self.due(index)
      let path =
        index % 10 == 0
        ? TickPath(woken: due) : TickPath(woken: due, masterSent: due, received: due + .microseconds(Int64(index)))
      return TraceTick(tick: Tick(Int64(index)), due: due, acted: due, offset: .zero, uncertainty: .zero, path: path)
    }
    let report = PathAnalysis(Trace(header: Self.header(clockPort: false), ticks: ticks), file: "a").report
    #expect(report.paths.map(\.kind) == [.network] && report.paths[0].total.count == 90)
    #expect(report.notes == ["10 of 100 ticks have no packet: it was lost, or arrived after the tick was recorded"])
    #expect(report.missing.first { $0.path == .clockPort }?.reason == "the peer had no ALSA sequencer port")
    #expect(report.missing.first { $0.path == .receivedSound }?.reason.hasPrefix("no step sounded") == true)
  }

  /// The traces of earlier versions do not contain the instants of the path. The report states this as the reason why each path
  /// is missing.
  @Test func tracesOfEarlierVersionsHaveAReasonForEachMissingPath() {
    let ticks = (0..<10).map { TraceTick(tick: Tick(Int64($0)), due: Self.due($0), acted: Self.due($0)) }
    let report = PathAnalysis(Trace(header: Self.header(), ticks: ticks), file: "a").report
    #expect(report.paths.isEmpty && report.missing.count == PathKind.allCases.count)
    let reason = "the trace lacks these instants, because tutti 1 recorded it"
    #expect(report.missing.allSatisfy { $0.reason.hasPrefix(reason) })
  }

  /// A total without variation has no shares.
  @Test func constantDurationsHaveNoShares() throws {
    let ticks = (0..<10).map { index in
      TraceTick(
        tick: Tick(Int64(index)), due: Self.due(index), acted: Self.due(index) + .microseconds(2),
        path: TickPath(woken: Self.due(index) + .microseconds(1)))
    }
    let path = try #require(PathAnalysis(Trace(header: Self.header(), ticks: ticks), file: "a").report.paths.first)
    #expect(path.stages.map(\.share) == [nil, nil] && path.total.mean == 2000 && path.total.standardDeviation == 0)
  }
}

extension PathTests {
  /// A trace file contains all instants of the path. Two readers read these instants: the fast reader of the lines as Tutti writes
  /// them, and the general JSON parser.
  @Test func pathSurvivesTheFile() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("ada.trace").path
    let writer = try TraceWriter(path: file, header: Self.header())
    let at = { Instant(nanoseconds: $0) }
    let tick = TraceTick(
      tick: Tick(6), due: at(10), acted: at(12), offset: Nanoseconds(-5), uncertainty: Nanoseconds(2), activity: 3,
      path: TickPath(woken: at(11), sent: at(13), sentAhead: at(-90), masterSent: at(-91), received: at(-80)))
    let hit = TraceHit(due: at(9), step: at(10), scheduled: at(-50), firstFrame: at(8))
    try writer.append(tick)
    try writer.append(hit)
    try writer.finish(TraceSummary(role: "master"))
    let trace = try Trace(contentsOf: file)
    #expect(trace.ticks == [tick] && trace.hits == [hit] && trace.header == Self.header())
    #expect(try PathAnalysis(contentsOf: file).report == PathAnalysis(trace, file: file).report)
    // The general JSON parser accepts other spacing.
    let text = try #require(try? String(contentsOfFile: file, encoding: .utf8))
    let spaced = text.split(separator: "\n").map { $0.replacing(",\"", with: ", \"") }.joined(separator: "\n")
    #expect(try Trace(bytes: Array(spaced.utf8), file: file).hits == [hit])
  }
}

/// Tests of the errors of the shares, and of the shares that are not reported.
extension PathTests {
  private static func path(_ count: Int, _ stages: (Int) -> (Double, Double)) throws -> PathReport.Path {
    let ticks = (0..<count).map { index in
      let (wake, write) = stages(index)
      let woken = due(index) + length(wake)
      return TraceTick(
        tick: Tick(Int64(index)), due: due(index), acted: woken + length(write), path: TickPath(woken: woken))
    }
    let report = PathAnalysis(Trace(header: header(), ticks: ticks), file: "a").report
    return try #require(report.paths.first { $0.kind == .clockPort })
  }

  /// Two stages cancel: the first frame of 114 steps varies by 1 us, and the stages by 90 us.
  @Test(arguments: UInt64(1)...20) func uncertainShareIsSuppressed(seed: UInt64) throws {
    let (first, second) = (Clocks.gaussian(114, seed: seed), Clocks.gaussian(114, seed: seed + 100))
    let path = try Self.path(114) { (200_000 + 90_000 * first[$0], 200_000 - 90_000 * first[$0] + 1_000 * second[$0]) }
    #expect(try path.stages.contains { try #require($0.shareError) > 0.25 } && !path.hasShares)
    let json = String(decoding: try JSONEncoder().encode(path), as: UTF8.self)
    #expect(!json.contains("variance_share"))
  }

  /// A total that varies only by the rounding to nanoseconds has no shares.
  @Test func shareOfARoundedTotalIsSuppressed() throws {
    let values = Clocks.gaussian(1000, seed: 3)
    let path = try Self.path(1000) { (1_000 * values[$0], 0.3 * values[$0] - 1_000 * values[$0]) }
    #expect(try #require(path.total.standardDeviation) < 1 && !path.hasShares)
  }

  /// The delays of successive ticks depend on each other: each stage is noise with a coherence of 20 ticks. The interval of 1.96 standard
  /// errors contains the true share.
  @Test(arguments: [0, 0.95]) func intervalOfTheShareContainsTheTruth(memory: Double) throws {
    var coverage = Coverage()
    for seed in 1...UInt64(200) {
      var stages = [Clocks.gaussian(2000, seed: seed), Clocks.gaussian(2000, seed: seed + 1000)]
      for stage in 0...1 {
        for index in 1..<2000 { stages[stage][index] += memory * stages[stage][index - 1] }
      }
      let path = try Self.path(2000) { (100_000 + 2_000 * stages[0][$0], 100_000 + 1_000 * stages[1][$0]) }
      let stage = path.stages[0]
      #expect(path.hasShares)
      coverage.add(try #require(stage.share), standardError: stage.shareError, truth: 0.8)
    }
    print("coverage share \(memory): \(coverage)")
    coverage.expectNominal("share, memory \(memory)")
  }
}
