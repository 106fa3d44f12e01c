import MusicalTime

/// The instants of a tick on its way through the threads and the network, each nil if it did not occur or was not recorded. All
/// are in local time, except ``masterSent``.
public struct TickPath: Hashable, Sendable, BitwiseCopyable {
  /// The instant at which the clock thread, awake, found the tick due.
  public var woken: Instant?
  /// The instant immediately before the first packet with the tick was passed to the kernel at the due time, for a receiver that plays
  /// on arrival.
  public var sent: Instant?
  /// The instant immediately before the first packet with the tick was passed to the kernel ahead of the due time, for a receiver that
  /// honours time stamps.
  public var sentAhead: Instant?
  /// The send instant in the first packet that a follower received with the tick, by the master's clock.
  public var masterSent: Instant?
  /// The arrival of that packet, by the kernel's time stamp.
  public var received: Instant?

  /// Creates a path.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(
    woken: Instant? = nil, sent: Instant? = nil, sentAhead: Instant? = nil, masterSent: Instant? = nil,
    received: Instant? = nil
  ) {
    (self.woken, self.sent, self.sentAhead) = (woken, sent, sentAhead)
    (self.masterSent, self.received) = (masterSent, received)
  }
}
