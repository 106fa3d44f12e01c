/// The ssrcs of the sessions that stand, for the network thread: only they get an answer. A trivial value that travels
/// by triple buffer.
struct KnownSources: Sendable, BitwiseCopyable {
  private var ssrcs = InlineArray<1100, UInt32>(repeating: 0)
  private var count = 0

  init(_ sources: some Sequence<UInt32> = []) {
    for ssrc in sources where count < 1100 {
      ssrcs[count] = ssrc
      count += 1
    }
  }

  /// Real-time: safe.
  @_noLocks @_noAllocation
  func contains(_ ssrc: UInt32) -> Bool {
    var index = 0
    while index < count {
      if ssrcs[index] == ssrc { return true }
      index += 1
    }
    return false
  }
}
