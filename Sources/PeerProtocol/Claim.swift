/// A peer's claim to be master. Every start is a new claim. The claim with the higher term wins; if the terms are
/// equal, the claim with the lower identity wins. This total order needs no common clock (Lamport 1978). The word
/// *term* comes from the Raft consensus algorithm.
public struct Claim: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// The term of the claim, higher than all terms that the claiming peer had claimed or followed. Terms do not run out:
  /// even a hostile message raises the terms of a peer by 2^20 at most, so 64 bits are enough for 2^44 such messages.
  public let term: UInt64
  /// The identity of the claiming peer.
  public let identity: Identity

  public init(term: UInt64, identity: Identity) {
    self.term = term
    self.identity = identity
  }

  /// Returns whether `b` wins against `a`. The identities are compared in reverse order, because the lower one wins.
  ///
  /// Real-time: not safe.
  public static func < (a: Claim, b: Claim) -> Bool {
    a.term != b.term ? a.term < b.term : a.identity > b.identity
  }
}
