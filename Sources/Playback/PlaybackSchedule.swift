public import ClockSync
public import MIDI
public import MusicalTime
public import PeerProtocol

/// What the clock thread plays: a range of ticks, the timeline in the time of the master's clock, and the mapping from
/// this time to local time. Parameters and results are local time unless stated otherwise. A trivial value, which a
/// triple buffer passes to the clock thread.
public struct PlaybackSchedule: Hashable, Sendable, BitwiseCopyable {
  /// The number of the run on the local peer. 0 before the first run. When the number changes, a ``TickCursor`` moves
  /// to the start of the new run, unless this run continues the run before it (``firstRun``).
  public var run: UInt32
  /// Whether the local peer is the master and sends the clock.
  public var sends: Bool
  /// The number of the first run in the series of runs to which ``run`` belongs. Each run of a series continues the run
  /// before it, for example because the local peer takes over the rhythm of a master that has disappeared. Equal to ``run``
  /// if the run does not continue another run. Ticks that were played in an earlier run of the series are not played again.
  public var firstRun: UInt32
  /// The first tick that the local peer plays.
  public var start: Tick
  /// The first tick after the end. `Tick(.max)` if no end is known.
  public var end: Tick
  /// The mapping from the master's clock to the local clock. The identity if the local peer is the master.
  public var clock: ClockMapping
  /// When each tick is due, in the master's clock.
  public var tempo: TempoMap
  /// The total activity, 0...127, which selects the layers.
  public var total: ChangingValue<UInt8>
  /// The levels of the parts of the rhythm.
  public var mix: ChangingValue<Mix>
  /// The rhythm.
  public var rhythm: ChangingValue<RhythmLine>
  /// The bars.
  public var grid: ChangingValue<BarGrid>
  /// The first tick of the bar in which the fill of the rhythm plays because the player of the master wants it: `TimelineMessage.fill`.
  public var fill: Tick
  /// What plays of a score.
  public var score: ChangingValue<ScoreLine>
  /// The clicks before ``start``.
  public var countIn = CountIn.none
  /// The first tick of the count-in that the local peer can play. `Tick(.max)` without a count-in.
  public var countInStart = Tick(.max)

  /// A schedule without ticks.
  public static let silence = PlaybackSchedule(
    run: 0, sends: false, start: Tick(0), end: Tick(0),
    tempo: TempoMap(Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: 0))))

  public init(
    run: UInt32, sends: Bool, start: Tick, end: Tick, tempo: TempoMap,
    clock: ClockMapping = .identity, total: ChangingValue<UInt8> = ChangingValue(0),
    mix: ChangingValue<Mix> = ChangingValue(.standard),
    rhythm: ChangingValue<RhythmLine> = ChangingValue(RhythmLine(nil)),
    grid: ChangingValue<BarGrid> = ChangingValue(BarGrid(.common)), fill: Tick = Tick(.max),
    score: ChangingValue<ScoreLine> = ChangingValue(.none)
  ) {
    self.total = total
    self.clock = clock
    self.run = run
    self.firstRun = run
    self.sends = sends
    self.start = start
    self.end = end
    self.tempo = tempo
    self.mix = mix
    self.rhythm = rhythm
    self.grid = grid
    self.fill = fill
    self.score = score
  }

  /// The first tick at which something can sound: ``countInStart`` if there is a count-in, otherwise ``start``.
  ///
  /// Real-time: safe.
  public var firstSound: Tick { @_noLocks @_noAllocation get { countInStart < start ? countInStart : start } }

  /// Whether a click of the count-in sounds at `tick`. No click sounds if the rhythm was stopped during the count-in.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func clicks(at tick: Tick) -> Bool {
    guard tick >= countInStart, tick < start, start < end else { return false }
    return (start - tick) % Int64(countIn.ticksPerClick) == 0
  }

  /// Whether the run with the number `earlier` is this run, or an earlier run of the same series (see ``firstRun``). The caller
  /// may have missed runs between `earlier` and this run. Run numbers may wrap around.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func continuesRun(from earlier: UInt32) -> Bool { run &- earlier <= run &- firstRun }

  /// The instant at which `tick` is due.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func deadline(_ tick: Tick) -> Instant {
    clock.local(at: tempo.deadline(tick))
  }

  /// The instant at which a position after `tick` is due.
  ///
  /// - Parameter position: the distance from `tick`, in thousandths of a tick; not negative.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func instant(_ tick: Tick, position: Int32) -> Instant {
    let (whole, rest) = Int64(position).quotientAndRemainder(dividingBy: 1000)
    let start = deadline(tick + whole)
    guard rest > 0 else { return start }
    return start + Nanoseconds((deadline(tick + (whole + 1)) - start).count * rest / 1000)
  }

  /// The last tick due at or before `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func tick(at instant: Instant) -> Tick {
    let tick = tick(atMaster: clock.remote(at: instant))
    // A conversion to the master's clock and back has an error of up to two nanoseconds. Therefore `tick` can be one too early or
    // one too late.
    if deadline(tick) > instant { return tick + -1 }
    return deadline(tick + 1) <= instant ? tick + 1 : tick
  }

  /// The last tick due at or before `instant`, which is in the master's clock.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func tick(atMaster instant: Instant) -> Tick { tempo.tick(at: instant) }

  /// The first tick due at or after `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func firstTick(notBefore instant: Instant) -> Tick {
    tick(at: Instant(nanoseconds: instant.nanoseconds &- 1)) + 1
  }

  /// The tick whose deadline is at most one millisecond before or after `instant`. Nil if there is no such tick, or if
  /// no run has begun. If `instant` is the deadline of a tick by the clock of another peer, the function finds this
  /// tick in spite of a small error of the clock offset.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func tick(near instant: Instant) -> Tick? {
    guard run != 0 else { return nil }
    let tick = tick(at: instant)
    let (before, after) = (instant - deadline(tick), deadline(tick + 1) - instant)
    if before <= after { return before <= .milliseconds(1) ? tick : nil }
    return after <= .milliseconds(1) ? tick + 1 : nil
  }

  /// Whether a receiver can begin at `tick`: at the start of the schedule, or at the first step of a bar. The bar line of a score can lie
  /// inside a step, but Song Position counts steps.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func begins(at tick: Tick) -> Bool {
    tick == start || tick.beginsStep != nil && tick - grid[tick].line(notAfter: tick) < Tick.perStep
  }

  /// The Song Position value for `tick`. The value has 14 bits, 0...16383: it is the number of the step of the rhythm, modulo the
  /// largest multiple of the pattern length that is at most 16384. A receiver with the same pattern therefore begins at the right step of
  /// the pattern.
  ///
  /// - Parameter length: the length of the pattern in steps, 1...16384.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func songPosition(of tick: Tick, patternLength length: Int64) -> UInt14 {
    // A score has no pattern, and its steps count from tick 0.
    let period = score[tick].playsRhythm ? 16384 / length * length : 16384
    let position = (score[tick].playsRhythm ? rhythm[tick].step(at: tick) : tick.step).index % period
    return UInt14(clamping: Int(position < 0 ? position + period : position))
  }

  /// Whether the player of the master wants the fill in the bar that contains `tick`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func wantsFill(at tick: Tick) -> Bool {
    tick >= fill && tick.index - fill.index < grid[tick].meter.ticksPerBar
  }

  /// The tempo at `tick`, by the master's clock.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func tempo(at tick: Tick) -> Tempo { tempo.timeline(at: tick).tempo }

  /// The tempo at the local time `instant`, by the master's clock.
  ///
  /// Real-time: not safe.
  public func tempo(at instant: Instant) -> Tempo { tempo(at: tick(at: instant)) }
}
