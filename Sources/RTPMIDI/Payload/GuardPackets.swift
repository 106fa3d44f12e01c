public import MusicalTime

/// The times of guard packets (RFC 6295 section 4; RFC 4696 section 4.2).
///
/// The journal of the next packet repairs the loss of a packet. If no commands follow, guard packets are sent: packets
/// without commands, which contain the journal only. Networks lose packets in bursts, so the first 20 guard packets are
/// spread over half a second, 25 ms apart. Four more follow, one second apart. The sender stops as soon as the receiver
/// has acknowledged everything. An ``Endpoint`` acknowledges a channel message or a guard packet within 100 ms, and thus
/// receives three or four guard packets.
public enum GuardPackets {
  /// Returns the time from guard packet `count` to the next one; nil after the last one. `count` is 0 for the packet
  /// with the last command, and 1 for the first guard packet.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func pause(after count: Int) -> Nanoseconds? {
    if count < 20 { return .milliseconds(25) }
    return count < 24 ? .seconds(1) : nil
  }
}
