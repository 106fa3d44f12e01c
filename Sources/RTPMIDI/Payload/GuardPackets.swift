public import MusicalTime

/// When guard packets go (RFC 6295 section 4; RFC 4696 section 4.2). What was lost is repaired by the next packet's journal.
/// When none follows, because the player rests, one without commands does: every 25 ms for half a second, as networks lose
/// packets in a row, then four a second apart. A Tutti receiver acknowledges within 100 ms what a channel message or a guard
/// packet says, and so has three or four of them.
public enum GuardPackets {
  /// How long after `count` of them in a row the next is due; nil when there have been enough.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func pause(after count: Int) -> Nanoseconds? {
    if count < 20 { return .milliseconds(25) }
    return count < 24 ? .seconds(1) : nil
  }
}
