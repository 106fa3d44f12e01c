import PeerProtocol
import Rhythm

/// A rhythm as the clock thread plays it: the table of its steps, and the digest by which the schedule names it. A trivial value, which a
/// triple buffer passes to the thread.
struct RhythmTable: Sendable, BitwiseCopyable {
  /// The digest of the text; nil if the text is too long to be shared.
  let digest: DocumentDigest?
  let table: StepTable
  /// Whether there is a rhythm.
  private let exists: Bool

  init(digest: DocumentDigest?, table: StepTable) { (self.digest, self.table, exists) = (digest, table, true) }

  /// Creates an empty place for a rhythm.
  @_noLocks @_noAllocation
  init() { (digest, table, exists) = (nil, StepTable(), false) }

  /// Whether this is the rhythm with the digest `digest`.
  @_noLocks @_noAllocation
  func describes(_ digest: DocumentDigest?) -> Bool {
    exists && DocumentDigest.areEqual(self.digest, digest)
  }
}
