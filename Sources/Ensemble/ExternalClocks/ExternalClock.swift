import ClockSync
public import MusicalTime
import PeerProtocol

/// A MIDI clock of a hardware device or another program, by which the local peer plays as the master.
///
///     stopped ── Start, Continue ──▶ waiting for six even ticks and the end of other rhythms ──▶ playing ── Stop ──▶ stopped
///
/// A ``TickCounter`` numbers the ticks, so that a lost or duplicated tick does not shift the position. A ``TickFollower`` estimates
/// when the ticks were due. If the time stamps of the ticks are reliable, the estimate of ``StampedTicks`` is used instead. The rhythm
/// starts in phase, on the first step that can still be announced to all peers. After that, only tempo changes correct its position
/// (``EnsembleState/steer(to:beyond:at:)``), so that the position does not jump. After an interruption of the connection to the clock,
/// the count continues at the tick of the rhythm that is nearest in time. While the clock is silent, the rhythm continues at its last
/// tempo.
///
/// Real-time: not safe.
public struct ExternalClock: Sendable {
  /// A message of the clock.
  ///
  /// Real-time: not safe.
  public enum Message: Hashable, Sendable {
    /// A tick of a source that does not number its packets. Earlier ticks may be missing, or the tick may be a duplicate.
    case clock
    /// A tick of a connection that numbers its packets. `missing` is the number of packets that are missing directly before it.
    case numberedClock(missing: Int64)
    /// A tick of a connection that numbers its packets. The tick was missing and has arrived late.
    case lateClock
    /// A lost tick from a recovery journal. The journal does not contain the instant of the tick.
    case recoveredClock
    case start, `continue`, stop
    /// The step at which Continue starts. If the clock runs, the step of the next tick.
    case songPosition(Step)
  }

  /// The instant at which a message applies by its sender's clock, and the estimate of that clock. The sender rounds the instant to
  /// multiples of 100 us, the unit of RTP time stamps.
  public struct Stamp: Sendable {
    public var instant: Instant
    public var clock: ClockEstimate

    public init(_ instant: Instant, by clock: ClockEstimate) { (self.instant, self.clock) = (instant, clock) }
  }

  /// An event for the user.
  public enum Event: Hashable, Sendable {
    /// The rhythm of the clock cannot start yet.
    case refused(CommandError)
    /// The clock runs, but has sent no tick for ``patience``.
    case silent
    /// Ticks arrive again.
    case heard
    /// The clock has run for a second at a tempo outside ``Tempo/lengths``.
    case unplayable
  }

  /// The time without a tick after which the clock counts as silent.
  public static let patience = Nanoseconds.seconds(2)
  /// An error of the position above this value is corrected at once. A smaller error, if it is above 20 us, is corrected at the
  /// next quarter note.
  static let urgentError = Nanoseconds.milliseconds(1)

  private var follower = TickFollower()
  private var stamps = StampedTicks()
  private var counter = TickCounter()
  /// The number that ``counter`` gives to tick 0 of the music. The number of a musical tick is the counter's number minus `origin`.
  private var origin: Int64 = 0
  /// The next musical tick while the clock is stopped: the position at which Continue starts.
  private var stoppedPosition = Tick(0)
  /// Whether the clock has sent Start or Continue, and no Stop since.
  public private(set) var isRunning = false
  /// Whether the clock runs, but its rhythm has not started yet.
  private var isWaiting = false
  /// The instant since which the ticks have had a playable tempo while ``isWaiting`` was true; nil if they have had none.
  private var playableSince: Instant?
  /// The instant since which the tempo of the ticks has been outside ``Tempo/lengths``; nil if it is not.
  private var unplayableSince: Instant?
  /// The claim of the rhythm that this clock has started last; nil if there is none, or if this clock has ended the rhythm.
  private var claim: Claim?
  /// When the newest tick arrived.
  private var newest: Instant?
  /// Whether ``Event/silent`` was reported and no tick has arrived since.
  private var isSilent = false
  /// Whether ``Event/unplayable`` was reported since the clock began to run.
  private var isUnplayable = false
  /// Whether ticks may have been lost, so that the count must be restarted at the next tick.
  private var hasLostCount = false
  /// The last reported reason why the rhythm cannot start yet.
  private var refusal: CommandError?

  public init() {}

  /// The estimated number of ticks that never arrived.
  public var lost: Int64 { counter.lost }
  /// The number of duplicate ticks.
  public var duplicates: Int64 { counter.duplicates }

  /// The next musical tick while the clock runs.
  private var next: Tick { counter.next + -origin }

  /// The tempo and phase of the ticks, in the tick numbers of ``counter``; nil while they are unknown.
  private var line: Timeline? { stamps.isTrusted ? stamps.timeline : follower.timeline }

  /// The tempo of the ticks; nil while it is unknown. It is steadier than the tempo of ``EnsembleState/schedule``, which varies to
  /// correct errors.
  public var tempo: Tempo? { isRunning && follower.isSettled ? line?.tempo : nil }

  /// Whether `ensemble` plays by this clock. False if the rhythm that plays was not started by this clock.
  public func leads(_ ensemble: EnsembleState) -> Bool {
    isRunning && claim != nil && ensemble.claim == claim && ensemble.role == .master
  }

  /// Whether the clock runs and has ticked within ``patience``.
  public func isHeard(at now: Instant) -> Bool {
    guard isRunning, let newest else { return false }
    return now - newest <= Self.patience
  }

  /// Ends the rhythm of this clock, because another clock replaces it. This clock then waits until no rhythm plays.
  public mutating func yield(_ ensemble: inout EnsembleState, now: Instant) {
    (isWaiting, playableSince) = (isRunning, nil)
    end(&ensemble, now: now)
  }

  /// Handles a message that arrived at `instant`.
  ///
  /// - Parameters:
  ///   - stamp: the time stamp of a tick; nil if it has none.
  ///   - ensemble: the state of the ensemble, whose rhythm is started, steered or stopped.
  /// - Returns: an event for the user, if there is one.
  ///
  /// Real-time: not safe.
  public mutating func received(
    _ message: Message, at instant: Instant, stamp: Stamp? = nil, for ensemble: inout EnsembleState, now: Instant
  ) -> Event? {
    switch message {
    case .clock: return ticked(at: instant, stamp, missing: nil, ensemble: &ensemble, now: now)
    case .numberedClock(let missing):
      return ticked(at: instant, stamp, missing: missing, ensemble: &ensemble, now: now)
    // If the late tick counted as lost, the count has advanced already. Otherwise `skip` advances the count by a tick without an instant.
    case .lateClock: if counter.consumeLateTick() { counter.skip() }
    case .recoveredClock: counter.skip()
    case .start: begin(at: Tick(0), instant, &ensemble, now: now)
    case .continue: begin(at: isRunning ? nil : stoppedPosition, instant, &ensemble, now: now)
    case .songPosition(let step):
      if isRunning { begin(at: Tick(of: step), instant, &ensemble, now: now) } else { stoppedPosition = Tick(of: step) }
    case .stop:
      guard isRunning else { return nil }
      stoppedPosition = next
      isRunning = false
      isWaiting = false
      end(&ensemble, now: now)
    }
    return nil
  }

  /// Records that ticks may have been lost, because the connection was interrupted or a buffer overflowed.
  public mutating func ticksMayBeLost() { hasLostCount = true }

  /// Returns ``Event/silent`` once when the clock falls silent.
  public mutating func advance(to now: Instant) -> Event? {
    guard isRunning, !isSilent, let newest, now - newest > Self.patience else { return nil }
    isSilent = true
    return .silent
  }

  /// Handles Start, Continue or Song Position: the next tick that arrives has the musical position `tick`. If `tick` is nil, the
  /// position continues without a jump. If a rhythm plays by this clock, the rhythm ends, and starts again in phase.
  private mutating func begin(at tick: Tick?, _ instant: Instant, _ ensemble: inout EnsembleState, now: Instant) {
    counter.start(at: instant, by: follower)
    origin = counter.next - (tick ?? next)
    isRunning = true
    (isWaiting, playableSince) = (true, nil)
    refusal = nil
    (newest, unplayableSince, isSilent, isUnplayable) = (now, nil, false, false)
    end(&ensemble, now: now)
  }

  /// Stops the rhythm if it plays by this clock.
  private mutating func end(_ ensemble: inout EnsembleState, now: Instant) {
    if let claim, ensemble.claim == claim { try? ensemble.stop(now: now) }
    claim = nil
  }

  /// Handles a tick that arrived at `instant`: counts it, and starts or steers the rhythm by it.
  private mutating func ticked(
    at instant: Instant, _ stamp: Stamp?, missing: Int64?, ensemble: inout EnsembleState, now: Instant
  ) -> Event? {
    if isRunning, let newest, instant - newest > TickFollower.maximumGap { hasLostCount = true }
    if hasLostCount { restartCount(at: instant, ensemble) }
    newest = instant
    guard count(instant, stamp, missing: missing) else { return nil }
    let tick = next + -1
    guard isRunning, follower.isSettled else { return endOfSilence() }
    guard let line else {
      // Without a line, the tempo of the ticks is out of range. Ticks in a burst have the same effect, but only for a short time.
      let since = unplayableSince ?? instant
      unplayableSince = since
      guard !isUnplayable, instant - since >= .seconds(1) else { return nil }
      isUnplayable = true
      return .unplayable
    }
    unplayableSince = nil
    let timeline = Timeline(tempo: line.tempo, tick: line.originTick + -origin, at: line.originInstant)
    if isWaiting {
      let since = playableSince ?? instant
      playableSince = since
      // Ticks are even if their mean lateness is at most half a tick. Ticks that a stall has delayed are uneven. If the ticks are
      // still uneven after a quarter note, such jitter is normal for this clock, and the rhythm starts anyway.
      let isEven = follower.lateness.count <= line.tempo.nanosecondsPerQuarter / (2 * Tick.perQuarter)
      // While another rhythm of the local peer plays, the clock waits. While a rhythm of another peer plays, `start` fails and
      // reports the reason.
      if isEven || stamps.isTrusted || (instant - since).count > line.tempo.nanosecondsPerQuarter,
        ensemble.role == .idle || ensemble.claim?.identity != ensemble.identity
      {
        return start(on: timeline, &ensemble, now: now)
      }
    } else if claim != nil, ensemble.claim == claim, ensemble.role == .master {
      // At a quarter note, an error above 20 us is corrected. Between quarter notes, only an error above `urgentError` is.
      let isBetweenQuarters = tick.index % Tick.perQuarter != 0
      if !ensemble.steer(to: timeline, beyond: isBetweenQuarters ? Self.urgentError : .microseconds(20), at: now) {
        // The rhythm is too far from the ticks to be corrected by tempo changes. It ends, and starts again in phase.
        (isWaiting, playableSince) = (true, nil)
        end(&ensemble, now: now)
      }
    }
    return endOfSilence()
  }

  /// Returns the event for the end of a silence that was reported, and nil if there was none. Clears ``isSilent``.
  private mutating func endOfSilence() -> Event? {
    guard isSilent else { return nil }
    isSilent = false
    return .heard
  }

  /// Restarts the count after a gap, at the tick of the rhythm that is nearest in time.
  private mutating func restartCount(at instant: Instant, _ ensemble: EnsembleState) {
    hasLostCount = false
    follower.reset()
    stamps.reset()
    counter.forget()
    (playableSince, unplayableSince) = (nil, nil)
    guard isRunning, claim != nil, ensemble.claim == claim else { return }
    let halfTick = Nanoseconds(ensemble.schedule.tempo(at: instant).nanosecondsPerQuarter / (2 * Tick.perQuarter))
    origin = counter.next - ensemble.schedule.tick(at: instant + halfTick)
  }

  /// Counts a tick.
  ///
  /// - Parameter missing: the number of packets that are missing directly before the tick; nil if the source does not number its packets.
  /// - Returns: false for a duplicate tick.
  private mutating func count(_ instant: Instant, _ stamp: Stamp?, missing: Int64?) -> Bool {
    let revisions = counter.revisions
    if let missing {
      counter.add(counted: instant, missing: missing, to: &follower)
    } else if !counter.add(instant, to: &follower) {
      return false
    }
    // Ticks were renumbered, so the numbers of the ticks in `stamps` are wrong.
    if counter.revisions != revisions { stamps.reset() }
    if let stamp { stamps.add(counter.next + -1, stamped: stamp.instant, at: instant, by: stamp.clock) }
    return true
  }

  /// Starts the rhythm on `timeline`. Returns ``Event/refused(_:)`` if this is not possible, but not twice in a row for the same
  /// reason.
  private mutating func start(on timeline: Timeline, _ ensemble: inout EnsembleState, now: Instant) -> Event? {
    do throws(CommandError) {
      try ensemble.start(on: timeline, at: now)
      claim = ensemble.claim
      isWaiting = false
      refusal = nil
    } catch {
      guard error != refusal else { return nil }
      refusal = error
      return .refused(error)
    }
    return nil
  }
}
