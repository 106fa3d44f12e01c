import ClockSync
public import MusicalTime
import PeerProtocol

/// A MIDI clock from outside the network, hardware or another program, that this peer keeps and gives on as master.
///
///     stopped ── Start, Continue ──▶ waiting for six even ticks and whoever else plays ──▶ playing ── Stop ──▶ stopped
///
/// Its ticks are counted by a ``TickCounter``, so that one lost or doubled on the way shifts nothing, unless the source
/// knows better; when they were due is told by a ``TickFollower``, or by their time stamps where these can be trusted
/// (``StampedTicks``). The network hears of the rhythm as of any other: it enters on the first step that all can still be
/// told of, in phase, and is steered by changes of tempo alone (``Ensemble/steer(to:at:)``), so that no step is ever
/// moved. When ticks went missing with their connection, the count goes on at the tick nearest in time. While the clock is
/// silent the rhythm coasts.
public struct OutsideClock: Sendable {
  /// What a clock says.
  public enum Message: Hashable, Sendable {
    /// A tick; others may be missing before it, or it has come before.
    case clock
    /// A tick of a connection that numbers what it sends: so many things right before it have not come.
    case numberedClock(missing: Int64)
    /// A tick of such a connection that was missing and has come late.
    case lateClock
    /// A tick that was lost and has been made good: it says nothing about time.
    case recoveredClock
    case start, `continue`, stop
    /// Where Continue goes on.
    case songPosition(Step)
  }

  /// When a message counts by its sender's clock, in whole units of 100 us, and what is known of that clock.
  public struct Stamp: Sendable {
    public var instant: Instant
    public var clock: ClockEstimate

    public init(_ instant: Instant, by clock: ClockEstimate) { (self.instant, self.clock) = (instant, clock) }
  }

  /// What the player is to hear of.
  public enum Event: Hashable, Sendable {
    /// The rhythm that the clock asks for has to wait.
    case refused(CommandError)
    /// It runs, but has sent no tick for ``patience``.
    case silent
    /// Its ticks come again.
    case heard
    /// It has run for a second at a tempo outside ``Tempo/lengths``.
    case unplayable
  }

  /// So long without a tick is told.
  public static let patience = Nanoseconds.seconds(2)
  /// An error smaller than this is left for the next quarter, a larger one is steered against at once.
  static let urgent = Nanoseconds.milliseconds(1)

  private var follower = TickFollower()
  private var stamps = StampedTicks()
  private var counter = TickCounter()
  /// The number, by the counter, of tick 0 of the music.
  private var origin: Int64 = 0
  /// The musical tick that comes next while it stands still.
  private var place = Tick(0)
  /// Whether it has said Start or Continue, and not Stop since.
  public private(set) var isRunning = false
  /// Whether the rhythm is still to be started, and since when its ticks have told of a tempo to start at.
  private var isWaiting = false
  private var playableSince: Instant?
  /// Since when they have told of none in ``Tempo/lengths``.
  private var unplayableSince: Instant?
  /// The claim under which it plays.
  private var claim: Claim?
  private var newest: Instant?
  private var isSilent = false
  private var isUnplayable = false
  private var hasLostCount = false
  private var refusal: CommandError?

  public init() {}

  /// Ticks that never came, as far as can be told, and ticks that came twice.
  public var lost: Int64 { counter.lost }
  public var doubled: Int64 { counter.doubled }

  /// The musical tick that comes next while it runs.
  private var next: Tick { counter.next + -origin }

  /// What its ticks tell of tempo and phase, by the counter's numbers.
  private var line: Timeline? { stamps.isTrusted ? stamps.timeline : follower.timeline }

  /// The tempo at which it runs, as its ticks tell, nil while they tell none. It is steady where ``Ensemble/schedule``'s is
  /// not, which is steered to make errors good.
  public var tempo: Tempo? { isRunning && follower.isSettled ? line?.tempo : nil }

  /// Whether it is what `ensemble` plays by: not when the player has started a rhythm over it.
  public func leads(_ ensemble: Ensemble) -> Bool {
    isRunning && claim != nil && ensemble.claim == claim && ensemble.role == .master
  }

  /// Whether it runs, and has ticked within ``patience``.
  public func isHeard(at now: Instant) -> Bool {
    guard isRunning, let newest else { return false }
    return now - newest <= Self.patience
  }

  /// Ends the rhythm that plays by it, as another clock is to be kept. It waits then, until nobody plays.
  public mutating func yield(_ ensemble: inout Ensemble, now: Instant) {
    (isWaiting, playableSince) = (isRunning, nil)
    end(&ensemble, now: now)
  }

  /// Takes what the clock said at `instant`, its arrival.
  ///
  /// Real-time: not safe.
  public mutating func received(
    _ message: Message, at instant: Instant, stamp: Stamp? = nil, for ensemble: inout Ensemble, now: Instant
  ) -> Event? {
    switch message {
    case .clock: return ticked(at: instant, stamp, missing: nil, ensemble: &ensemble, now: now)
    case .numberedClock(let missing):
      return ticked(at: instant, stamp, missing: missing, ensemble: &ensemble, now: now)
    case .lateClock: if counter.cameLate() { counter.pass() }
    case .recoveredClock: counter.pass()
    case .start: begin(at: Tick(0), instant, &ensemble, now: now)
    case .continue: begin(at: isRunning ? nil : place, instant, &ensemble, now: now)
    case .songPosition(let step):
      if isRunning { begin(at: Tick(of: step), instant, &ensemble, now: now) } else { place = Tick(of: step) }
    case .stop:
      guard isRunning else { return nil }
      place = next
      isRunning = false
      isWaiting = false
      end(&ensemble, now: now)
    }
    return nil
  }

  /// Ticks may have been lost: the connection broke, or more came than could be taken.
  public mutating func lostCount() { hasLostCount = true }

  /// Notices silence.
  public mutating func advance(to now: Instant) -> Event? {
    guard isRunning, !isSilent, let newest, now - newest > Self.patience else { return nil }
    isSilent = true
    return .silent
  }

  /// Begins at `tick`, nil for the one that comes next.
  private mutating func begin(at tick: Tick?, _ instant: Instant, _ ensemble: inout Ensemble, now: Instant) {
    counter.begin(at: instant, by: follower)
    origin = counter.next - (tick ?? next)
    isRunning = true
    (isWaiting, playableSince) = (true, nil)
    refusal = nil
    (newest, unplayableSince, isSilent, isUnplayable) = (now, nil, false, false)
    end(&ensemble, now: now)
  }

  private mutating func end(_ ensemble: inout Ensemble, now: Instant) {
    if let claim, ensemble.claim == claim { try? ensemble.stop(now: now) }
    claim = nil
  }

  private mutating func ticked(
    at instant: Instant, _ stamp: Stamp?, missing: Int64?, ensemble: inout Ensemble, now: Instant
  ) -> Event? {
    if isRunning, let newest, instant - newest > TickFollower.longestGap { hasLostCount = true }
    if hasLostCount {
      hasLostCount = false
      follower.reset()
      stamps.reset()
      counter.forget()
      (playableSince, unplayableSince) = (nil, nil)
      if isRunning, claim != nil, ensemble.claim == claim {
        let halfTick = Nanoseconds(ensemble.schedule.tempo(at: instant).nanosecondsPerQuarter / 48)
        origin = counter.next - ensemble.schedule.tick(at: instant + halfTick)
      }
    }
    newest = instant
    guard count(instant, stamp, missing: missing) else { return nil }
    let tick = next + -1
    defer { isSilent = false }
    guard isRunning, follower.isSettled else { return isSilent ? .heard : nil }
    guard let line else {
      // Ticks that come in a heap are at no such tempo either, but not for so long.
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
      // Ticks that a stall has let come together lie far off any line. After a quarter they are how this clock is.
      let isEven = follower.lateness.count <= line.tempo.nanosecondsPerQuarter / (2 * Tick.perQuarter)
      if isEven || stamps.isTrusted || (instant - since).count > line.tempo.nanosecondsPerQuarter,
        ensemble.role == .idle || ensemble.claim?.identity != ensemble.identity
      {
        return start(on: timeline, &ensemble, now: now)
      }
    } else if claim != nil, ensemble.claim == claim, ensemble.role == .master {
      let urgent = tick.index % Tick.perQuarter != 0
      if !ensemble.steer(to: timeline, beyond: urgent ? Self.urgent : .microseconds(20), at: now) {
        (isWaiting, playableSince) = (true, nil)
        end(&ensemble, now: now)
      }
    }
    return isSilent ? .heard : nil
  }

  /// Counts a tick, unless it has come twice.
  ///
  /// - Parameter missing: nil when nobody knows.
  private mutating func count(_ instant: Instant, _ stamp: Stamp?, missing: Int64?) -> Bool {
    let revisions = counter.revisions
    if let missing {
      counter.add(counted: instant, missing: missing, to: &follower)
    } else if !counter.add(instant, to: &follower) {
      return false
    }
    if counter.revisions != revisions { stamps.reset() }
    if let stamp { stamps.add(counter.next + -1, stamped: stamp.instant, at: instant, by: stamp.clock) }
    return true
  }

  private mutating func start(on timeline: Timeline, _ ensemble: inout Ensemble, now: Instant) -> Event? {
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
