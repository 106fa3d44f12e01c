import MusicalTime

/// Conversion to units of 100 us, in which RTP-MIDI and AppleMIDI count time.
extension Instant {
  /// The number of whole units of 100 us since the origin of the clock, rounded down.
  ///
  /// Real-time: safe.
  public var hundredMicroseconds: Int64 {
    @_noLocks @_noAllocation get {
      let (quotient, rest) = nanoseconds.quotientAndRemainder(dividingBy: 100_000)
      return rest < 0 ? quotient - 1 : quotient
    }
  }

  /// Creates the instant `count` units of 100 us after the origin of the clock. Wraps outside the range of Int64.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(hundredMicroseconds count: Int64) { self.init(nanoseconds: count &* 100_000) }
}
