/// What became of the packets of one stream.
public struct ReceptionStatistics: Hashable, Sendable, BitwiseCopyable {
  /// Packets that were new.
  public internal(set) var received: UInt64 = 0
  /// Numbers left out and not yet come late.
  public internal(set) var lost: Int64 = 0
  /// New packets that came behind later ones.
  public internal(set) var reordered: UInt64 = 0
  public internal(set) var duplicates: UInt64 = 0
  /// Packets too far behind to tell from a replay, or too far ahead to be believed.
  public internal(set) var outOfWindow: UInt64 = 0
  /// Packets dropped for a fault in their list of commands.
  public internal(set) var malformed: UInt64 = 0
  /// Packets dropped for a fault in their recovery journal.
  public internal(set) var malformedJournals: UInt64 = 0
  /// Gaps in the stream that a recovery journal has made good.
  public internal(set) var repairs: UInt64 = 0
  /// Those of them that the journal did not reach back to, so that only the notes it confirms were kept.
  public internal(set) var uncovered: UInt64 = 0
  /// Messages and System Exclusives given back from journals.
  public internal(set) var recovered: UInt64 = 0
  /// Commands of late packets that were held back, a journal having made them good or order being wrong.
  public internal(set) var heldBack: UInt64 = 0
  /// System Exclusives too long, or with a piece missing.
  public internal(set) var droppedSystemExclusives: UInt64 = 0

  @_noLocks @_noAllocation
  init() {}
}
