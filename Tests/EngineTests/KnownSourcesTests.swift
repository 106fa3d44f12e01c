import Testing

@testable import Engine

@Suite struct KnownSourcesTests {
  @Test func knowsWhomItWasGivenAndNobodyElse() {
    let known = KnownSources([7, 0xFFFF_FFFF])
    #expect(known.contains(7) && known.contains(0xFFFF_FFFF))
    // Unused room holds zeros, which are nobody.
    #expect(!known.contains(0) && !known.contains(8))
    #expect(KnownSources((1...5000).map(UInt32.init)).contains(1100))
    #expect(!KnownSources((1...5000).map(UInt32.init)).contains(1101))
  }
}
