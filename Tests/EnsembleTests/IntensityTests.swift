import Ensemble
import MusicalTime
import Playback
import Testing
import _TestSupport

/// ``Intensity``, the total activity that selects the layers at each tick.
@Suite struct IntensityTests {
  /// The first tick at which two intensities differ equals the result of a search through all ticks.
  @Test(arguments: UInt64(1)...50) func firstDifferingTickMatchesLinearSearch(seed: UInt64) {
    var random = SplitMix(seed: seed)
    /// Returns an intensity that changes at a tick in -10...30, or never.
    func randomIntensity() -> Intensity {
      let change = random.integer(in: -10...40)
      return Intensity(
        UInt8(random.integer(in: 0...2)), next: UInt8(random.integer(in: 0...2)),
        from: change > 30 ? Tick(.max) : Tick(change))
    }
    for _ in 0..<200 {
      let (a, b, first) = (randomIntensity(), randomIntensity(), random.integer(in: -10...40))
      let expected = (first...50).first { a.value(at: Tick($0)) != b.value(at: Tick($0)) }
      #expect(a.tick(differingFrom: b, notBefore: Tick(first)) == expected.map { Tick($0) }, "seed \(seed)")
    }
  }
}
