/// Reserves the terms of the claims of this peer in blocks.
///
/// A peer must never claim the rhythm with a term that it has used before, also after a crash. It therefore stores a bound
/// that no used term exceeds, and starts with a term above it. Writing each term before its use would make each start of
/// the rhythm wait for the disk. Instead, the bound is raised by a block of terms at a time, when half of the previous block
/// is used (like the sequence ranges of databases). The disk then has half a block of claims to finish the write. The
/// write can be too late in one case: this peer follows a term more than half a block ahead, and claims the rhythm immediately
/// afterwards. If the power fails before the write ends, the presences of other peers report the last claim
/// (``EnsembleState``).
struct TermReservation {
  /// The number of terms in a block.
  static let blockSize: UInt64 = 64

  /// The bound: the highest reserved term.
  private(set) var bound: UInt64

  /// - Parameter term: the highest term that may be used already.
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
