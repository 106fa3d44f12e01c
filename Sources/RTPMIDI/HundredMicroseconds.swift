import MusicalTime

/// RTP-MIDI and AppleMIDI count time in units of 100 us.
extension Instant {
  /// The whole units of 100 us since the clock's origin, rounded down.
  ///
  /// Real-time: safe.
  public var hundredMicroseconds: Int64 {
    @_noLocks @_noAllocation get {
      let (quotient, rest) = nanoseconds.quotientAndRemainder(dividingBy: 100_000)
      return rest < 0 ? quotient - 1 : quotient
    }
  }

  /// The instant `count` units of 100 us after the clock's origin; wraps beyond the ends of Int64.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(hundredMicroseconds count: Int64) { self.init(nanoseconds: count &* 100_000) }
}
