import RTPMIDI
import Testing
import Transports
import _TestSupport

@testable import Engine

/// The lookup of the sources that the network thread answers. The list has room for 1100 sources.
@Suite struct SourceListTests {
  private func address(_ n: Int) -> SocketAddress { SocketAddress(host: UInt32(n), port: 5005) }

  @Test(arguments: [0, 1, 2, 999, 1100, 1200]) func listContainsExactlyTheGivenSources(count: Int) {
    var random = SplitMix(seed: UInt64(count) + 1)
    // Three sources each have the same SSRC, `number / 3`: peers may choose the same random SSRC. The addresses differ.
    let sources = (0..<count).map {
      KnownSources.Source(ssrc: UInt32($0 / 3), address: address($0), localSSRC: UInt32($0))
    }
    var list = SourceList()
    list.replace(by: KnownSources([KnownSources.Source(ssrc: 1 << 31, address: address(1), localSSRC: 1)]))
    list.replace(by: KnownSources(sources.shuffled(using: &random)))
    // Beyond the capacity, the sources with the highest SSRC are omitted. The limit can fall between sources with the same
    // SSRC. The order of these sources is random, so only the sources with a lower SSRC are certain to be in the list.
    let certain = min(count, KnownSources.most) / 3 * 3
    #expect(sources.prefix(certain).allSatisfy { list.localSSRC(for: $0.ssrc, at: $0.address) == $0.localSSRC })
    // An SSRC with the address of another source, an unknown SSRC, and the source that was replaced.
    #expect((0..<count).allSatisfy { list.localSSRC(for: UInt32($0 / 3), at: address($0 + 3)) == nil })
    #expect(list.localSSRC(for: UInt32(count), at: address(count)) == nil)
    #expect(list.localSSRC(for: 1 << 31, at: address(1)) == nil)
  }
}
