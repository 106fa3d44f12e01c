/// One question and answer between two clocks: four readings, two of each clock (RFC 5905, section 8, figure 15).
///
///     own     sent ----------------------------- received
///                 \                             /
///     remote       remoteReceived -- remoteSent
public struct ClockExchange: Hashable, Sendable, BitwiseCopyable {
  /// When the question left, own clock.
  public var sent: Instant
  /// When the question arrived, remote clock.
  public var remoteReceived: Instant
  /// When the answer left, remote clock.
  public var remoteSent: Instant
  /// When the answer arrived, own clock.
  public var received: Instant
  /// The step of the coarser clock's count.
  public var resolution: Nanoseconds

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(
    sent: Instant, remoteReceived: Instant, remoteSent: Instant, received: Instant, resolution: Nanoseconds
  ) {
    self.sent = sent
    self.remoteReceived = remoteReceived
    self.remoteSent = remoteSent
    self.received = received
    self.resolution = resolution
  }

  /// Time spent on the network, both ways together.
  ///
  /// Real-time: safe.
  public var delay: Nanoseconds {
    @_noLocks @_noAllocation get { (received - sent) - (remoteSent - remoteReceived) }
  }

  /// Remote clock minus own, as if both ways took equally long. It is wrong by at most half of ``delay``.
  ///
  /// Real-time: safe.
  public var offset: Nanoseconds {
    @_noLocks @_noAllocation get {
      let out = (remoteReceived - sent).count
      let back = (remoteSent - received).count
      return Nanoseconds((out >> 1) &+ (back >> 1) &+ (out & back & 1))
    }
  }
}
