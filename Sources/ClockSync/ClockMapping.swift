public import MusicalTime

/// The mapping between the local and a remote clock that a follower plays by: one line until ``bend``, and another line
/// from there on. Both lines meet at the bend, so no instant jumps. The mapping is passed to the clock thread by value.
public struct ClockMapping: Hashable, Sendable, BitwiseCopyable {
  public let first: ClockLine
  public let second: ClockLine
  /// The instant at which ``second`` begins, local time.
  public let bend: Instant

  /// The mapping between two identical clocks.
  ///
  /// Real-time: safe.
  public static var identity: ClockMapping {
    @_noLocks @_noAllocation get { ClockMapping(.identity) }
  }

  /// A mapping that consists of one line.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ line: ClockLine) { (first, second, bend) = (line, line, line.local) }

  /// A mapping that follows `first` until the reference point of `second`. This point must also lie on `first`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ first: ClockLine, then second: ClockLine) {
    (self.first, self.second, self.bend) = (first, second, second.local)
  }

  /// The remote time when the local clock shows `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func remote(at instant: Instant) -> Instant {
    instant < bend ? first.remote(at: instant) : second.remote(at: instant)
  }

  /// The local time when the remote clock shows `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func local(at instant: Instant) -> Instant {
    instant < second.remote ? first.local(at: instant) : second.local(at: instant)
  }
}
