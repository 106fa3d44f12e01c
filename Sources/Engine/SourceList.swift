import BasicContainers

/// The network thread's own copy of ``KnownSources``: of an inline array each look at an element copies the whole.
struct SourceList: ~Copyable {
  private var ssrcs = RigidArray<UInt32>(capacity: KnownSources.most)

  /// Takes all over.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func replace(by known: KnownSources) {
    ssrcs.removeAll()
    let all = known.ssrcs
    for index in 0..<known.count { ssrcs.append(all[index]) }
  }

  /// Whether `ssrc` is among them, found by halving.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  func contains(_ ssrc: UInt32) -> Bool {
    var (low, high) = (0, ssrcs.count)
    while low < high {
      let middle = (low + high) / 2
      if ssrcs[middle] < ssrc { low = middle + 1 } else { high = middle }
    }
    guard low < ssrcs.count else { return false }
    return ssrcs[low] == ssrc
  }
}
