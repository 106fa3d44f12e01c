import Audio
import MusicalTime
import Testing
import _TestSupport

/// Tests of the grid at common rates and over the first 190 years (6 000 000 000 s) of the clock.
@Suite struct FrameGridTests {
  static let rates: [Int64] = [8_000, 11_025, 22_050, 44_100, 48_000, 88_200, 96_000]

  @Test(arguments: rates) func framesAndInstantsAreInverse(rate: Int64) throws {
    let grid = try #require(FrameGrid(rate: rate))
    var random = SplitMix(seed: UInt64(rate))
    for _ in 0..<2_000 {
      let frame = random.integer(in: -1_000_000_000...6_000_000_000 * rate)
      let instant = grid.instant(of: frame)
      #expect(grid.frame(nearest: instant) == frame)
      #expect(grid.firstFrame(notBefore: instant) == frame)
      #expect(grid.firstFrame(notBefore: instant + Nanoseconds(1)) == frame + 1)
      #expect(grid.instant(of: frame + 1) > instant)
    }
  }

  @Test(arguments: rates) func nearestFrameIsWithinHalfAFrame(rate: Int64) throws {
    let grid = try #require(FrameGrid(rate: rate))
    var random = SplitMix(seed: UInt64(rate) + 1)
    for _ in 0..<2_000 {
      let instant = Instant(nanoseconds: random.integer(in: -1_000_000_000...6_000_000_000_000_000_000))
      let distance = (grid.instant(of: grid.frame(nearest: instant)) - instant).magnitude
      // Half a frame in nanoseconds, rounded up.
      #expect(distance.count <= 500_000_000 / rate + 1)
      let first = grid.firstFrame(notBefore: instant)
      #expect(grid.instant(of: first) >= instant && grid.instant(of: first - 1) < instant)
    }
  }

  @Test func fullSecondsAreExact() {
    // Frame 48000 n sounds at n seconds, even after 190 years. Frame 48000 n + 3 lies on an integer nanosecond.
    let grid = FrameGrid.standard
    for second in [0, 1, 86_400, 6_000_000_000] as [Int64] {
      #expect(grid.instant(of: 48_000 * second) == Instant(nanoseconds: 1_000_000_000 * second))
      #expect(grid.instant(of: 48_000 * second + 1) == Instant(nanoseconds: 1_000_000_000 * second + 20_833))
      #expect(grid.instant(of: 48_000 * second + 3) == Instant(nanoseconds: 1_000_000_000 * second + 62_500))
    }
  }

  @Test func extremeFramesSaturate() {
    #expect(FrameGrid.standard.instant(of: .max) == .distantFuture)
    #expect(FrameGrid.standard.instant(of: .min) == Instant(nanoseconds: .min))
    // 2^63 ns at 48 kHz.
    #expect(FrameGrid.standard.frame(nearest: .distantFuture) == 442_721_857_769_029)
    // Rates outside 8 to 96 kHz are not supported.
    #expect(FrameGrid(rate: 7_999) == nil && FrameGrid(rate: 96_001) == nil && FrameGrid(rate: -1) == nil)
  }
}
