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
  /// Packets in which a fault ended the list.
  public internal(set) var malformed: UInt64 = 0
  /// Recovery journals whose lengths did not fit; the commands before them counted all the same.
  public internal(set) var malformedJournals: UInt64 = 0
  /// Commands of late packets that were held back.
  public internal(set) var heldBack: UInt64 = 0
  /// System Exclusives too long, or with a piece missing.
  public internal(set) var droppedSystemExclusives: UInt64 = 0

  @_noLocks @_noAllocation
  init() {}
}
