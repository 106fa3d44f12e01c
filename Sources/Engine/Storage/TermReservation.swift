/// Reserves the terms of the claims of this peer in blocks. A claim is the right to lead a rhythm. It has a term, and the claim with
/// the higher term wins.
///
/// A peer must never claim the rhythm with a term that it has used before, not even after a crash. Therefore the peer stores a bound that
/// no used term exceeds. After a restart, its next claim has a term above the bound. If each term were written before its use, each start
/// of the rhythm would wait for the disk. Instead, the peer reserves a block of terms in advance, as databases do for sequences: when at
/// most half a block is left, it raises the bound to a full block above the highest term. The write must end before the rest of the old
/// block is used up.
///
/// The write can be too late in one case: this peer follows a term that is not below the stored bound, and claims the rhythm with a higher
/// term before the new bound is on the disk. If the power then fails, the peer learns its last claim from the presence messages of other
/// peers (``EnsembleState``).
struct TermReservation {
  /// The number of terms in a block.
  static let blockSize: UInt64 = 64

  /// The bound: the highest reserved term.
  private(set) var bound: UInt64

  /// - Parameter term: the highest term that may have been used already.
  init(after term: UInt64) { bound = Self.end(of: term) }

  /// Reserves the next block if at most half a block is left above `term`, the highest term claimed or followed.
  ///
  /// - Returns: the new bound, to be stored; nil if no reservation is necessary.
  mutating func reserve(for term: UInt64) -> UInt64? {
    guard bound < .max, term >= bound - Self.blockSize / 2 else { return nil }
    bound = Self.end(of: term)
    return bound
  }

  private static func end(of term: UInt64) -> UInt64 { term > .max - blockSize ? .max : term + blockSize }
}
