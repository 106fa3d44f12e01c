import Foundation
import Measurement
import MusicalTime
import Testing
import _TestSupport

/// Tests of the report on recordings (`tutti measure audio`). The recordings have 48 kHz and hits at known frames. The first
/// recording is the reference.
@Suite struct AudioReportTests {
  private static let origin = Instant(nanoseconds: 9_000_000_000_000)
  /// The frames of the hits: thirteen eighth notes at 200 BPM.
  private static let grid = (0..<13).map { 4_800 + $0 * 7_200 }

  /// The samples of a recording with the hits of ``grid``.
  private static let regular = groove(grid)

  /// The samples of a recording of drums. A hat plays at each of `frames`, and a kick and a snare play in turn at every second
  /// of them. At a frame that is nil, nothing plays.
  private static func groove(_ frames: [Int?], seconds: Double = 2.3) -> [Float] {
    var drums = Drums(seconds: seconds)
    for (index, frame) in frames.enumerated() {
      guard let frame else { continue }
      drums.strike(.hat, at: frame, level: index % 2 == 0 ? 0.4 : 0.25)
      if index % 4 == 0 { drums.strike(.kick, at: frame, level: 0.8) }
      if index % 4 == 2 { drums.strike(.snare, at: frame, level: 0.5) }
    }
    return drums.rounded()
  }

  private func recording(_ name: String, _ samples: [Float], at instant: Instant = origin) -> Recording {
    Recording(name: name, samples: samples, rate: 48_000, firstInstant: instant)
  }

  /// Whether `nanoseconds` is the duration of `frames` at 48 kHz, with a tolerance of a twentieth of a frame.
  private func isAbout(_ nanoseconds: Double?, frames: Double) -> Bool {
    nanoseconds.map { abs($0 * 48e-6 - frames) < 0.05 } == true
  }

  @Test func identicalRecordingsHaveNoDifference() throws {
    let samples = Self.regular
    let report = try AudioReport(recordings: [recording("anna", samples), recording("bert", samples)])
    let bert = report.comparisons[0]
    #expect(report.tracks.map(\.onsets) == [13, 13] && bert.matched == 13 && bert.correlated == 13)
    #expect(bert.missing == 0 && bert.extra == 0 && bert.magnitude?.maximum == 0 && bert.drift == 0)
  }

  @Test(arguments: [37, -37, 1, 400]) func constantShiftIsMeasuredToTheFrame(shift: Int) throws {
    let report = try AudioReport(recordings: [
      recording("anna", Self.regular), recording("bert", Self.groove(Self.grid.map { $0 + shift })),
    ])
    let bert = report.comparisons[0]
    #expect(bert.matched == 13 && bert.correlated == 13)
    for figure in [bert.difference?.minimum, bert.difference?.maximum] {
      #expect(isAbout(figure, frames: Double(shift)))
    }
    #expect(isAbout(bert.difference?.mean, frames: Double(shift)))
  }

  @Test(arguments: UInt64(1)...3) func jitterIsMeasuredToTheFrame(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let jitter = Self.grid.map { _ in Int(random.integer(in: -90...90)) }
    let report = try AudioReport(recordings: [
      recording("anna", Self.regular), recording("bert", Self.groove(zip(Self.grid, jitter).map { $0 + $1 })),
    ])
    let bert = report.comparisons[0]
    #expect(bert.matched == 13 && bert.correlated == 13, "seed \(seed)")
    #expect(isAbout(bert.difference?.minimum, frames: Double(jitter.min()!)), "seed \(seed)")
    #expect(isAbout(bert.difference?.maximum, frames: Double(jitter.max()!)), "seed \(seed)")
    let sum = jitter.reduce(0, +)
    #expect(isAbout(bert.difference?.mean, frames: Double(sum) / 13), "seed \(seed)")
  }

  @Test func recordingsMayStartAtDifferentInstants() throws {
    // The same hits, but this recording starts 18 000 frames (375 ms) later, after two hits of the first recording.
    let samples = Self.regular
    let late = recording("bert", Array(samples[18_000...]), at: Self.origin + .milliseconds(375))
    let report = try AudioReport(recordings: [recording("anna", samples), late])
    #expect(report.comparisons[0].matched == 11 && report.comparisons[0].magnitude?.maximum == 0)
    // Hits of the reference before the start of the other recording are not missing.
    #expect(report.comparisons[0].missing == 0 && report.comparisons[0].extra == 0)
    let swapped = try AudioReport(recordings: [late, recording("anna", samples)])
    #expect(swapped.comparisons[0].matched == 11 && swapped.comparisons[0].extra == 0)
    // The recording starts a third of a frame, 6 944 ns, later.
    let third = recording("bert", samples, at: Self.origin + Nanoseconds(6_944))
    let difference = try AudioReport(recordings: [recording("anna", samples), third]).comparisons[0].difference
    #expect(difference?.minimum == 6_944 && difference?.maximum == 6_944)
  }

  /// By its own clock, the second recording begins 7777 s later. The second clock is ahead of the first clock by the same time, which is
  /// the difference of the two clock offsets.
  @Test func clockOffsetsAreSubtracted() throws {
    let samples = Self.regular
    let report = try AudioReport(
      recordings: [recording("anna", samples), recording("bert", samples, at: Self.origin + .seconds(7_777))],
      clockOffsets: [.seconds(-3), .seconds(7_774)])
    #expect(report.comparisons[0].matched == 13 && report.comparisons[0].magnitude?.maximum == 0)
  }

  @Test func driftIsTheSlopeOfTheDifferences() throws {
    // The difference grows by one frame per hit: 1 in 7200, 138.89 ppm.
    let report = try AudioReport(recordings: [
      recording("anna", Self.regular), recording("bert", Self.groove(Self.grid.enumerated().map { $1 + $0 })),
    ])
    let drift = try #require(report.comparisons[0].drift)
    #expect(abs(drift - 1e6 / 7_200) < 0.1)
  }

  @Test func missingAndExtraHitsAreCounted() throws {
    var frames: [Int?] = Self.grid
    frames[3] = nil
    frames[8] = nil
    // Two additional hits between the hits of the grid. They remain without a partner, because the hits of the grid before and
    // after them have nearer partners.
    let other = Self.groove(frames + [Self.grid[5] + 2_900, Self.grid[10] + 4_500])
    let report = try AudioReport(recordings: [recording("anna", Self.regular), recording("bert", other)])
    let bert = report.comparisons[0]
    #expect(bert.matched == 11 && bert.missing == 2 && bert.extra == 2)
    #expect(bert.correlated == 11 && isAbout(bert.magnitude?.maximum, frames: 0))
    let swapped = try AudioReport(recordings: [recording("bert", other), recording("anna", Self.regular)])
    #expect(swapped.comparisons[0].matched == 11 && swapped.comparisons[0].missing == 2)
    #expect(swapped.comparisons[0].extra == 2)
    #expect(report.description.hasPrefix("bert: 11 of 13 hits of anna matched, on average 0.000 ms late (standard"))
    #expect(report.description.contains(" ms), 2 missing, 2 extra\n\nDifference from anna"))
  }

  @Test func verdictNamesTheDelayOrTheReason() throws {
    let (one, silent) = (recording("anna", Self.regular), recording("cleo", [Float](repeating: 0, count: 4_800)))
    let early = recording("bert", Self.groove(Self.grid.map { $0 - 48 }))
    let report = try AudioReport(recordings: [one, early, silent])
    #expect(report.description.hasPrefix("bert: 13 of 13 hits of anna matched, on average 1.000 ms early ("))
    #expect(report.description.contains("\ncleo: not compared with anna: silent; give the recording"))
    let aligned = try AudioReport(recordings: [one, early], aligns: true)
    #expect(aligned.description.hasPrefix("bert: 13 of 13 hits of anna matched, delay -0.001000 s (standard deviation"))
  }

  @Test func stallOfAPeerIsReported() throws {
    let samples = Self.regular
    var stalled = samples
    // Silence for 300 ms, in which two hits are due. These hits have decayed when the silence ends.
    for frame in Self.grid[6] - 800..<Self.grid[6] + 13_600 { stalled[frame] = 0 }
    let report = try AudioReport(recordings: [recording("anna", samples), recording("bert", stalled)])
    let bert = report.comparisons[0]
    #expect(bert.matched == 11 && bert.missing == 2 && bert.extra == 0)
    #expect(bert.magnitude?.maximum == 0)
    // A peer that stalls plays a late hit at the end of the stall. Here hit 6 is 9600 frames late and hit 7 is missing. The late
    // hit is 2400 frames after the position of hit 7.
    var frames: [Int?] = Self.grid
    frames[6] = Self.grid[6] + 9_600
    frames[7] = nil
    let late = try AudioReport(recordings: [recording("anna", samples), recording("bert", Self.groove(frames))])
    #expect(late.comparisons[0].matched == 12 && late.comparisons[0].missing == 1)
    #expect(
      isAbout(late.comparisons[0].magnitude?.maximum, frames: 2_400), "hit 6 is matched with the position of hit 7")
  }

  @Test func differentSoundsAreMatchedWithoutCorrelation() throws {
    var drums = Drums(seconds: 2.3)
    // Toms, 48 frames (1 ms) later than the hits of the reference.
    for frame in Self.grid { drums.strike(.tom, at: frame + 48, level: 0.5) }
    let report = try AudioReport(recordings: [
      recording("anna", Self.regular), recording("bert", drums.rounded()),
    ])
    let bert = report.comparisons[0]
    #expect(bert.matched == 13 && bert.correlated < 13)
    #expect(isAbout(bert.magnitude?.p50, frames: 48))
  }

  @Test func invalidArgumentsAreNamed() {
    let one = recording("anna", Self.groove([4_800], seconds: 0.5))
    var slow = one
    (slow.name, slow.rate) = ("bert", 4_000)
    var zero = one
    zero.rate = 0
    let silent = recording("cleo", [Float](repeating: 0, count: 4_800))
    // The recordings, the clock offsets, and a text that the error contains.
    let cases: [([Recording], [Nanoseconds], String)] = [
      ([], [], "0 recordings"), ([one], [], "1 recording to"),
      ([one, one], [.zero], "--clock-ahead: 1 value for 2 recordings"),
      ([one, slow], [], "bert: 4000 frames per second"), ([zero, zero], [], "anna: 0 frames per second"),
      ([silent, one], [], "cleo: no hits"),
      ([one, recording("dora", [], at: .distantFuture)], [], "dora: its first instant"),
    ]
    for (recordings, clocks, text) in cases {
      let error = #expect(throws: ReportError.self) { try AudioReport(recordings: recordings, clockOffsets: clocks) }
      #expect(error?.description.contains(text) == true, "\(String(describing: error))")
    }
  }

  @Test func silentRecordingGivesAnEmptyComparison() throws {
    let one = recording("anna", Self.groove([4_800, 14_400], seconds: 0.5))
    let silent = recording("cleo", [Float](repeating: 0, count: 24_000))
    let comparison = try AudioReport(recordings: [one, silent, recording("dora", [])]).comparisons
    #expect(comparison[0].matched == 0 && comparison[0].missing == 2 && comparison[0].difference == nil)
    #expect(comparison[0].notes == ["silent; give the recording of a peer that played"])
    // The recording of dora has no length. Hits of the reference outside it are not missing.
    #expect(comparison[1].matched == 0 && comparison[1].missing == 0)
  }

  @Test func textAndJSONShowTheFigures() throws {
    let one = Self.groove([4_800, 14_400], seconds: 0.6)
    let other = Self.groove([4_801, 14_401], seconds: 0.6)
    let report = try AudioReport(recordings: [recording("anna", one), recording("bert", other)])
    let lines = report.description.split(separator: "\n").map(String.init)
    #expect(
      lines[0] == "bert: 2 of 2 hits of anna matched, on average 0.021 ms late (standard deviation 0.000 ms), "
        + "0 missing, 0 extra"
    )
    #expect(lines[1] == "Difference from anna (2 hits), us; one frame is 20.833")
    let columns = [
      "hits", "matched", "correlated", "missing", "extra", "|p50|", "|p95|", "|p99|", "|max|", "mean", "sd",
    ]
    #expect(lines[2].split(separator: " ").map(String.init) == columns + ["sign", "changes"])
    #expect(lines[3].split(separator: " ").prefix(6) == ["bert", "2", "2", "2", "0", "0"])
    let json = try JSONEncoder().encode(report)
    #expect(try JSONDecoder().decode(AudioReport.self, from: json).comparisons[0].matched == 2)
    let object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    #expect(object["rate"] as? Int == 48_000)
    #expect(((object["comparisons"] as? [[String: Any]])?.first)?["correlated"] as? Int == 2)
  }
}
