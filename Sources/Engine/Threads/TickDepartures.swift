import MusicalTime

/// The instants at which ticks left ahead of their due time: the first packet of each tick. There is room for 256 ticks, which is 5 s at
/// 120 BPM.
struct TickDepartures: BitwiseCopyable {
  private var ticks = InlineArray<256, Tick>(repeating: Tick(.min))
  private var instants = InlineArray<256, Instant>(repeating: Instant(nanoseconds: 0))

  @_noLocks @_noAllocation
  init() {}

  /// Notes that a packet with `tick` leaves at `instant`, unless one has left already.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func note(_ tick: Tick, at instant: Instant) {
    let slot = Self.slot(of: tick)
    guard ticks[slot] != tick else { return }
    (ticks[slot], instants[slot]) = (tick, instant)
  }

  /// Returns when the first packet with `tick` left, and forgets it, because the next run has the same tick numbers. Nil if no packet
  /// left.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func take(_ tick: Tick) -> Instant? {
    let slot = Self.slot(of: tick)
    guard ticks[slot] == tick else { return nil }
    ticks[slot] = Tick(.min)
    return instants[slot]
  }

  @_noLocks @_noAllocation
  private static func slot(of tick: Tick) -> Int { Int(truncatingIfNeeded: tick.index) & 255 }
}
