public import MusicalTime

/// The arrival of a packet with a tick of the master.
public struct TickArrival: Hashable, Sendable, BitwiseCopyable {
  /// The tick.
  public let tick: Tick
  /// The send instant in the packet, by the master's clock; nil if the packet has none.
  public let sent: Instant?
  /// The arrival by the kernel's time stamp, in local time.
  public let received: Instant
}
