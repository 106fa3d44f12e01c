import Seeds
import Testing

@testable import Engine

@Suite struct SourceListTests {
  @Test(arguments: [0, 1, 2, 999, 1100, 1200]) func holdsWhatItWasGivenAndNothingElse(count: Int) {
    var random = SplitMix(seed: UInt64(count) + 1)
    let sources = Set((0..<count).map { _ in UInt32.random(in: .min ... .max, using: &random) })
    var list = SourceList()
    list.replace(by: KnownSources([7]))
    list.replace(by: KnownSources(sources))
    // Beyond what there is room for, the highest are left out.
    let kept = Set(sources.sorted().prefix(KnownSources.most))
    #expect(kept.allSatisfy { list.contains($0) })
    #expect(
      (0..<2000).allSatisfy { _ in
        let other = UInt32.random(in: .min ... .max, using: &random)
        return list.contains(other) == kept.contains(other)
      })
    #expect(!sources.contains(7) && !list.contains(7))
  }
}
