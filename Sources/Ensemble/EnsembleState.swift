public import ClockSync
public import MIDI
public import MusicalTime
public import PeerProtocol
public import Playback

/// The state of an ensemble as one peer sees it: roles, claims, the rhythm and the remote peers.
///
/// Commands, messages, clock measurements and instants go in, outputs come out. The type performs no I/O and reads no clock.
///
///     idle ── start ───────────────────────────▶ master ── the end passes ──▶ idle
///     idle ── claim of another peer ───────────▶ follower ── the end passes; master lost without a successor ──▶ idle
///     follower ── accepts an offer; is next in the order of succession ──▶ master
///     master, follower ── a claim that outranks the current one ──▶ follower
///
/// <doc:Succession> contains the complete rules.
///
/// All instants are local time, except inside ``TimelineMessage``.
///
/// Real-time: not safe.
public struct EnsembleState: Sendable {
  /// An action that the caller must perform. Peers are addressed by identity.
  public enum Output: Hashable, Sendable {
    /// Send a message to a peer, or to all Tutti peers (nil).
    ///
    /// `isNews` is true if the content is new to the receiver. The message is then part of the recovery journal, which repairs its
    /// loss. A repetition is not part of the journal, because another repetition follows. The parts of a document are not part of it,
    /// because they are large: a peer requests missing parts again.
    case send(PeerMessage, to: Identity?, isNews: Bool)
    /// Send a message of channel 1 that applies at an instant of local time, to a peer or to all Tutti peers (nil).
    case message(Message, at: Instant, to: Identity?)
    /// Play by this schedule from now on.
    case play(PlaybackSchedule)
    /// Connect to a peer that other peers report as the master, if the address of this peer is known.
    case connect(to: Identity)
    /// Inform the user.
    case event(Event)
  }

  /// The default of ``soundLead``. A slow audio output needs a greater value (``raiseSoundLead(to:)``).
  public static var standardSoundLead: Nanoseconds { .milliseconds(50) }
  /// How long followers continue without a master if no peer takes over.
  public static var coasting: Nanoseconds { .seconds(2) }

  /// The identity of the local peer.
  public let identity: Identity
  /// The lead time: how far in advance a change is announced.
  public internal(set) var lead: Nanoseconds
  /// The value of ``lead`` that was given to the initializer.
  let minimumLead: Nanoseconds
  /// How long before its deadline a step is passed to the audio output. A step that is closer to its deadline can no longer be changed.
  public internal(set) var soundLead: Nanoseconds
  /// The web page of the local peer, as the presence reports it.
  public var page = PageReport()
  /// The time from the sending of a change to its sound on the slowest web page of a member (``Roster/pageDelay``), calculated when the
  /// local peer last sent its presence to all members; zero if no member reported a delay.
  var remotePageDelay = Nanoseconds.zero
  /// What happens to the rhythm when its master disappears, and when the local peer leaves as the master.
  public var masterLoss = MasterLoss.continue
  /// The permissions of remote peers at the local peer.
  public var gates = Gates()
  /// The role of the local peer and the data that exists in this role only. ``transition(to:)`` assigns it.
  private(set) var leadership = Leadership.idle(Leadership.Idle())
  /// The run of ticks that the local peer plays, or played last; nil before the first rhythm.
  @Boxed private(set) var run: SoundingRun?
  /// The schedule of ``run``.
  public private(set) var schedule = PlaybackSchedule.silence
  /// The step at which ``continue(tempo:at:)`` starts: the step at which the last rhythm ended, or the one set by ``locate(_:)``.
  public internal(set) var position = Step(0)
  /// The last run that ended while the local peer knew it, or a later one that an idle member knows. The next rhythm begins with its tempo
  /// and its rhythm, unless the player has chosen others since.
  public private(set) var lastRun: LastRun?
  /// The number of messages that were dropped, because their sender may not send them or their content cannot be played.
  public internal(set) var rejected = 0

  /// The timeline message of the current rhythm, or of the last one. An idle peer keeps the message, so that it can send the message to
  /// peers that have missed the end of the rhythm. While the local peer follows a master and ``isScheduled`` is false, ``run`` still
  /// contains the previous rhythm.
  @Boxed var timelineMessage: TimelineMessage?
  /// The term of the last claim of the local peer, or the highest term that the engine had reserved before a restart. The engine
  /// reserves terms by storing a bound on the disk, because a peer must not use a term twice, even after a restart. Terms of other
  /// peers are not stored. Otherwise, any peer could raise the stored term.
  public internal(set) var ownTerm: UInt64
  /// The remote peers.
  public internal(set) var roster = Roster()
  /// The master that left last; nil after the clock of this master was measured again. The row of this master stays in the roster,
  /// because the row contains the estimate of the master's clock.
  var departedMaster: Identity?
  /// The players of the local peer.
  var players: LocalPlayers
  /// The part in the moderate total, and the rule of the total.
  var localActivity = Activity()
  /// The lists of players that are being received, by peer.
  var listReceptions: [Identity: DocumentReception] = [:]
  /// When the signs of the local peer's players are compared with those of the others.
  var signsDue = Instant.distantFuture
  /// When the local peer sends the energies of its players.
  var energySchedule = EnergySchedule()
  /// The MIDI channel of the local peer.
  var channels = ChannelClaims()
  /// What members report about others.
  var introductions = Introductions()
  /// Whether the group has a passkey, so that every message comes from a member of the group.
  var hasPasskey = false
  /// When the local peer sends its presence.
  var presence = PresenceSchedule()
  /// The rhythm that the local peer plays, or would start with: the choice of the player, or the rhythm of the last master. While the local
  /// peer is the master, the rhythm that its player has selected last.
  public internal(set) var rhythm = RhythmChoice()
  /// Whether the local peer plays the rhythms of its masters instead of its own.
  public var followsPatch = true
  /// The rhythms of the ensemble.
  var documents = Documents()
  /// The scores.
  var shelf = ScoreShelf()
  /// The last claim that a peer has reported while the master of this claim was not in session.
  var missingMaster: Claim?
  /// The end of the last suspension of the machine. A rhythm that was sounding has paused for the length of the suspension and
  /// may be out of step. The value becomes nil when the local peer is in step with a master again.
  var suspensionEnd: Instant?
  /// The number of jumps of the position from one rhythm to another, plus the jumps of the slewed clocks by which the local peer
  /// followed earlier masters. ``clockJumps`` adds the jumps of the present slewed clock.
  var jumps = 0
  private var outputs: [Output] = []

  /// - Parameters:
  ///   - ownTerm: the highest term that was reserved when this peer last ran; 0 for a new peer.
  ///   - lead: the initial value of ``lead``, and its lower limit.
  ///   - soundLead: at least 20 ms less than `lead`, so that a change that is sent three times within the lead time arrives
  ///     before its step is passed to the audio output.
  ///   - activity: the activity that the player has set at the start, 0...127; nil: none (``moderateTotal``).
  ///   - name: the name of the local player.
  public init(
    identity: Identity, name: String = "peer", ownTerm: UInt64 = 0, lead: Nanoseconds = .milliseconds(100),
    soundLead: Nanoseconds = EnsembleState.standardSoundLead, activity: UInt8? = nil
  ) {
    self.identity = identity
    self.ownTerm = ownTerm
    self.lead = lead
    minimumLead = lead
    self.soundLead = soundLead
    players = LocalPlayers(
      local: Player(identity: identity, kind: .local, name: name, sign: Sign(0)), base: activity)
    roster.localName = name
    updateShare()
  }

  /// Discards the measurements of all remote clocks, because the machine was suspended until `now` and the local clock stood
  /// still meanwhile.
  mutating func endSuspension(at now: Instant) {
    roster.discardClocks()
    suspensionEnd = now
  }

  /// Returns all outputs since the last call, oldest first.
  public mutating func takeOutputs() -> [Output] {
    var taken: [Output] = []
    swap(&taken, &outputs)
    return taken
  }

  /// Appends an output for the next call of ``takeOutputs()``.
  mutating func emit(_ output: Output) { outputs.append(output) }

  // MARK: Leadership

  /// The role of the local peer.
  public var role: Role { leadership.role }

  /// The data of the local peer as the master; nil in other roles.
  var leader: Leader? {
    get { leadership.leader }
    set { leadership.leader = newValue }
  }

  /// The data of the local peer as a follower; nil in other roles.
  var follower: Follower? {
    get { leadership.follower }
    set { leadership.follower = newValue }
  }

  /// The data of the local peer while it is idle; nil in other roles.
  var idle: Leadership.Idle? {
    get { leadership.idle }
    set { leadership.idle = newValue }
  }

  /// Changes the role, or begins to follow another claim. All data of the former role is discarded.
  mutating func transition(to next: Leadership) {
    if case .following(let follower) = leadership { jumps += follower.playing?.clock.jumps ?? 0 }
    let isNewRole = next.role != role
    leadership = next
    if isNewRole { emit(.event(.role(next.role))) }
  }

  /// Whether ``schedule`` contains the rhythm of ``timelineMessage``. False for a follower until it knows the master's clock and
  /// has entered the rhythm.
  var isScheduled: Bool {
    switch leadership {
    case .idle: false
    case .leading: true
    case .following(let follower): follower.playing != nil
    }
  }

  /// When the newest timeline message is sent again.
  private var nextRepeat: Instant {
    switch leadership {
    case .idle(let idle): idle.repeats.nextDeadline
    case .leading(let leader): leader.repeats.nextDeadline
    case .following: .distantFuture
    }
  }

  /// Plays a run, or a new state of the present run, from now on.
  mutating func play(_ run: SoundingRun) {
    self.run = run
    let next = run.schedule
    guard next != schedule else { return }
    schedule = next
    emit(.play(next))
  }

  /// The number of the next run.
  var nextRunNumber: UInt32 { schedule.run &+ 1 }

  /// Ends the rhythm and keeps its position for ``continue(tempo:at:)``.
  ///
  /// - Parameter repeats: the instants at which the timeline message with the end is sent again.
  mutating func finish(repeats: Repeats = Repeats()) {
    position = max(schedule.end, schedule.start).step
    if let term = timelineMessage?.claim.term {
      lastRun = LastRun(term: term, tempo: schedule.tempo(at: schedule.end + -1), rhythm: schedule.rhythm.next.digest)
    }
    // The score belongs to the band, like the tempo and the rhythm.
    if let line = timelineMessage?.score.next, line.digest != nil, line.digest != shelf.chosen, followsPatch {
      (shelf.chosen, shelf.playsRhythm, shelf.start) = (line.digest, line.playsRhythm, nil)
    }
    if let message = timelineMessage { shelf.tempoFactor = message.tempoFactor }
    transition(to: .idle(Leadership.Idle(repeats: repeats)))
  }

  /// Handles the last run that an idle member knows. A later run replaces ``lastRun``.
  mutating func heard(_ run: LastRun, from sender: Identity) {
    guard role == .idle, run.term > lastRun?.term ?? 0, admits(.rhythm, from: sender) else { return }
    lastRun = run
    emit(.event(.lastRun(run)))
  }

  // MARK: Clocks

  /// The number of implausible time stamps of remote peers.
  public var stampsRejected: Int { roster.stampsRejected }
  /// The number of times that the clock of a remote peer was found to have been stepped.
  public var clockResets: Int { roster.clockResets }
  /// The number of times that the position jumped during playback, because it was wrong by more than a step.
  public var clockJumps: Int { jumps + (follower?.playing?.clock.jumps ?? 0) }

  /// The estimate of the master's clock by which the local peer plays; nil if it follows no master, or if there is no estimate yet.
  public func masterClock(at now: Instant) -> ClockEstimate? {
    guard let follower, let slot = roster.slot(of: follower.master),
      var estimate = anyEstimate(slot, at: now)
    else { return nil }
    if let mapping = follower.playing?.clock.mapping { estimate.offset = mapping.remote(at: now) - now }
    return estimate
  }

  /// The upper limit of ``noteDelay``. At a more distant peer, notes sound late. Without the limit, one distant peer would delay
  /// the notes at all peers.
  public static var maximumNoteDelay: Nanoseconds { .milliseconds(200) }

  /// The time that a note needs to reach all peers that admit notes of the local player. It is the 99th percentile of the packet
  /// delay to the most distant of these peers, rounded up to whole milliseconds, at most ``maximumNoteDelay``; zero if there is no
  /// such peer. Notes of an instrument or a phrase are sent at least this much earlier, so that they sound in time at these peers.
  public var noteDelay: Nanoseconds {
    var longest = Nanoseconds.zero
    for member in roster.members where roster.admitsNotes(member.slot) {
      if let delay = roster.delay(to: member.slot), delay > longest { longest = delay }
    }
    return min(.milliseconds((longest.count + 999_999) / 1_000_000), Self.maximumNoteDelay)
  }

  // MARK: Time

  /// Returns ``nextDeadline``. The function is mutating, because ``PeerCore`` would copy the whole struct to read the property.
  mutating func findDeadline() -> Instant { nextDeadline }

  /// The instant at which ``advance(to:)`` must be called next; the distant future if nothing is scheduled.
  public var nextDeadline: Instant {
    var next = min(nextRepeat, activityDeadline, presenceDeadline, documentDeadline, playersDeadline)
    next = min(next, introductionDeadline)
    if timelineMessage == nil { return next }
    switch leadership {
    case .idle: return next
    case .leading(let leader):
      if let offer = leader.offer { next = min(next, offer.repeats.nextDeadline) }
      if let change = timelineMessage?.tempo.changes.first { next = min(next, timelineMessage!.deadline(change.tick)) }
      if let mix = timelineMessage?.mix, mix.isChanging { next = min(next, timelineMessage!.deadline(mix.tick)) }
      next = min(next, rhythmDeadline, fillDeadline, scoreDeadline)
    case .following(let follower):
      next = min(next, nextSuccession)
      if let joinDue = follower.joinDue { next = min(next, joinDue) }
      if let end = follower.leadRequestEnd { next = min(next, end) }
    }
    if isScheduled, schedule.end != Tick(.max) { next = min(next, schedule.deadline(schedule.end)) }
    return next
  }

  /// Does everything that is due at `now`.
  public mutating func advance(to now: Instant) {
    // The presence and the total come last: they must contain the outcome of all other steps.
    defer {
      advanceActivity(to: now)
      advancePlayers(to: now)
      advanceDocuments(to: now)
      advanceIntroductions(to: now)
      advancePresence(to: now)
    }
    repeatTimelineMessage(at: now)
    guard role != .idle else { return }
    repeatOffer(at: now)
    endLeadRequest(at: now)
    checkSuccession(at: now)
    if let due = follower?.joinDue, now >= due {
      follower?.joinDue = nil
      follow(at: now)
    }
    if isScheduled, schedule.end != Tick(.max), now >= schedule.deadline(schedule.end) {
      // No peer may miss the end, so the master sends the message with the end eight more times, for two seconds.
      return finish(repeats: role == .master ? Repeats(at: (1...8).map { now + .milliseconds(250 * $0) }) : Repeats())
    }
    if role == .master {
      settleTempo(at: now)
      settleMix(at: now)
      settleRhythm(at: now)
      settleFill(at: now)
      settleScore(at: now)
    }
  }

  /// Sends the timeline message to all Tutti peers again if a repeat is due. A master sends it at least once in four quarter notes.
  private mutating func repeatTimelineMessage(at now: Instant) {
    guard now >= nextRepeat, let timelineMessage else { return }
    emit(.send(.timeline(timelineMessage), to: nil, isNews: false))
    if role == .master {
      _ = leader?.repeats.take(at: now)
      if leader?.repeats.isEmpty == true {
        // A bar of 4/4, whatever the meter of the patch is.
        let bar = Nanoseconds(4 * schedule.tempo(at: now).nanosecondsPerQuarter)
        leader?.repeats = Repeats(at: [now + bar])
      }
    } else {
      _ = idle?.repeats.take(at: now)
    }
  }
}
