import PeerProtocol

/// Reserves the terms of the claims of this peer in blocks. A claim is the right to lead a rhythm. It has a term, and the claim with
/// the higher term wins.
///
/// A peer must never claim the rhythm with a term that it has used before, not even after a crash. Therefore the peer stores a bound that
/// no used term exceeds. After a restart, its next claim has a term above the bound. If each term were written before its use, each start
/// of the rhythm would wait for the disk. Instead, the peer reserves a block of terms in advance, as databases do for sequences: when at
/// most half a block is left, it raises the bound to a full block above the highest term. The write must end before the rest of the old
/// block is used up.
///
/// A peer that continues the rhythm of another peer claims it with the next term, which can be far above the bound. After the highest
/// possible term, the next term is a random one far below the bound. In both cases, the next block begins at the new term. If the power
/// fails before the new bound is on the disk, the peer learns its last claim from the presence messages of other peers
/// (``EnsembleState``).
struct TermReservation {
  /// The number of terms in a block.
  static let blockSize: UInt64 = 64

  /// The bound: the highest reserved term.
  private(set) var bound: UInt64

  /// - Parameter term: the term that may have been used last.
  init(after term: UInt64) { bound = Self.end(of: term) }

  /// Reserves the next block if at most half a block is left above `term`, the term of the last claim, or if `term` is below the block.
  ///
  /// - Returns: the new bound, to be stored; nil if no reservation is necessary.
  mutating func reserve(for term: UInt64) -> UInt64? {
    let end = Self.end(of: term)
    guard end != bound, term >= bound - Self.blockSize / 2 || term < bound - Self.blockSize else { return nil }
    bound = end
    return bound
  }

  private static func end(of term: UInt64) -> UInt64 {
    min(term, Claim.terms.upperBound - blockSize) + blockSize
  }
}
