public import ClockSync
public import MusicalTime

/// What the clock thread plays: the rhythm in its master's clock, and that clock beside the own one. All instants that it
/// takes and gives are in the own clock. A trivial value that travels by triple buffer.
public struct PlaybackSchedule: Hashable, Sendable, BitwiseCopyable {
  /// Counts the runs this peer has taken part in; 0 before the first. A new run starts its cursors anew.
  public var run: UInt32
  /// Whether this peer is the master, and so sends the clock.
  public var sends: Bool
  /// The run in which the ticks began that this one goes on with: this run itself, unless it takes the place of one that
  /// plays much the same ticks, so that what has sounded of that one is not played again.
  public var began: UInt32
  /// The first tick this peer plays.
  public var start: Tick
  /// The first tick nobody plays any more; `Tick(.max)` while no end is known.
  public var end: Tick
  /// The master's clock; the own one if this peer is the master.
  public var clock: ClockMapping
  /// Tempo and origin before `changeTick`, in the master's clock.
  public var timeline: Timeline
  /// Tempo and origin from `changeTick` on.
  public var changed: Timeline
  /// From where `changed` counts; `Tick(.max)` while no change is known.
  public var changeTick: Tick
  /// Which layers sound.
  public var intensity: Intensity

  /// Silence.
  public static let silence = PlaybackSchedule(
    run: 0, sends: false, start: Tick(0), end: Tick(0),
    timeline: Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: 0)))

  public init(
    run: UInt32, sends: Bool, start: Tick, end: Tick, timeline: Timeline, change: TempoChange? = nil,
    clock: ClockMapping = .identity, intensity: Intensity = Intensity(0)
  ) {
    self.intensity = intensity
    self.clock = clock
    self.run = run
    self.began = run
    self.sends = sends
    self.start = start
    self.end = end
    self.timeline = timeline
    self.changed = change.map { timeline.changing(to: $0.tempo, at: $0.tick) } ?? timeline
    self.changeTick = change?.tick ?? Tick(.max)
  }

  /// Whether the run goes on from another.
  public var continues: Bool { began != run }

  /// Whether the ticks of this run are those of an earlier one, or of itself: a thread may not have seen the runs between.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func goesOn(from earlier: UInt32) -> Bool { run &- earlier <= run &- began }

  /// When `tick` is due.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func deadline(_ tick: Tick) -> Instant {
    clock.local(at: tick >= changeTick ? changed.deadline(tick) : timeline.deadline(tick))
  }

  /// The last tick due at or before `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func tick(at instant: Instant) -> Tick {
    let tick = tick(atMaster: clock.remote(at: instant))
    // There and back between two clocks is exact to a nanosecond or two.
    if deadline(tick) > instant { return tick + -1 }
    return deadline(tick + 1) <= instant ? tick + 1 : tick
  }

  /// The last tick due at or before `instant` of the master's clock.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func tick(atMaster instant: Instant) -> Tick {
    let tick = timeline.tick(at: instant)
    return tick >= changeTick ? changed.tick(at: instant) : tick
  }

  /// The first tick due at or after `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func firstTick(notBefore instant: Instant) -> Tick {
    tick(at: Instant(nanoseconds: instant.nanoseconds &- 1)) + 1
  }

  /// The tempo at `instant`.
  public func tempo(at instant: Instant) -> Tempo { tick(at: instant) >= changeTick ? changed.tempo : timeline.tempo }
}
