import Foundation
import Measurement
import MusicalTime
import Testing
import _TestSupport

/// Tests of the comparison of recordings without noise: renders of the same rhythm, with a constant delay, an inverted polarity, or other
/// sounds. The factor 48e-6 converts nanoseconds to frames at 48 kHz.
@Suite struct AudioCleanRecordingTests {
  private static let pattern: [PartialDrums.Sound] = [.kick, .hat, .hat, .snare, .hat, .kick, .snare, .hat, .hat, .hat]

  /// The positions of 40 hits in frames, 160 ms apart. The tail of a hit overlaps with the next one.
  private static let grid = (0..<40).map { 4_800 + Double($0) * 7_680 }

  /// A delay of 62.4 frames is 1300 us. The coefficients at the whole frames beside a delay of half a frame are small.
  @Test(arguments: [62.4, 100.5, -36.5, 17.75], UInt64(1)...2)
  func constantDelayIsExact(delay: Double, seed: UInt64) throws {
    let drums = PartialDrums(seed: seed)
    let comparison = try AudioReport(recordings: [
      drums.recording("a", positions: Self.grid, sounds: Self.pattern),
      drums.recording("b", positions: Self.grid.map { $0 + delay }, sounds: Self.pattern),
    ]).comparisons[0]
    #expect(comparison.matched >= 38 && comparison.correlated == comparison.matched, "\(comparison.correlated)")
    let difference = try #require(comparison.difference)
    #expect(abs(difference.mean * 48e-6 - delay) < 0.02, "\(difference.mean * 48e-6)")
    #expect(try #require(difference.standardDeviation) * 48e-6 < 0.1)
    #expect(max(difference.maximum - difference.mean, difference.mean - difference.minimum) * 48e-6 < 0.1)
    #expect(!comparison.isInverted)
  }

  @Test(arguments: UInt64(1)...3) func invertedPolarityIsNamedAndHasNoEffectOnTheFigures(seed: UInt64) throws {
    let drums = PartialDrums(seed: seed)
    let comparison = try AudioReport(recordings: [
      drums.recording("a", positions: Self.grid, sounds: Self.pattern),
      drums.recording("b", positions: Self.grid.map { $0 + 62.4 }, sounds: Self.pattern, level: -0.25),
    ]).comparisons[0]
    #expect(comparison.isInverted && comparison.notes.contains { $0.contains("the polarity is inverted") })
    #expect(comparison.correlated == comparison.matched)
    #expect(abs(try #require(comparison.correlatedDifference).mean * 48e-6 - 62.4) < 0.02)
    #expect(try #require(comparison.difference?.standardDeviation) * 48e-6 < 0.1)
  }

  /// The other recording has the same rhythm with another kit. The table of correlated hits is missing.
  @Test(arguments: UInt64(1)...8) func anotherKitHasNoCorrelatedTable(seed: UInt64) throws {
    let report = try AudioReport(recordings: [
      PartialDrums(seed: seed).recording("a", positions: Self.grid, sounds: Self.pattern),
      PartialDrums(seed: seed + 100).recording("b", positions: Self.grid.map { $0 + 24 }, sounds: Self.pattern),
    ])
    let comparison = report.comparisons[0]
    #expect(comparison.correlated == 0 && comparison.correlatedDifference == nil, "\(comparison.correlated)")
    #expect(comparison.matched >= 35 && comparison.difference != nil)
    #expect(comparison.notes.contains { $0.contains("all hits sound different") })
    #expect(!report.description.contains("Only the hits that sound alike"))
  }

  /// On a grid of 250 ms, a delay of 200 ms appears as -50 ms. The note names 200 ms.
  @Test(arguments: [false, true]) func wrappedDelayIsNamed(aligns: Bool) throws {
    let drums = PartialDrums(seed: 5)
    let grid = (0..<40).map { 4_800 + Double($0) * 12_000 }
    let comparison = try AudioReport(
      recordings: [
        drums.recording("a", positions: grid, sounds: [.snare]),
        drums.recording("b", positions: grid.map { $0 + 9_600 }, sounds: [.snare]),
      ], aligns: aligns
    ).comparisons[0]
    let measured = aligns ? try #require(comparison.delay) : try #require(comparison.difference).p50 / 1e9
    #expect(abs(try #require(comparison.repetition) - 0.25) < 0.001)
    let delays = try #require(comparison.otherDelays)
    let possible = ([measured] + delays).sorted()
    #expect(possible.contains { abs($0 - 0.2) < 0.001 } && possible.contains { abs($0 + 0.05) < 0.001 }, "\(possible)")
    let names = aligns ? "every 0.250 s" : "every 0.250 s: a delay of -0.300 s or 0.200 s fit as well as -0.050 s"
    #expect(comparison.notes.contains { $0.contains("the delay is ambiguous") && $0.contains(names) })
  }

  /// The pattern repeats after 2.5 s, which is longer than a plausible delay. The sounds distinguish the steps of the even grid.
  @Test func differentSoundsOnAnEvenGridAreNotAmbiguous() throws {
    let drums = PartialDrums(seed: 5)
    let grid = (0..<40).map { 4_800 + Double($0) * 12_000 }
    let comparison = try AudioReport(recordings: [
      drums.recording("a", positions: grid, sounds: Self.pattern),
      drums.recording("b", positions: grid.map { $0 + 30.5 }, sounds: Self.pattern),
    ]).comparisons[0]
    #expect(comparison.repetition == nil && comparison.otherDelays == nil)
    #expect(comparison.notes.isEmpty, "\(comparison.notes)")
  }
}
