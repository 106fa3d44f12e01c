import ClockSync
public import MusicalTime

/// A MIDI clock from outside the network, hardware or another program, that this peer keeps and gives on as master.
///
///     stopped ── Start, Continue ──▶ waiting for six ticks and for whoever else plays ──▶ playing ── Stop ──▶ stopped
///
/// Its ticks are counted, so none can be lost or doubled on the way to the steps; the instants at which they arrived go
/// through a ``TickFollower``. The network hears of the rhythm as of any other: it enters on the first step that all can
/// still be told of, in phase, and is steered by changes of tempo alone (``Ensemble/steer(to:at:)``), so that no step is
/// ever moved. When ticks went missing with their connection, the count goes on at the tick nearest in time. While the clock
/// is silent the rhythm coasts.
public struct OutsideClock: Sendable {
  /// What a clock says.
  public enum Message: Hashable, Sendable {
    case clock, start, `continue`, stop
    /// Where Continue goes on.
    case songPosition(Step)
  }

  /// What the player is to hear of.
  public enum Event: Hashable, Sendable {
    /// The rhythm that the clock asks for has to wait.
    case refused(Refusal)
    /// It runs, but has sent no tick for ``patience``.
    case silent
    /// Its ticks come again.
    case heard
    /// It runs at a tempo outside ``Tempo/lengths``.
    case unplayable
  }

  /// So long without a tick is told.
  public static let patience = Nanoseconds.seconds(2)
  /// An error smaller than this is left for the next quarter, a larger one is steered against at once.
  static let urgent = Nanoseconds.milliseconds(1)

  private var follower = TickFollower()
  /// The number of the next tick since the beginning, and the number of that which is tick 0 of the music.
  private var next = Tick(0)
  private var origin: Int64 = 0
  /// The musical tick that comes next while it stands still.
  private var place = Tick(0)
  /// Whether it has said Start or Continue, and not Stop since.
  public private(set) var isRunning = false
  /// Whether the rhythm is still to be started.
  private var isWaiting = false
  /// The claim under which it plays.
  private var claim: Claim?
  private var newest: Instant?
  private var isSilent = false
  private var isUnplayable = false
  private var hasLostCount = false
  private var refusal: Refusal?

  public init() {}

  /// Takes what the clock said at `instant`.
  ///
  /// Real-time: not safe.
  public mutating func received(
    _ message: Message, at instant: Instant, for ensemble: inout Ensemble, now: Instant
  ) -> Event? {
    switch message {
    case .clock: return ticked(at: instant, ensemble: &ensemble, now: now)
    case .start: begin(at: Tick(0), &ensemble, now: now)
    case .continue: begin(at: isRunning ? next + -origin : place, &ensemble, now: now)
    case .songPosition(let step):
      if isRunning { begin(at: Tick(of: step), &ensemble, now: now) } else { place = Tick(of: step) }
    case .stop:
      guard isRunning else { return nil }
      place = next + -origin
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

  private mutating func begin(at tick: Tick, _ ensemble: inout Ensemble, now: Instant) {
    origin = next - tick
    isRunning = true
    isWaiting = true
    refusal = nil
    (newest, isSilent, isUnplayable) = (now, false, false)
    end(&ensemble, now: now)
  }

  private mutating func end(_ ensemble: inout Ensemble, now: Instant) {
    if let claim, ensemble.claim == claim { try? ensemble.stop(now: now) }
    claim = nil
  }

  private mutating func ticked(at instant: Instant, ensemble: inout Ensemble, now: Instant) -> Event? {
    if hasLostCount {
      hasLostCount = false
      follower.reset()
      if isRunning, claim != nil, ensemble.claim == claim {
        let halfTick = Nanoseconds(ensemble.plan.tempo(at: instant).nanosecondsPerQuarter / 48)
        origin = next - ensemble.plan.tick(at: instant + halfTick)
      }
    }
    follower.add(next, at: instant)
    let tick = next + -origin
    next = next + 1
    newest = instant
    defer { isSilent = false }
    guard isRunning, follower.isSettled else { return isSilent ? .heard : nil }
    guard let line = follower.timeline else {
      defer { isUnplayable = true }
      return isUnplayable ? nil : .unplayable
    }
    let timeline = Timeline(tempo: line.tempo, tick: line.originTick + -origin, at: line.originInstant)
    if isWaiting {
      if ensemble.role == .idle || ensemble.claim?.identity != ensemble.identity {
        return start(on: timeline, &ensemble, now: now)
      }
    } else if claim != nil, ensemble.claim == claim, ensemble.role == .master {
      let urgent = tick.index % Tick.perQuarter != 0
      if !ensemble.steer(to: timeline, beyond: urgent ? Self.urgent : .microseconds(20), at: now) {
        isWaiting = true
        end(&ensemble, now: now)
      }
    }
    return isSilent ? .heard : nil
  }

  private mutating func start(on timeline: Timeline, _ ensemble: inout Ensemble, now: Instant) -> Event? {
    do throws(Refusal) {
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
