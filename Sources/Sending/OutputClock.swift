import MusicalTime
import Playback

/// The clock of all receivers with one offset: the streams to play-on-arrival receivers, and the local receivers of the clock (ALSA port).
/// Time-stamp receivers get only ``offset`` and the ticks of the idle clock from it.
///
/// Each cursor is a position in the ticks of the schedule. It returns each tick once, a fixed time before the tick is due.
struct OutputClock: BitwiseCopyable {
  /// How much later than its due time a message leaves; negative: earlier.
  let offset: Nanoseconds
  /// The cursor of ticks.
  var ticks: TickCursor
  /// The cursor of Start and Continue.
  var prelude: TickCursor
  /// The run whose beginning was reported and whose end was not reported yet; 0 if there is none.
  var reportedRun: UInt32 = 0
  /// The next tick of the idle clock.
  var nextIdle = Tick(0)

  init(offset: Nanoseconds) {
    self.offset = offset
    ticks = TickCursor(lead: -offset)
    prelude = TickCursor(lead: StreamSender.prelude - offset)
  }
}

/// When the ticks are due while no rhythm plays (`--clock-always`). After a run, the ticks continue in its phase and tempo.
///
/// A change of the tempo takes effect at the first tick that no receiver has got, so that all receivers get the same ticks.
struct IdleClock: BitwiseCopyable {
  /// When the ticks are due; nil while the idle clock is off.
  private(set) var timeline: Timeline?
  /// When the ticks from its origin on are due; nil if no change of the tempo is pending.
  private var change: Timeline?
  /// The requested tempo.
  private var tempo = Tempo.standard
  /// The run that ``timeline`` continues; 0 if there is none.
  private(set) var run: UInt32 = 0

  init() {}

  /// Requests a tempo; nil turns the clock off. If the clock was off, tick 0 is due at `instant`.
  ///
  /// - Returns: whether the clock was off and is on now.
  @_noLocks @_noAllocation
  mutating func request(_ tempo: Tempo?, at instant: Instant) -> Bool {
    guard let tempo else {
      (timeline, change) = (nil, nil)
      return false
    }
    self.tempo = tempo
    if case .some = timeline { return false }
    timeline = Timeline(tempo: tempo, tick: Tick(0), at: instant)
    return true
  }

  /// Continues the ticks of a run: `tick` is due at `instant`. Does nothing if the clock is off.
  @_noLocks @_noAllocation
  mutating func `continue`(_ run: UInt32, at tick: Tick, due instant: Instant, tempo: Tempo) {
    guard case .some = timeline else { return }
    (timeline, change, self.tempo, self.run) = (Timeline(tempo: tempo, tick: tick, at: instant), nil, tempo, run)
  }

  /// Begins a change to the requested tempo, unless an earlier change is pending.
  ///
  /// - Parameters:
  ///   - first: the first tick that a receiver has not got.
  ///   - last: the first tick that no receiver has got.
  @_noLocks @_noAllocation
  mutating func advance(from first: Tick, to last: Tick) {
    if let change {
      guard first >= change.originTick else { return }
      (timeline, self.change) = (change, nil)
    }
    guard let timeline, timeline.tempo.nanosecondsPerQuarter != tempo.nanosecondsPerQuarter else { return }
    change = Timeline(tempo: tempo, tick: last, at: timeline.deadline(last))
  }

  /// The instant at which `tick` is due. The distant future if the clock is off.
  @_noLocks @_noAllocation
  func deadline(_ tick: Tick) -> Instant {
    if let change, tick >= change.originTick { return change.deadline(tick) }
    guard let timeline else { return .distantFuture }
    return timeline.deadline(tick)
  }

  /// The first tick due at or after `instant`. Tick 0 if the clock is off.
  @_noLocks @_noAllocation
  func firstTick(notBefore instant: Instant) -> Tick {
    if let change, instant >= change.originInstant { return change.firstTick(notBefore: instant) }
    guard let timeline else { return Tick(0) }
    return timeline.firstTick(notBefore: instant)
  }
}
