import RTPMIDI
import Transports

/// Where the datagrams of the sessions that stand come from, by rising ssrc, for the network thread: only they get an
/// answer. An ssrc alone is not enough: a peer whose address has changed would go on hearing answers, and would not
/// notice that its session is heard no more. A trivial value that travels by triple buffer.
struct KnownSources: Sendable, BitwiseCopyable {
  struct Source: Sendable, BitwiseCopyable {
    var ssrc: UInt32
    /// Of the data port.
    var address: SocketAddress
  }

  static var most: Int { @_noLocks @_noAllocation get { 1100 } }

  private(set) var sources = InlineArray<1100, Source>(
    repeating: Source(ssrc: 0, address: SocketAddress(host: 0, port: 0)))
  private(set) var count = 0
  /// How many clock probes a second each may send, 0 while that is not known.
  let pace: UInt16

  init(_ sources: some Sequence<Source> = [], pace: UInt16 = 0) {
    self.pace = pace
    for source in sources.sorted(by: { $0.ssrc < $1.ssrc }).prefix(Self.most) {
      self.sources[count] = source
      count += 1
    }
  }
}
