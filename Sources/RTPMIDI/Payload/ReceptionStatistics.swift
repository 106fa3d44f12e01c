/// Statistics about the packets received in one stream.
public struct ReceptionStatistics: Hashable, Sendable, BitwiseCopyable {
  /// The number of new packets.
  public internal(set) var received: UInt64 = 0
  /// The number of missing sequence numbers, except those that arrived late.
  public internal(set) var lost: Int64 = 0
  /// The number of new packets that arrived after a later packet.
  public internal(set) var reordered: UInt64 = 0
  /// The number of packets that arrived again.
  public internal(set) var duplicates: UInt64 = 0
  /// The number of packets too far behind to be distinguished from a replay, or implausibly far ahead.
  public internal(set) var outOfWindow: UInt64 = 0
  /// The number of packets with a malformed command list. The commands before the error were delivered.
  public internal(set) var malformed: UInt64 = 0
  /// The number of packets with a malformed recovery journal. The journal was ignored.
  public internal(set) var malformedJournals: UInt64 = 0
  /// The number of repairs from a recovery journal, one for each loss and one for each restart of the stream.
  public internal(set) var repairs: UInt64 = 0
  /// The number of repairs from a journal that did not cover the loss. These repairs have ended all notes that were not on
  /// according to the journal.
  public internal(set) var uncovered: UInt64 = 0
  /// The number of messages and System Exclusives recovered from journals.
  public internal(set) var recovered: UInt64 = 0
  /// The number of commands in late packets that were not delivered, because a journal had already repaired the loss of
  /// the packet, or because a late delivery could replace a newer command.
  public internal(set) var heldBack: UInt64 = 0
  /// The number of System Exclusives that were too long or incomplete.
  public internal(set) var droppedSystemExclusives: UInt64 = 0

  @_noLocks @_noAllocation
  init() {}
}
