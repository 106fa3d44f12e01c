import BasicContainers
import RTPMIDI
import Transports

/// The network thread's copy of ``KnownSources``, in the same order: sorted by SSRC.
///
/// The copy is an array on the heap, because the compiler copies a whole inline array for an access to one of its elements.
/// ``replace(by:)`` bears this cost once per source, because sources change rarely. ``localSSRC(for:at:)`` must not bear it,
/// because the network thread calls it for each clock request.
struct SourceList: ~Copyable {
  private var sources = RigidArray<KnownSources.Source>(capacity: KnownSources.most)

  /// Replaces all sources. `known` is sorted by SSRC, so the list is sorted too.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func replace(by known: KnownSources) {
    sources.removeAll()
    let all = known.sources
    for index in 0..<known.count { sources.append(all[index]) }
  }

  /// The local SSRC in the session with the peer that has this SSRC and this address of its data port; nil if there is no
  /// such session. Binary search by SSRC, then linear search among the few sources with the same SSRC.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  func localSSRC(for ssrc: UInt32, at address: SocketAddress) -> UInt32? {
    var (low, high) = (0, sources.count)
    // After the loop, `low` is the index of the first source whose SSRC is not less than `ssrc`.
    while low < high {
      let middle = (low + high) / 2
      if sources[middle].ssrc < ssrc { low = middle + 1 } else { high = middle }
    }
    while low < sources.count {
      let source = sources[low]
      if source.ssrc != ssrc { return nil }
      if source.address == address { return source.localSSRC }
      low += 1
    }
    return nil
  }
}
