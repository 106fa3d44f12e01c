/// A clock measurement in one direction: the send instant of a packet by the sender's clock and its receive instant by
/// the receiver's clock.
///
///     direction   local peer          remote peer    remote - local instant
///     out         sent     ────────▶  received       clock offset + delay
///     back        received ◀────────  sent           clock offset - delay
///
/// The clock offset is the remote clock minus the local clock at the same moment. A clock probe with its reply gives
/// one transit in each direction (RFC 5905, section 8, figure 15). An RTP packet with a send instant gives one transit.
public struct ClockTransit: Hashable, Sendable, BitwiseCopyable {
  /// The direction of the packet, seen from the local peer.
  public enum Direction: Hashable, Sendable, BitwiseCopyable {
    /// From the local peer to the remote peer.
    case out
    /// From the remote peer to the local peer.
    case back
  }

  /// The direction of the packet.
  public var direction: Direction
  /// The send instant by the sender's clock: local time if the direction is `out`, otherwise remote time.
  public var sent: Instant
  /// The receive instant by the receiver's clock.
  public var received: Instant
  /// The resolution of the coarser of the two clocks.
  public var resolution: Nanoseconds

  /// Creates a transit. The default `resolution` is one nanosecond.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ direction: Direction, sent: Instant, received: Instant, resolution: Nanoseconds = Nanoseconds(1)) {
    self.direction = direction
    self.sent = sent
    self.received = received
    self.resolution = resolution
  }

  /// The instant, in local time, at which the packet left or reached the local peer.
  ///
  /// Real-time: safe.
  public var local: Instant {
    @_noLocks @_noAllocation get {
      switch direction {
      case .out: sent
      case .back: received
      }
    }
  }

  /// The instant, in remote time, at which the packet reached or left the remote peer.
  ///
  /// Real-time: safe.
  public var remote: Instant {
    @_noLocks @_noAllocation get {
      switch direction {
      case .out: received
      case .back: sent
      }
    }
  }

  /// ``remote`` minus ``local``: the clock offset plus the delay if the direction is `out`, the clock offset minus the
  /// delay if the direction is `back`.
  ///
  /// Real-time: safe.
  public var difference: Nanoseconds { @_noLocks @_noAllocation get { remote - local } }

  /// Returns the transit corrected for an asymmetric path: the transit that would have been measured if the delay in
  /// direction `out` were as long as the delay in direction `back`. A transit in direction `out` is received earlier by
  /// `asymmetry`. A transit in direction `back` is unchanged.
  ///
  /// - Parameter asymmetry: the delay in direction `out` minus the delay in direction `back`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func allowing(for asymmetry: Nanoseconds) -> ClockTransit {
    var transit = self
    switch direction {
    case .out: transit.received = received - asymmetry
    case .back: break
    }
    return transit
  }
}
