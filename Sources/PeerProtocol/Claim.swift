/// A peer's claim to be master: one for every start. Of two claims the one with the higher term counts, then the one of
/// the lower identity: a total order that needs no common clock. The idea is Lamport's (1978), the word *term* Raft's.
public struct Claim: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// One more than the highest term its maker had seen.
  public let term: UInt32
  public let identity: Identity

  public init(term: UInt32, identity: Identity) {
    self.term = term
    self.identity = identity
  }

  /// Whether `b` outranks `a`.
  public static func < (a: Claim, b: Claim) -> Bool {
    a.term != b.term ? a.term < b.term : a.identity > b.identity
  }
}
