import BasicContainers
import RTPMIDI
import Transports

/// The network thread's own copy of ``KnownSources``: of an inline array each look at an element copies the whole.
struct SourceList: ~Copyable {
  private var sources = RigidArray<KnownSources.Source>(capacity: KnownSources.most)

  /// Takes all over.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func replace(by known: KnownSources) {
    sources.removeAll()
    let all = known.sources
    for index in 0..<known.count { sources.append(all[index]) }
  }

  /// Whether the peer with `ssrc` and its data port at `address` is among them. Found by halving; of one ssrc there are few.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  func contains(_ ssrc: UInt32, at address: SocketAddress) -> Bool {
    var (low, high) = (0, sources.count)
    while low < high {
      let middle = (low + high) / 2
      if sources[middle].ssrc < ssrc { low = middle + 1 } else { high = middle }
    }
    while low < sources.count {
      let source = sources[low]
      if source.ssrc != ssrc { return false }
      if source.address == address { return true }
      low += 1
    }
    return false
  }
}
