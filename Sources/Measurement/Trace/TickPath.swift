import MusicalTime

/// The instants of a tick on its way through the threads and the network. An instant is nil if its event did not occur or was not
/// recorded. All instants are in local time, except ``masterSent``.
public struct TickPath: Hashable, Sendable, BitwiseCopyable {
  /// The instant at which the clock thread, after its wake-up, found that the tick was due.
  public var woken: Instant?
  /// For a play-on-arrival receiver, which gets the tick when it is due: the instant immediately before the first packet with the
  /// tick was passed to the kernel.
  public var sent: Instant?
  /// For a time-stamp receiver, which gets the tick ahead of time: the instant immediately before the first packet with the tick was
  /// passed to the kernel.
  public var sentAhead: Instant?
  /// At a follower: the send instant that the first received packet with the tick carries, by the master's clock.
  public var masterSent: Instant?
  /// At a follower: the instant at which this packet arrived, from the kernel's time stamp of the packet.
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
