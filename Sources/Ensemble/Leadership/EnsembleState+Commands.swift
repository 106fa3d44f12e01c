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
    let score = scoreStart(at: position)
    let first = score?.first ?? Tick(of: position)
    var led = LedScore()
    led.present = score.flatMap { plan($0.line) }
    let tempo = led.present?.tempo(at: first).map { scaled($0) } ?? tempo
    let timeline = Timeline(tempo: tempo, tick: first + -countIn.ticks, at: now + lead)
    let bar = led.present.flatMap { plan in plan.bar(at: first).map { BarGrid(plan.meter(of: $0), from: $0.tick) } }
    try start(on: timeline, from: first, bars: bar ?? startGrid(at: first), score: led, countIn: countIn, at: now)
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

  /// Starts the rhythm on `timeline` at the tick `first`. Peers that learn of it later enter at their next step. Its bars are `grid`.
  ///
  /// - Parameter score: the score that plays, if its plan exists.
  /// - Parameter replaces: whether the rhythm that the local peer leads is replaced.
  mutating func start(
    on timeline: Timeline, from first: Tick, bars grid: BarGrid, score: LedScore = LedScore(),
    countIn: CountIn = .none, replacing replaces: Bool = false, at now: Instant
  ) throws(CommandError) {
    if replaces { try requireMaster() } else { try requireIdle(at: now) }
    var mix = latestMix
    mix.isQuiet = false
    // The first total counts all known levels, for example those from an earlier rhythm. From the next beat on, a peer counts only after
    // it has reported its level in this rhythm. All peers are therefore marked as absent.
    let (rule, total) = (totalActivityRule, computedTotal(at: now))
    roster.markAllAbsent()
    timelineMessage = TimelineMessage(
      claim: newClaim(at: now), revision: 0, start: first, end: Tick(.max),
      tempo: TempoMap(timeline), countIn: countIn, mix: ChangingValue(mix), total: ChangingValue(total),
      totalRule: rule, rhythm: ChangingValue(startLine(at: first, in: grid)), grid: ChangingValue(grid),
      score: ChangingValue(score.present?.line ?? .none), tempoFactor: shelf.tempoFactor)
    var run = SoundingRun(timelineMessage!, number: nextRunNumber, sends: true)
    if countIn.clicks > 0 { run.countInStart = first + -countIn.ticks }
    let totals = TotalSchedule(decidedBeat: layerPosition(notAfter: first, in: timelineMessage!.grid))
    lead(Leader(score: score, totals: totals), playing: run, at: now)
    settleScore(at: now)
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
  /// - Parameter end: nil: the end of the step that plays ``lead`` from now. Song Position counts steps. After an end within a step, receivers that
  ///   count ticks would continue at another position than those that use Song Position.
  /// - Throws: ``CommandError`` unless the local peer is the master.
  public mutating func stop(at end: Instant? = nil, now: Instant) throws(CommandError) {
    try requireMaster()
    let soonest = now + lead
    let tick = schedule.firstTick(notBefore: max(soonest, end ?? soonest))
    announceEnd(before: end == nil ? tick.roundedUpToStep : tick, at: now)
  }

  /// Ends the rhythm at once, because the external clock by which it plays has stopped. Steps that have been passed to the audio output and
  /// have not begun to sound are withdrawn. The other peers stop as soon as they learn of it.
  ///
  /// - Throws: ``CommandError`` unless the local peer is the master.
  mutating func stopAtOnce(now: Instant) throws(CommandError) {
    try requireMaster()
    announceEnd(before: schedule.firstTick(notBefore: now), at: now)
  }

  /// Announces that `end` is the first tick that is not played.
  private mutating func announceEnd(before end: Tick, at now: Instant) {
    guard end < timelineMessage!.end else { return }
    timelineMessage!.end = max(end, timelineMessage!.start)
    announce(at: now)
  }

  /// Changes the tempo at the first tick that is at least ``lead`` from now. A change that is announced for a later tick is withdrawn.
  ///
  /// - Throws: ``CommandError`` unless the local peer is the master.
  public mutating func change(tempo: Tempo, at now: Instant) throws(CommandError) {
    try requireMaster()
    leader?.ramp = nil
    settleTempo(at: now)
    if leader?.score.setsTempo == true,
      let written = leader?.score.present?.tempo(at: schedule.firstTick(notBefore: now + lead))
    {
      let factor = UInt32(clamping: written.nanosecondsPerQuarter * 1_000_000 / tempo.nanosecondsPerQuarter)
      return try change(tempoFactor: factor, at: now)
    }
    change(tempo: tempo, from: max(timelineMessage!.start, soonestTick(at: now)), at: now)
  }

  /// Changes the tempo of the score to a number of millionths of the written tempo, at the first tick that is at least ``lead`` from now. While
  /// nobody plays, the next start has this tempo.
  ///
  /// - Parameter tempoFactor: the nearest of ``TimelineMessage/tempoFactors`` is used.
  /// - Throws: ``CommandError`` if another peer is the master, or if no score is chosen.
  public mutating func change(tempoFactor: UInt32, at now: Instant) throws(CommandError) {
    let factors = TimelineMessage.tempoFactors
    let factor = min(max(tempoFactor, factors.lowerBound), factors.upperBound)
    guard role != .idle else {
      guard shelf.chosen != nil else { throw .noScore }
      shelf.tempoFactor = factor
      return
    }
    try requireMaster()
    guard leader?.score.present != nil else { throw .noScore }
    announce(tempoFactor: factor, at: now)
  }

  /// Changes the tempo gradually over `beats` quarter notes, with one change at the beginning of each. The first of these quarter notes
  /// is the first that begins at least ``lead`` from now. A later change of the tempo ends the gradual change.
  ///
  /// - Throws: ``CommandError`` unless the local peer is the master.
  public mutating func change(tempo: Tempo, over beats: Int, at now: Instant) throws(CommandError) {
    try requireMaster()
    settleTempo(at: now)
    let first = nextBeat(notBefore: max(timelineMessage!.start, soonestTick(at: now)))
    timelineMessage!.tempo.removeChanges(from: first)
    let start = timelineMessage!.tempo.last
    leader?.ramp = TempoRamp(start: start, target: tempo, beats: Int64(max(1, beats)), first: first)
    announceRamp(at: now)
  }

  /// The first tick that is due at least ``lead`` from now.
  private func soonestTick(at now: Instant) -> Tick {
    timelineMessage!.tempo.tick(at: now + lead + Nanoseconds(-1)) + 1
  }

  /// The first quarter note of the rhythm at or after `tick`.
  private func nextBeat(notBefore tick: Tick) -> Tick {
    (tick + (Tick.perQuarter - 1)).roundedDown(to: Tick.perQuarter)
  }

  /// The tempo that the player has requested last as the master. For a follower, and while the tempo changes gradually, the next tempo that is
  /// announced, or the present one.
  public func tempo(at now: Instant) -> Tempo {
    if let leader, leader.ramp == nil { return timelineMessage!.tempo.last }
    let present = schedule.tick(at: now)
    let next = schedule.tempo.change(after: present)
    return schedule.tempo(at: next == Tick(.max) ? present : next)
  }

  /// If the ticks of tempo changes have passed, makes the tempo of the last of them the present one. Then announces the next parts of the
  /// gradual change, if there is one.
  mutating func settleTempo(at now: Instant) {
    timelineMessage!.tempo.settle(at: timelineMessage!.tempo.tick(at: now))
    announceRamp(at: now)
  }

  /// Announces the next parts of the gradual change of the tempo, if there is one, as many as there is room for.
  private mutating func announceRamp(at now: Instant) {
    // The score has its own tempo changes.
    guard let ramp = leader?.ramp, leader?.score.present == nil else { return }
    var map = timelineMessage!.tempo
    var tick = nextBeat(notBefore: max(timelineMessage!.start, soonestTick(at: now)))
    if let last = map.changes.last { tick = max(tick, last.tick + Tick.perQuarter) }
    while map.changeCount < TempoMap.maximumChanges, leader?.ramp != nil {
      let tempo = ramp.tempo(from: tick)
      // A part that changes the tempo by less than a nanosecond per quarter note is skipped.
      if tempo != map.last { _ = map.append(TempoChange(tempo: tempo, tick: tick)) }
      if tempo == ramp.target { leader?.ramp = nil }
      tick = tick + Tick.perQuarter
    }
    guard map != timelineMessage!.tempo else { return }
    timelineMessage!.tempo = map
    announce(at: now)
  }

  /// Announces a tempo change that applies from `tick`, in place of the changes at this tick and later.
  mutating func change(tempo: Tempo, from tick: Tick, at now: Instant) {
    var map = timelineMessage!.tempo
    map.removeChanges(from: tick)
    if tempo != map.last { _ = map.append(TempoChange(tempo: tempo, tick: tick)) }
    guard map != timelineMessage!.tempo else { return }
    timelineMessage!.tempo = map
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
    if let leader = sessionLeader(at: now) { throw .ledBy(leader) }
    // The local peer can be idle while others play, for example because it cannot hear their master, or because its rhythm gate is closed. A
    // start of the local peer would take the rhythm from them.
    for member in roster.members where roster[member.slot].isPresent(at: now) {
      guard let claim = roster[member.slot].membership?.presence?.claim, claim.identity != identity else { continue }
      if claim == timelineMessage?.claim {
        // The rhythm still plays if its end is not known and its master reports its claim.
        if timelineMessage?.end == Tick(.max), member.identity == claim.identity { throw .belongsTo(claim.identity) }
      } else if admits(claim), claim.isKept || admits(.rhythm, from: member.identity) {
        throw .belongsTo(claim.identity)
      }
    }
  }

  /// - Throws: ``CommandError`` unless the local peer is the master, or if it only keeps the rhythm of a lost leader.
  func requireMaster() throws(CommandError) {
    if let keptFor { throw .ledBy(keptFor) }
    switch role {
    case .idle: throw .nothingPlays
    case .follower(let master): throw .belongsTo(master)
    case .master: break
    }
  }
}
