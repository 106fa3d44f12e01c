public import ClockSync
public import MIDI
public import MusicalTime
public import PeerProtocol
public import Playback

/// Who plays what with whom, as one peer sees it: roles, claims and the rhythm's state. Commands, timeline messages, clock
/// exchanges and instants go in, effects come out; it does no I/O and reads no clock.
///
///     idle ── start ──────────────▶ master ── stop, its end passes ──▶ idle
///     idle ── another's claim ────▶ follower ── the end passes, or the master is gone and nobody goes on ──▶ idle
///     follower ── takes an offer, or is next in line when the master is gone ──▶ master
///     master, follower ── a claim that outranks the one that plays ──▶ follower
///
/// <doc:Succession> has it in full.
///
/// All instants are in the own clock, but for those inside a ``TimelineMessage``.
public struct Ensemble: Sendable {
  /// What the peer is to do.
  public enum Effect: Hashable, Sendable {
    /// Tell the rhythm's state to the peer with this identity, or to all. What is news and gets lost is repaired by the next
    /// packet that comes through; the rest is told again anyhow. So with presences and offers.
    case tell(TimelineMessage, to: Identity?, isNews: Bool)
    /// Play by this schedule from now on.
    case play(PlaybackSchedule)
    /// The role changed.
    case role(Role)
    /// Another peer's claim outranked the own one.
    case outranked(by: Identity)
    /// The peer with this identity has taken the rhythm that was offered to it, and is its master now.
    case handedOver(to: Identity)
    /// The master has been silent too long, and nobody has gone on: the rhythm ended.
    case masterLost(Identity)
    /// Something is wrong with the peer of this identity, told once.
    case doubt(Identity, PeerWarning)
    /// Tell the peer with this identity what this one says of itself.
    case present(Presence, to: Identity, isNews: Bool)
    /// Offer the rhythm to the peer with this identity.
    case offer(Offer, to: Identity, isNews: Bool)
    /// The master of this identity has offered the rhythm: ``take(at:)``.
    case offered(by: Identity)
    /// The rhythm went over: this peer is its master now, in phase, in the place of the one with this identity.
    case tookOver(from: Identity)
    /// Connect to the peer with this identity, if it is known where it is: others say that it is the master.
    case seek(Identity)
    /// Send a message of channel 1 that counts at an instant of the own clock, to the peer with this identity or to all
    /// Tutti peers.
    case send(Message, at: Instant, to: Identity?)
    /// This peer's MIDI channel is now this one; nil: there is none left.
    case channel(Channel?)
  }

  /// ``soundLead`` where the sound asks for no more.
  public static var standardSoundLead: Nanoseconds { .milliseconds(50) }
  /// How long followers coast when their master is gone and nobody goes on.
  public static var coasting: Nanoseconds { .seconds(2) }

  public let identity: Identity
  /// How far ahead of its sounding a change is told.
  public let lead: Nanoseconds
  /// How far ahead of its deadline a step is handed to the sound. What is nearer can no longer be changed.
  public let soundLead: Nanoseconds
  /// What becomes of the rhythm when its master is gone; on the master, when this peer leaves.
  public var masterLoss = MasterLoss.continue
  /// What the others may do to this peer.
  public var gates = Gates()
  public internal(set) var role = Role.idle
  public internal(set) var schedule = PlaybackSchedule.silence
  /// Where ``continue`` goes on.
  public internal(set) var position = Step(0)
  /// Statements that were not their sender's own or not about anything that can be played.
  public internal(set) var rejected = 0

  /// The rhythm that plays, or the last one that did, in its master's clock. Where ``planned`` is false the schedule is still
  /// for the one before.
  var timelineMessage: TimelineMessage?
  /// The highest term seen. To be kept across restarts: who forgets it claims with a term that the others have had
  /// already.
  public internal(set) var highestTerm: UInt32
  /// A tempo asked for while another change is on its way.
  var wanted: Tempo?
  /// When the own newest timeline message is told again, soonest first.
  var repeats: [Instant] = []
  /// Those in session, and ``departed``.
  var acquaintances: [Identity: Acquaintance] = [:]
  /// The master that left last, while nothing has been heard of it since.
  var departed: Identity?
  /// The master's clock as this peer plays by it.
  var flywheel = SlewedClock()
  /// How far the rhythm may have been off when it was come to, to go there slowly from there. It stays so far off in time, but
  /// by more ticks, when the tempo rises meanwhile.
  var reach = Nanoseconds.zero
  /// When the flywheel was steered last.
  var steered = Instant(nanoseconds: .min)
  /// Whether the schedule is for the timeline message's run, which it is not while the master's clock is unknown.
  var planned = false
  /// How lively everybody is.
  var activities: ActivityExchange
  /// Who plays on which MIDI channel.
  var channels = ChannelClaims()
  /// Who is in session, and what they have been told of this peer.
  var company = Company()
  /// The last rhythm heard of whose master was not in session.
  var sought: Claim?
  /// When a rhythm is to be joined that is too far from what plays here to be gone towards.
  var joinDue: Instant?
  /// Jumps of flywheels before this one, and from one rhythm to another.
  var jumps = 0
  /// When the master was heard last as the one that leads the rhythm.
  var masterHeard = Instant(nanoseconds: .min)
  var standing = Standing.leads
  /// When the master's silence is to be looked at again.
  var successionDue = Instant(nanoseconds: .min)
  /// The last offer of this peer's, and the last to it.
  var offerMade: OfferMade?
  var offerHad: OfferHad?
  private var effects: [Effect] = []

  /// - Parameters:
  ///   - highestTerm: what ``highestTerm`` was when this peer last ran.
  ///   - soundLead: at least 20 ms below `lead`, so that what was told three times within the lead comes in time.
  ///   - activity: the player's at the beginning, 0...127.
  public init(
    identity: Identity, highestTerm: UInt32 = 0, lead: Nanoseconds = .milliseconds(100),
    soundLead: Nanoseconds = Ensemble.standardSoundLead, activity: UInt8 = 0
  ) {
    self.identity = identity
    self.highestTerm = highestTerm
    self.lead = lead
    self.soundLead = soundLead
    activities = ActivityExchange(activity)
  }

  /// What is to be done, oldest first; each effect is given once.
  public mutating func takeEffects() -> [Effect] {
    guard !effects.isEmpty else { return [] }
    defer { effects = [] }
    return effects
  }

  /// Stamps of those in session that could not be.
  public var stampsRejected: Int { acquaintances.values.reduce(0) { $0 + $1.clock.rejected } }
  /// How often the clock of one in session was found to have been set.
  public var clockResets: Int { acquaintances.values.reduce(0) { $0 + $1.clock.resets } }
  /// How often this peer had to jump while it played, having been more than a step off.
  public var clockJumps: Int { jumps + flywheel.jumps }

  /// What this peer plays by of the clock that it follows, nil when it follows none or knows nothing yet.
  public func masterClock(at now: Instant) -> ClockEstimate? {
    guard case .follower(let master) = role, var estimate = acquaintances[master]?.clock.estimate(at: now) else {
      return nil
    }
    if planned, let mapping = flywheel.mapping { estimate.offset = mapping.remote(at: now) - now }
    return estimate
  }

  /// ``nextDeadline``, looked up where this stands: of an object's property a getter is given a copy.
  mutating func findDeadline() -> Instant { nextDeadline }

  /// When ``advance(to:)`` has something to do next; the distant future when nothing is planned.
  public var nextDeadline: Instant {
    var next = min(repeats.first ?? .distantFuture, activityDeadline, presenceDeadline)
    guard role != .idle, let timelineMessage else { return next }
    next = min(next, nextSuccession)
    if let joinDue { next = min(next, joinDue) }
    if let due = offerMade?.repeats.first { next = min(next, due) }
    if planned, schedule.end != Tick(.max) { next = min(next, schedule.deadline(schedule.end)) }
    if role == .master, let change = timelineMessage.change { next = min(next, timelineMessage.deadline(change.tick)) }
    return next
  }

  /// Does what has become due by `now`.
  public mutating func advance(to now: Instant) {
    // Whatever the rhythm has come to by now is said and totalled.
    defer {
      advanceActivity(to: now)
      advancePresence(to: now)
    }
    if let due = repeats.first, now >= due, let timelineMessage {
      repeats.removeFirst()
      emit(.tell(timelineMessage, to: nil, isNews: false))
      if repeats.isEmpty, role == .master {
        repeats = [now + Nanoseconds(4 * schedule.tempo(at: now).nanosecondsPerQuarter)]
      }
    }
    guard role != .idle else { return }
    repeatOffer(at: now)
    succeed(at: now)
    if let due = joinDue, now >= due {
      joinDue = nil
      follow(at: now)
    }
    if role != .idle, planned, schedule.end != Tick(.max), now >= schedule.deadline(schedule.end) {
      // Nobody must miss the end: it is told eight times more.
      if role == .master { repeats = (1...8).map { now + .milliseconds(250 * $0) } }
      return finish()
    }
    if role == .master { settleTempo(at: now) }
  }

  mutating func emit(_ effect: Effect) { effects.append(effect) }

  mutating func take(role: Role) {
    guard role != self.role else { return }
    self.role = role
    emit(.role(role))
  }

  /// The rhythm has ended; its place is kept for ``continue``.
  mutating func finish() {
    position = max(schedule.end, schedule.start).step
    (planned, wanted, joinDue, offerMade, offerHad) = (false, nil, nil, nil, nil)
    take(role: .idle)
  }
}
