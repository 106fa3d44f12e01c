import Foundation
import Measurement
import MusicalTime
import Testing
import _TestSupport

/// Tests that the figures of recordings (`tutti measure audio`) have at most the errors that AudioFigures.md states. The recordings are
/// synthetic. The true difference of each hit is known: its instant in the second recording minus its instant in the first recording. A
/// hit is *correlated* if the report measures its difference by correlation, not by the detected onsets. The factor 48e-6 converts
/// nanoseconds to frames at 48 kHz.
@Suite struct AudioAccuracyTests {
  /// Measures 20 pairs of recordings with twelve hits each. The two recordings of a pair differ by a random shift of each hit,
  /// between -40 and 40 frames.
  ///
  /// - Returns: the errors of the correlated hits in frames, ascending, and the number of all hits.
  private func errors(_ sound: Drums.Sound, noise: Double?) throws -> (errors: [Double], hits: Int) {
    var (errors, hits): ([Double], Int) = ([], 0)
    for seed in UInt64(1)...20 {
      var random = SplitMix(seed: seed)
      let grid = Takes.grid(12, seed: seed)
      let shifts = grid.map { _ in Double.random(in: -40...40, using: &random) }
      let shifted = zip(grid, shifts).map { $0 + $1 }
      let analysis = try AudioAnalysis(recordings: [
        Takes.recording("a", positions: grid, sounds: [sound], noise: noise, seed: seed),
        Takes.recording("b", positions: shifted, sounds: [sound], noise: noise, seed: seed + 1000),
      ])
      hits += 12
      for hit in analysis.hits where hit.isCorrelated {
        // The detector may also find a false hit in the noise of the reference, so the numbers of the hits can be shifted. The
        // error is therefore relative to the true hit that is nearest in time.
        let index = grid.indices.min { abs(grid[$0] / 48e3 - hit.time) < abs(grid[$1] / 48e3 - hit.time) }!
        errors.append(abs(hit.difference * 48e-6 - shifts[index]))
      }
    }
    return (errors.sorted(), hits)
  }

  /// Sounds with energy at high frequencies, 240 hits of each. The noise is 30 or 20 dB below the first 10 ms of the hits, or
  /// there is none.
  @Test(arguments: [Drums.Sound.snare, .hat], [nil, 30, 20] as [Double?])
  func differenceIsWithinATenthOfAFrame(sound: Drums.Sound, noise: Double?) throws {
    let (errors, hits) = try errors(sound, noise: noise)
    #expect(errors.count * 100 >= hits * 95, "\(errors.count) of \(hits) correlated")
    #expect(try #require(errors.last) < 0.1)
  }

  /// Sounds of low frequencies. The maximum of their correlation is flat, so noise moves it further. The arguments are the sound,
  /// the distance of the noise in decibels, and the limit of 95 % of the errors in frames.
  @Test(
    arguments: [
      (.kick, 30, 0.3), (.kick, 20, 3), (.tom, 30, 0.1), (.tom, 20, 0.5),
    ] as [(Drums.Sound, Double, Double)])
  func differenceOfALowSoundIsWithinItsError(sound: Drums.Sound, noise: Double, limit: Double) throws {
    let (errors, hits) = try errors(sound, noise: noise)
    #expect(errors.count * 100 >= hits * 90, "\(errors.count) of \(hits) correlated")
    #expect(errors[errors.count * 95 / 100] < limit, "\(errors[errors.count * 95 / 100])")
  }

  /// One recording is 20 dB softer: its level is 0.05 instead of 0.5.
  @Test(arguments: UInt64(1)...10) func levelHasNoEffect(seed: UInt64) throws {
    let grid = Takes.grid(12, seed: seed)
    let report = try AudioReport(recordings: [
      Takes.recording("a", positions: grid, sounds: [.snare, .hat], noise: 30, seed: seed),
      Takes.recording(
        "b", positions: grid.map { $0 + 7.25 }, sounds: [.snare, .hat], level: 0.05, noise: 30, seed: 99),
    ])
    let figures = try #require(report.comparisons[0].correlatedDifference)
    #expect(abs(figures.mean * 48e-6 - 7.25) < 0.1 && figures.count >= 11, "seed \(seed)")
  }

  /// The recordings begin seconds apart, and their sample clocks differ by `ppm`. The rhythm is irregular, so only one delay
  /// fits.
  @Test(arguments: zip([-80.0, -20, 0.5, 35, 120], UInt64(1)...5))
  func delayAndDriftAreRecovered(ppm: Double, seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var grid = [9_600.0]
    for _ in 0..<300 { grid.append(grid[grid.count - 1] + Double.random(in: 7_000..<20_000, using: &random)) }
    // The second recording begins at hit 25 of the first recording, counted from 0. Its first hit is hit 26.
    let start = grid[25]
    let shifted = grid.dropFirst(26).map { ($0 - start) * (1 + ppm / 1e6) }
    let report = try AudioReport(
      recordings: [
        Takes.recording("a", positions: grid, sounds: [.snare, .hat], noise: 40, seed: seed),
        Takes.recording("b", positions: shifted, sounds: [.snare, .hat], noise: 40, seed: seed + 50),
      ], aligns: true)
    let comparison = report.comparisons[0]
    // The second recording has 275 hits.
    #expect(comparison.matched >= 270 && comparison.notes.count == 1, "\(comparison.notes)")
    #expect(abs(try #require(comparison.drift) - ppm) < 0.5)
    // The delay of a hit is its position in `shifted` minus its position in `grid`. Because of the drift, the delay changes during the
    // recording. The reported delay is the median of the delays of the hits 26 to 300, the delay of hit 163. Up to five unmatched hits
    // move the median by at most three hits, or 60 000 frames. In this time, a drift of 120 ppm changes the delay by 0.15 ms.
    let middle = (-start + ppm / 1e6 * (grid[163] - start)) / 48e3
    #expect(abs(try #require(comparison.delay) - middle) < 0.0003)
    // A tenth of a frame, in nanoseconds.
    #expect(try #require(comparison.residual?.standardDeviation) < 0.1 * 20_833)
  }

  /// The hits are at equal distances, so several delays fit.
  @Test func ambiguousDelayIsReported() throws {
    let grid = (0..<60).map { 9_600 + Double($0) * 12_000 }
    let report = try AudioReport(
      recordings: [
        Takes.recording("a", positions: grid, sounds: [.snare]),
        Takes.recording("b", positions: grid.map { $0 + 30_000 }, sounds: [.snare]),
      ], aligns: true)
    #expect(report.comparisons[0].notes.contains { $0.contains("the delay is ambiguous") })
  }

  @Test(arguments: UInt64(1)...20) func differentMusicHasNoFigures(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    func music() -> [Double] {
      var grid = [9_600.0]
      for _ in 0..<60 { grid.append(grid[grid.count - 1] + Double.random(in: 6_000..<20_000, using: &random)) }
      return grid
    }
    let report = try AudioReport(recordings: [
      Takes.recording("a", positions: music(), sounds: [.snare]),
      Takes.recording("b", positions: music(), sounds: [seed % 2 == 0 ? .tom : .snare]),
    ])
    let comparison = report.comparisons[0]
    #expect(comparison.difference == nil && comparison.drift == nil && comparison.signChanges == nil, "seed \(seed)")
    #expect(comparison.notes.contains { $0.contains("do not correspond") }, "seed \(seed): \(comparison.notes)")
  }

  /// The second recording has the sound of another drum, 240 frames (5 ms) later. The report therefore measures the differences by the
  /// detected onsets, whose error is about 1 ms.
  @Test func differentDrumsAreMeasuredByDetection() throws {
    let grid = Takes.grid(20, seed: 5)
    let comparison = try AudioReport(recordings: [
      Takes.recording("a", positions: grid, sounds: [.snare]),
      Takes.recording("b", positions: grid.map { $0 + 240 }, sounds: [.tom]),
    ]).comparisons[0]
    #expect(comparison.matched == 20 && comparison.correlated < 10)
    #expect(abs(try #require(comparison.difference).p50 - 5e6) < 1e6)
    #expect(comparison.notes.contains { $0.contains("sound different") })
  }

  @Test func signChangesAreCounted() throws {
    let grid = Takes.grid(12, seed: 8)
    let shifts: [Double] = [5, -5, -5, 5, 5, 5, -5, 5, -5, -5, -5, 5]
    let comparison = try AudioReport(recordings: [
      Takes.recording("a", positions: grid, sounds: [.snare]),
      Takes.recording("b", positions: zip(grid, shifts).map { $0 + $1 }, sounds: [.snare]),
    ]).comparisons[0]
    #expect(comparison.matched == 12 && comparison.signChanges == 6)
  }

  @Test func recordingsOfDifferentTimesAreReported() throws {
    let grid = Takes.grid(12, seed: 8)
    let comparison = try AudioReport(recordings: [
      Takes.recording("a", positions: grid, sounds: [.snare]),
      Takes.recording("b", positions: grid, sounds: [.snare], at: Instant(nanoseconds: 60_000_000_000)),
    ]).comparisons[0]
    #expect(comparison.difference == nil && comparison.notes.contains { $0.contains("use --align") })
  }
}
