import MusicalTime

/// One tick as the clock thread acted on it.
struct TickRecord: Sendable, BitwiseCopyable {
  var tick: Tick
  /// When it was due.
  var due: Instant
  /// When the thread acted on it.
  var acted: Instant

  @_noLocks @_noAllocation
  init(tick: Tick, due: Instant, acted: Instant) {
    self.tick = tick
    self.due = due
    self.acted = acted
  }
}

/// What the clock thread has done since the start.
public struct ClockCounters: Sendable, BitwiseCopyable {
  /// Ticks acted on.
  public var ticks: Int64 = 0
  /// Ticks passed over after an absence longer than ``TickCursor/patience``.
  public var skipped: Int64 = 0
  /// Datagrams sent.
  public var sent: Int64 = 0
  /// Datagrams the kernel would not take.
  public var unsent: Int64 = 0
  /// Messages the ALSA ports would not take.
  public var unsentToPort: Int64 = 0
}
