import Audio
import MusicalTime
import Testing
import _TestSupport

/// Tests of the linear conversion between frames and instants, at common rates and random drifts.
@Suite struct FrameFitTests {
  @Test(arguments: [8_000, 44_100, 48_000, 96_000] as [Int64]) func framesAndInstantsAreInverse(rate: Int64) throws {
    let grid = try #require(FrameGrid(rate: rate))
    var random = SplitMix(seed: UInt64(rate))
    for _ in 0..<2_000 {
      let anchor = random.integer(in: -1_000_000_000...1_000_000_000_000_000)
      let instant = Instant(nanoseconds: random.integer(in: 0...1_000_000_000_000_000_000))
      let drift = Double(random.integer(in: -500...500)) / 1e6
      let fit = FrameFit(frame: anchor, at: instant, grid: grid, drift: drift)
      let frame = anchor + random.integer(in: -10_000_000_000...10_000_000_000)
      #expect(fit.instant(of: anchor) == instant && fit.frame(nearest: instant) == anchor)
      #expect(fit.frame(nearest: fit.instant(of: frame)) == frame)
      #expect(fit.instant(of: frame + 1) > fit.instant(of: frame))
      let seconds = Double(frame - anchor) / Double(rate) * (1 + drift)
      #expect(abs((fit.instant(of: frame) - instant).seconds - seconds) < 1e-6)
    }
  }

  @Test func extremeValuesSaturate() {
    let ends: [Int64] = [.min, -1, 0, .max]
    for frame in ends {
      for instant in ends {
        for drift in [0, 1, -1, .nan, .infinity, -.infinity] as [Double] {
          let anchor = Instant(nanoseconds: instant)
          let fit = FrameFit(frame: frame, at: anchor, grid: .standard, drift: drift)
          #expect(fit.instant(of: frame) == anchor && fit.frame(nearest: anchor) == frame)
          // These conversions must not trap.
          for end in ends { _ = (fit.instant(of: end), fit.frame(nearest: Instant(nanoseconds: end))) }
        }
      }
    }
    let fit = FrameFit(frame: 0, at: Instant(nanoseconds: 0), grid: .standard)
    #expect(fit.instant(of: .max) == .distantFuture && fit.instant(of: .min) == Instant(nanoseconds: .min))
  }
}
