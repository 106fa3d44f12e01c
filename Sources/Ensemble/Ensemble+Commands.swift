public import MusicalTime
import PeerProtocol
import Playback

// What the peer's own player asks for.
extension Ensemble {
  /// Starts the rhythm and becomes master: step `position` sounds ``lead`` from now.
  ///
  /// - Throws: ``CommandError`` when somebody plays, or another leads the session.
  public mutating func start(tempo: Tempo, from position: Step = Step(0), at now: Instant) throws(CommandError) {
    let first = Tick(of: position)
    try start(on: Timeline(tempo: tempo, tick: first, at: now + lead), from: first, at: now)
  }

  /// Starts the rhythm on `timeline`, which has `first` at least ``lead`` from now.
  mutating func start(on timeline: Timeline, from first: Tick, at now: Instant) throws(CommandError) {
    try requireIdle(at: now)
    highestTerm = highestTerm == .max ? .max : highestTerm + 1
    timelineMessage = TimelineMessage(
      claim: Claim(term: highestTerm, identity: identity), revision: 0, start: first, end: Tick(.max),
      timeline: timeline)
    schedule.run &+= 1
    (schedule.start, schedule.began) = (first, schedule.run)
    begin(at: now)
  }

  /// Leads the rhythm of the own timeline message, by a schedule whose run and first tick are settled.
  mutating func begin(at now: Instant) {
    planned = true
    take(role: .master)
    announce(at: now)
  }

  /// Starts the rhythm where it stopped.
  ///
  /// - Throws: ``CommandError`` when somebody plays, or another leads the session.
  public mutating func `continue`(tempo: Tempo, at now: Instant) throws(CommandError) {
    try start(tempo: tempo, from: position, at: now)
  }

  /// Sets where ``continue`` goes on; not before the downbeat.
  ///
  /// - Throws: ``CommandError`` when somebody plays.
  public mutating func locate(_ position: Step) throws(CommandError) {
    switch role {
    case .idle: self.position = max(position, Step(0))
    case .master: throw .alreadyPlaying
    case .follower(let master): throw .belongsTo(master)
    }
  }

  /// Ends the rhythm: the first tick due at or after `end`, and ``lead`` from now at the soonest, is not played any
  /// more. An end told before is brought forward, never put off: those who go by time stamps may have been told to stop
  /// there.
  ///
  /// - Throws: ``CommandError`` unless this peer is the master.
  public mutating func stop(at end: Instant? = nil, now: Instant) throws(CommandError) {
    try requireMaster()
    let soonest = now + lead
    let end = schedule.firstTick(notBefore: max(soonest, end ?? soonest))
    guard end < timelineMessage!.end else { return }
    timelineMessage!.end = max(end, timelineMessage!.start)
    announce(at: now)
  }

  /// Changes the tempo at the first tick ``lead`` from now. While a change is on its way the newest wish waits for it.
  ///
  /// - Throws: ``CommandError`` unless this peer is the master.
  public mutating func change(tempo: Tempo, at now: Instant) throws(CommandError) {
    try requireMaster()
    wanted = tempo
    settleTempo(at: now)
  }

  /// The tempo that plays, or that was asked for last.
  public func tempo(at now: Instant) -> Tempo { wanted ?? timelineMessage?.change?.tempo ?? schedule.tempo(at: now) }

  /// Makes a change that has come about the rule, and the one waiting for it the next change.
  mutating func settleTempo(at now: Instant) {
    if let change = timelineMessage!.change, now >= timelineMessage!.deadline(change.tick) {
      timelineMessage!.timeline = timelineMessage!.timeline.changing(to: change.tempo, at: change.tick)
      timelineMessage!.change = nil
    }
    guard timelineMessage!.change == nil, let tempo = wanted else { return }
    wanted = nil
    change(
      tempo: tempo, from: max(timelineMessage!.start, timelineMessage!.timeline.firstTick(notBefore: now + lead)),
      at: now)
  }

  /// Tells of a change of tempo that counts from `tick`.
  mutating func change(tempo: Tempo, from tick: Tick, at now: Instant) {
    guard tempo != timelineMessage!.timeline.tempo else { return }
    timelineMessage!.change = TempoChange(tempo: tempo, tick: tick)
    announce(at: now)
  }

  /// Tells everybody the timeline message as it is now, and plays by it.
  private mutating func announce(at now: Instant) {
    timelineMessage!.revision &+= 1
    let timelineMessage = timelineMessage!
    emit(.tell(timelineMessage, to: nil, isNews: true))
    repeats = tellings(after: now)
    let present = schedule
    schedule = PlaybackSchedule(
      run: present.run, sends: true, start: present.start, end: timelineMessage.end, timeline: timelineMessage.timeline,
      change: timelineMessage.change, intensity: present.intensity)
    schedule.began = present.began
    emit(.play(schedule))
  }

  /// When that is told again which was told at `now`, as messages get lost: twice soon, so that the third telling too comes
  /// before the steps it is about are with the sound. Where one packet in five is lost, and losses come together, some hear
  /// none of the three: five more up to half a lead after it counts, while what they play is still within a step of what they
  /// should, and four in the second after it was made.
  func tellings(after now: Instant) -> [Instant] {
    let soon = [1, 2, 4, 6, 8, 10, 12].map { now + Nanoseconds(lead.count * $0 / 8) }
    return (soon + (1...4).map { now + .milliseconds(250 * $0) }).sorted()
  }

  /// - Throws: ``CommandError`` when somebody plays, or another leads the session.
  func requireIdle(at now: Instant) throws(CommandError) {
    switch role {
    case .master: throw .alreadyPlaying
    case .follower(let master): throw .belongsTo(master)
    case .idle: break
    }
    if let leader { throw .ledBy(leader) }
    // Whoever has closed its gate to a rhythm does not take it away from the others by starting over it.
    guard let timelineMessage, timelineMessage.end == Tick(.max),
      let master = acquaintances[timelineMessage.claim.identity]
    else {
      return
    }
    if master.isThere(at: now), master.presence?.claim == timelineMessage.claim {
      throw .belongsTo(timelineMessage.claim.identity)
    }
  }

  func requireMaster() throws(CommandError) {
    switch role {
    case .idle: throw .nothingPlays
    case .follower(let master): throw .belongsTo(master)
    case .master: break
    }
  }
}
