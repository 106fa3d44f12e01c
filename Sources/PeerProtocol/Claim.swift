/// A peer's claim to be master. Every start is a new claim. The claim with the higher term wins; if the terms are
/// equal, the claim with the lower identity wins. This total order needs no common clock (Lamport 1978). The word
/// *term* comes from the Raft consensus algorithm.
///
/// A claim counts only while its master sends it and is heard. A claim that does not count outranks no other claim
/// (`EnsembleState.counts(_:at:)`). The highest possible term therefore protects no claim after its master has left.
///
/// In a led session, a peer that is no leader can only *keep* the rhythm of a lost leader: it sends the clock, but changes nothing. Its claim
/// (``isKept``) is lower than every claim of a leader.
public struct Claim: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// The possible terms: 1...2^63 - 1. A message with another term is malformed.
  public static var terms: ClosedRange<UInt64> { 1...UInt64(Int64.max) }

  /// The bit that is set in the transmitted term of a kept claim.
  static var keptBit: UInt64 { 1 << 63 }

  /// The term of the claim. It is higher than every earlier term of the claiming peer, every term that counted at that peer, and the term
  /// of the rhythm that the claim continues. If no higher term is left, it is a random number below 2^32.
  public let term: UInt64
  /// The identity of the claiming peer.
  public let identity: Identity
  /// Whether the claiming peer only keeps the rhythm of a lost leader.
  public let isKept: Bool

  public init(term: UInt64, identity: Identity, isKept: Bool = false) {
    self.term = term
    self.identity = identity
    self.isKept = isKept
  }

  /// Returns whether `b` wins against `a`. A kept claim loses against every other one. The identities are compared in reverse order, because the lower one wins.
  ///
  /// Real-time: not safe.
  public static func < (a: Claim, b: Claim) -> Bool {
    if a.isKept != b.isKept { return a.isKept }
    return a.term != b.term ? a.term < b.term : a.identity > b.identity
  }
}
