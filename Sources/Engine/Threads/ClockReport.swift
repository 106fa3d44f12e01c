import MusicalTime
import Playback

/// The record of a tick that the clock thread has processed, for the trace and the MIDI recording.
struct TickRecord: Sendable, BitwiseCopyable {
  var tick: Tick
  /// When the tick was due.
  var due: Instant
  /// When the clock thread read the clock and found that the tick was due.
  var woken: Instant
  /// When the clock thread processed the tick: immediately before it wrote the tick to the ALSA clock port, if there is one.
  var acted: Instant
  /// When the first packet with the tick left for a receiver that plays on arrival; nil if there was none.
  var sent: Instant?
  /// When the first packet with the tick left ahead of time; nil if there was none.
  var sentAhead: Instant?
  /// The total activity that selects the layers at the tick, 0...127.
  var activity: UInt8
  /// The tempo from the tick on.
  var tempo: Tempo
  /// The bars at the tick.
  var grid: BarGrid
  /// The series of runs to which the tick belongs. Each run of a series continues the previous one (``PlaybackSchedule/firstRun``).
  var series: UInt32

  @_noLocks @_noAllocation
  init(
    tick: Tick, due: Instant, woken: Instant, acted: Instant, activity: UInt8, tempo: Tempo, grid: BarGrid,
    series: UInt32
  ) {
    (self.tick, self.due, self.woken, self.acted) = (tick, due, woken, acted)
    (self.activity, self.tempo, self.grid, self.series) = (activity < 127 ? activity : 127, tempo, grid, series)
  }
}

/// The counters of the clock thread since its start.
public struct ClockCounters: Sendable, BitwiseCopyable {
  /// Ticks processed.
  public var ticks: Int64 = 0
  /// Ticks skipped because they were late by more than ``TickCursor/patience``.
  public var skipped: Int64 = 0
  /// Datagrams sent.
  public var sent: Int64 = 0
  /// Datagrams that the kernel did not accept.
  public var unsent: Int64 = 0
  /// Packets, and recovery journals, that were withheld from receivers that acknowledge nothing (``StreamSender/withheld``).
  public var (withheld, withheldJournals): (Int64, Int64) = (0, 0)
  /// Messages that the ALSA ports did not accept.
  public var unsentToPort: Int64 = 0
  /// The numbers of the tables in the two places for scores (``ScoreTable/number``). A table that was given to a place before the one with
  /// this number is not used any more.
  public var scoreTables: (UInt32, UInt32) = (0, 0)
  /// How long before a deadline the thread wakes now.
  var wakeLead = WakeLead.maximum
  /// Notes of the score that were dropped, because their step had more than ``ScorePlayback/maximumPerStep``.
  public var droppedScoreNotes: Int64 = 0
}
