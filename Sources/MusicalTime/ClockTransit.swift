/// One packet that told when it left: an instant of the clock it left by, and one of the clock it came to.
///
///     out    own   sent ───────▶ remote received     what lies between: remote minus own clock, plus the delay
///     back   own   received ◀── remote sent          the same, minus the delay
///
/// A question and its answer are two of them (RFC 5905, section 8, figure 15), a packet of the stream is one.
public struct ClockTransit: Hashable, Sendable, BitwiseCopyable {
  public enum Direction: Hashable, Sendable, BitwiseCopyable { case out, back }

  public var direction: Direction
  /// When it left, by its sender's clock: the own one on the way out.
  public var sent: Instant
  /// When it arrived, by its receiver's clock.
  public var received: Instant
  /// The step of the coarser clock's count.
  public var resolution: Nanoseconds

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ direction: Direction, sent: Instant, received: Instant, resolution: Nanoseconds = Nanoseconds(1)) {
    self.direction = direction
    self.sent = sent
    self.received = received
    self.resolution = resolution
  }

  /// When it left or arrived here.
  ///
  /// Real-time: safe.
  public var own: Instant {
    @_noLocks @_noAllocation get {
      switch direction {
      case .out: sent
      case .back: received
      }
    }
  }

  /// When it arrived or left there.
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

  /// Remote clock minus own, as if it had taken no time: too much on the way out, too little on the way back.
  ///
  /// Real-time: safe.
  public var difference: Nanoseconds { @_noLocks @_noAllocation get { remote - own } }

  /// As if the way out, which takes `asymmetry` longer than the way back, took as long.
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
