import RTPMIDI
import Transports

/// The sources of the datagrams of all established sessions, sorted by SSRC. The network thread answers clock requests (CK0
/// and probes) from these sources only. The SSRC alone is not enough: a peer whose address has changed would still get
/// answers, and would not notice that its session no longer works. The value is bitwise copyable because it is passed to
/// the network thread through a triple buffer.
struct KnownSources: Sendable, BitwiseCopyable {
  /// The SSRC and the address of one session.
  struct Source: Sendable, BitwiseCopyable {
    var ssrc: UInt32
    /// The address of the data port.
    var address: SocketAddress
    /// The SSRC of the local peer in this session.
    var localSSRC: UInt32
  }

  /// The maximum number of sources. Further ones are ignored.
  static var most: Int { @_noLocks @_noAllocation get { 1100 } }

  /// The sources. The first ``count`` elements are used.
  private(set) var sources = InlineArray<1100, Source>(
    repeating: Source(ssrc: 0, address: SocketAddress(host: 0, port: 0), localSSRC: 0))
  private(set) var count = 0
  /// The probe rate limit: the number of clock probes per second that each source may send. 0 if not known.
  let probeRateLimit: UInt16

  /// Sorts `sources` by SSRC.
  init(_ sources: some Sequence<Source> = [], probeRateLimit: UInt16 = 0) {
    self.probeRateLimit = probeRateLimit
    for source in sources.sorted(by: { $0.ssrc < $1.ssrc }).prefix(Self.most) {
      self.sources[count] = source
      count += 1
    }
  }
}
