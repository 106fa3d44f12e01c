public import MusicalTime

/// The remote clock as a follower plays by it: one line until ``bend``, from there on another. Both meet at the bend, so
/// no instant jumps. It travels to the clock thread as a value.
public struct ClockMapping: Hashable, Sendable, BitwiseCopyable {
  public let first: ClockLine
  public let second: ClockLine
  /// Of the own clock.
  public let bend: Instant

  /// Two clocks that are one.
  ///
  /// Real-time: safe.
  public static var identity: ClockMapping {
    @_noLocks @_noAllocation get { ClockMapping(.identity) }
  }

  /// One line for all time.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ line: ClockLine) { (first, second, bend) = (line, line, line.own) }

  /// `first` until the reference point of `second`, which lies on both.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ first: ClockLine, then second: ClockLine) {
    (self.first, self.second, self.bend) = (first, second, second.own)
  }

  /// What the remote clock shows when the own one shows `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func remote(at instant: Instant) -> Instant {
    instant < bend ? first.remote(at: instant) : second.remote(at: instant)
  }

  /// What the own clock shows when the remote one shows `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func own(at instant: Instant) -> Instant {
    instant < second.remote ? first.own(at: instant) : second.own(at: instant)
  }
}
