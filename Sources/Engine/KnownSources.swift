/// The ssrcs of the sessions that stand, in rising order, for the network thread: only they get an answer. A trivial value
/// that travels by triple buffer; who asks it often copies it out first.
struct KnownSources: Sendable, BitwiseCopyable {
  static var most: Int { @_noLocks @_noAllocation get { 1100 } }

  private(set) var ssrcs = InlineArray<1100, UInt32>(repeating: 0)
  private(set) var count = 0

  init(_ sources: some Sequence<UInt32> = []) {
    for ssrc in sources.sorted().prefix(Self.most) {
      ssrcs[count] = ssrc
      count += 1
    }
  }
}
