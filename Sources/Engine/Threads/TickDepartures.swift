import MusicalTime

/// For each tick, the instant at which its first packet left ahead of the due time, to a time-stamp receiver. The trace contains these
/// instants (``Measurement/TraceTick``, `sent_ahead`). A packet that is sent at the due time is not recorded here. There is room for
/// 256 ticks, which is 5 s at 120 BPM.
struct TickDepartures: BitwiseCopyable {
  private var ticks = InlineArray<256, Tick>(repeating: Tick(.min))
  private var instants = InlineArray<256, Instant>(repeating: Instant(nanoseconds: 0))
  /// The series of runs to which each tick belongs. Each run of a series continues the previous one (``PlaybackSchedule/firstRun``).
  /// Another series can have the same tick numbers.
  private var series = InlineArray<256, UInt32>(repeating: 0)

  @_noLocks @_noAllocation
  init() {}

  /// Records that a packet with `tick` of a series leaves at `instant`, unless one has left already.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func record(_ tick: Tick, series: UInt32, at instant: Instant) {
    let slot = Self.slot(of: tick)
    guard ticks[slot] != tick || self.series[slot] != series else { return }
    (ticks[slot], instants[slot], self.series[slot]) = (tick, instant, series)
  }

  /// Returns when the first packet with `tick` of a series left; nil if no packet left.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  func instant(of tick: Tick, series: UInt32) -> Instant? {
    let slot = Self.slot(of: tick)
    guard ticks[slot] == tick, self.series[slot] == series else { return nil }
    return instants[slot]
  }

  @_noLocks @_noAllocation
  private static func slot(of tick: Tick) -> Int { Int(truncatingIfNeeded: tick.index) & 255 }
}
