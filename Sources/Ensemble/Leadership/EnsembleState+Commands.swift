public import MusicalTime
import PeerProtocol
import Playback

// Commands of the local player.
extension EnsembleState {
  /// Starts the rhythm and becomes the master. The first click of `countIn` sounds ``lead`` from now. Step `position` follows after
  /// the count-in. The mix is that of the last rhythm, except that players who were made quiet can be heard again.
  ///
  /// - Throws: ``CommandError`` if a rhythm plays, or if another peer leads the session.
  public mutating func start(tempo: Tempo, from position: Step = Step(0), countIn: CountIn = .none, at now: Instant)
    throws(CommandError)
  {
    let first = Tick(of: position)
    let timeline = Timeline(tempo: tempo, tick: first + -countIn.ticks, at: now + lead)
    try start(on: timeline, from: first, bars: startGrid(at: first), countIn: countIn, at: now)
  }

  /// The bars of a rhythm that starts at `first` now. From tick 0, bars count from there. From a later tick, the bars of the last rhythm
  /// continue. If the player has chosen a rhythm with another meter since, its bars count from a bar line of the last rhythm.
  public func startGrid(at first: Tick) -> BarGrid {
    guard first != Tick(0), schedule.run != 0 else { return BarGrid(rhythm.meter) }
    let last = schedule.grid[schedule.end + -1]
    return last.meter == rhythm.meter ? last : BarGrid(rhythm.meter, from: last.line(notAfter: first))
  }

  /// The rhythm with which a rhythm with the bars `grid` starts at `first` now. If it is the last rhythm, its steps continue.
  private func startLine(at first: Tick, in grid: BarGrid) -> RhythmLine {
    let last = schedule.rhythm[schedule.end + -1]
    if first != Tick(0), schedule.run != 0, last.digest == rhythm.digest { return last }
    return RhythmLine(rhythm.digest, from: first == Tick(0) ? first : grid.line(notAfter: first))
  }

  /// Starts the rhythm on `timeline` at the tick `first`, which must be at least ``lead`` from now. Its bars are `grid`.
  mutating func start(
    on timeline: Timeline, from first: Tick, bars grid: BarGrid, countIn: CountIn = .none, at now: Instant
  ) throws(CommandError) {
    try requireIdle(at: now)
    var mix = latestMix
    mix.isQuiet = false
    // The first total counts all known levels, for example those from an earlier rhythm. From the next beat on, a peer counts only after
    // it has reported its level in this rhythm. All peers are therefore marked as absent.
    let total = computedTotal(at: now)
    roster.markAllAbsent()
    timelineMessage = TimelineMessage(
      claim: newClaim(at: now), revision: 0, start: first, end: Tick(.max),
      timeline: timeline, countIn: countIn, mix: ChangingValue(mix), total: ChangingValue(total),
      rhythm: ChangingValue(startLine(at: first, in: grid)), grid: ChangingValue(grid))
    var run = SoundingRun(timelineMessage!, number: nextRunNumber, sends: true)
    if countIn.clicks > 0 { run.countInStart = first + -countIn.ticks }
    let totals = TotalSchedule(decidedBeat: layerPosition(notAfter: first, in: timelineMessage!.grid))
    lead(Leader(totals: totals), playing: run, at: now)
    sendTotal(at: schedule.deadline(first))
  }

  /// Becomes the master of the rhythm in ``timelineMessage``, which the local peer plays in `run`.
  mutating func lead(_ leader: Leader, playing run: SoundingRun, at now: Instant) {
    var leader = leader
    leader.since = now
    transition(to: .leading(leader))
    announce(playing: run, at: now)
  }

  /// Starts the rhythm at the step at which it stopped.
  ///
  /// - Throws: ``CommandError`` if a rhythm plays, or if another peer leads the session.
  public mutating func `continue`(tempo: Tempo, at now: Instant) throws(CommandError) {
    try start(tempo: tempo, from: position, at: now)
  }

  /// Moves the step at which ``continue(tempo:at:)`` starts to the beginning of its bar, and then by a number of bars.
  ///
  /// - Throws: ``CommandError`` if a rhythm plays.
  public mutating func locate(bars: Int64) throws(CommandError) {
    let grid = startGrid(at: Tick(of: position))
    let tick = grid.line(notAfter: Tick(of: position)) + bars &* grid.meter.ticksPerBar
    try locate(tick.step)
  }

  /// Sets the step at which ``continue(tempo:at:)`` starts; a negative step counts as step 0.
  ///
  /// - Throws: ``CommandError`` if a rhythm plays.
  public mutating func locate(_ position: Step) throws(CommandError) {
    switch role {
    case .idle: self.position = max(position, Step(0))
    case .master: throw .alreadyPlaying
    case .follower(let master): throw .belongsTo(master)
    }
  }

  /// Ends the rhythm at the instant `end`, but no earlier than ``lead`` from now. Ticks that are due at or after this instant are not
  /// played. If an end was announced before, the new end can be earlier but not later, because a time-stamp receiver may
  /// already have received Stop.
  ///
  /// - Throws: ``CommandError`` unless the local peer is the master.
  public mutating func stop(at end: Instant? = nil, now: Instant) throws(CommandError) {
    try requireMaster()
    let soonest = now + lead
    let end = schedule.firstTick(notBefore: max(soonest, end ?? soonest))
    guard end < timelineMessage!.end else { return }
    timelineMessage!.end = max(end, timelineMessage!.start)
    announce(at: now)
  }

  /// Changes the tempo at the first tick that is at least ``lead`` from now. If a change is pending, the requested tempo waits until this
  /// change has applied, and a later request replaces it.
  ///
  /// - Throws: ``CommandError`` unless the local peer is the master.
  public mutating func change(tempo: Tempo, at now: Instant) throws(CommandError) {
    try requireMaster()
    leader?.requestedTempo = tempo
    leader?.ramp = nil
    settleTempo(at: now)
  }

  /// Changes the tempo gradually over `beats` quarter notes, with one change at the beginning of each. The first of these quarter notes
  /// is the first that begins at least ``lead`` from now. A later change of the tempo ends the gradual change.
  ///
  /// - Throws: ``CommandError`` unless the local peer is the master.
  public mutating func change(tempo: Tempo, over beats: Int, at now: Instant) throws(CommandError) {
    try requireMaster()
    leader?.requestedTempo = nil
    let ramp = TempoRamp(
      start: self.tempo(at: now), target: tempo, beats: Int64(max(1, beats)), first: nextBeat(at: now))
    leader?.ramp = ramp
    settleTempo(at: now)
  }

  /// The first quarter note of the rhythm that begins at least ``lead`` from now.
  private func nextBeat(at now: Instant) -> Tick {
    let tick = max(timelineMessage!.start, timelineMessage!.timeline.firstTick(notBefore: now + lead))
    return (tick + (Tick.perQuarter - 1)).roundedDown(to: Tick.perQuarter)
  }

  /// The tempo that was requested or announced last and does not apply yet; otherwise the tempo that plays.
  public func tempo(at now: Instant) -> Tempo {
    leader?.requestedTempo ?? timelineMessage?.change?.tempo ?? schedule.tempo(at: now)
  }

  /// The tempo at the end of the rhythm that the local peer plays, or played last.
  public var lastTempo: Tempo { schedule.tempo(at: schedule.end + -1) }

  /// If the tick of the pending tempo change has passed, makes this tick the origin of the timeline. Then, if no change is
  /// pending, announces the requested tempo or the next part of the gradual change, if there is one.
  mutating func settleTempo(at now: Instant) {
    if let change = timelineMessage!.change, now >= timelineMessage!.deadline(change.tick) {
      timelineMessage!.timeline = timelineMessage!.timeline.changing(to: change.tempo, at: change.tick)
      timelineMessage!.change = nil
    }
    guard timelineMessage!.change == nil else { return }
    guard let tempo = leader?.requestedTempo else { return advanceRamp(at: now) }
    leader?.requestedTempo = nil
    change(
      tempo: tempo, from: max(timelineMessage!.start, timelineMessage!.timeline.firstTick(notBefore: now + lead)),
      at: now)
  }

  /// Announces the next part of the gradual change of the tempo, if there is one.
  private mutating func advanceRamp(at now: Instant) {
    guard let ramp = leader?.ramp else { return }
    var tick = nextBeat(at: now)
    // A part that changes the tempo by less than a nanosecond per quarter note is skipped.
    while ramp.tempo(from: tick) == timelineMessage!.timeline.tempo, ramp.tempo(from: tick) != ramp.target {
      tick = tick + Tick.perQuarter
    }
    let tempo = ramp.tempo(from: tick)
    if tempo == ramp.target { leader?.ramp = nil }
    change(tempo: tempo, from: tick, at: now)
  }

  /// Announces a tempo change that applies from `tick`.
  mutating func change(tempo: Tempo, from tick: Tick, at now: Instant) {
    guard tempo != timelineMessage!.timeline.tempo else { return }
    timelineMessage!.change = TempoChange(tempo: tempo, tick: tick)
    announce(at: now)
  }

  /// Sends a new revision of the timeline message to all peers and plays by it.
  ///
  /// - Parameter run: the run to continue; nil: the present one.
  mutating func announce(playing run: SoundingRun? = nil, at now: Instant) {
    timelineMessage!.revision &+= 1
    emit(.send(.timeline(timelineMessage!), to: nil, isNews: true))
    let repeats = repeats(after: now)
    leader?.repeats = repeats
    var run = run ?? self.run!
    run.message = timelineMessage!
    play(run)
  }

  /// The instants at which a change that is sent at `now` is sent again.
  ///
  /// Two repeats follow within a quarter of the lead time, so that even the third message arrives before the affected steps are
  /// passed to the audio output. On a network that loses one packet in five, in bursts, some peers miss all three messages.
  /// Therefore five more repeats follow until half a lead time after the change applies. A peer that receives the change only
  /// then is still within a step of the right position. Four more repeats follow within the first second.
  func repeats(after now: Instant) -> Repeats {
    let eighthsOfLead: [Int64] = [1, 2, 4, 6, 8, 10, 12]
    let duringLead: [Instant] = eighthsOfLead.map { now + Nanoseconds(lead.count * $0 / 8) }
    let withinSecond: [Instant] = (1...4).map { now + .milliseconds(250 * $0) }
    return Repeats(at: (duringLead + withinSecond).sorted())
  }

  /// Checks that the local peer may start a rhythm.
  ///
  /// - Throws: ``CommandError`` if a rhythm plays, or if another peer leads the session.
  func requireIdle(at now: Instant) throws(CommandError) {
    switch role {
    case .master: throw .alreadyPlaying
    case .follower(let master): throw .belongsTo(master)
    case .idle: break
    }
    if let sessionLeader { throw .ledBy(sessionLeader) }
    // The local peer can be idle while others play, because its rhythm gate is closed. A start of the local peer would take the
    // rhythm from them. A rhythm whose end is not known still plays if its master is present and reports its claim.
    guard let timelineMessage, timelineMessage.end == Tick(.max),
      let slot = roster.slot(of: timelineMessage.claim.identity)
    else {
      return
    }
    if roster[slot].isPresent(at: now), roster[slot].membership?.presence?.claim == timelineMessage.claim {
      throw .belongsTo(timelineMessage.claim.identity)
    }
  }

  /// - Throws: ``CommandError`` unless the local peer is the master.
  func requireMaster() throws(CommandError) {
    switch role {
    case .idle: throw .nothingPlays
    case .follower(let master): throw .belongsTo(master)
    case .master: break
    }
  }
}
