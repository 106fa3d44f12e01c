import ClockSync
import MIDI
public import MusicalTime
import Playback

/// The MIDI clock of a hardware device or another program: counts the ticks and estimates their tempo and phase.
///
/// A ``TickCounter`` numbers the ticks, so that a lost or duplicated tick does not shift the position. A ``TickFollower`` estimates
/// when the ticks were due. If the time stamps of the ticks are reliable, the estimate of ``StampedTicks`` is used instead. After an
/// interruption of the connection to the clock, the count continues at the tick of the rhythm that is nearest in time.
/// ``ClockArbiter`` decides whether a rhythm follows the clock.
///
/// Real-time: not safe.
public struct ExternalClock: Sendable {
  /// A message of the clock.
  enum Message: Hashable, Sendable {
    /// A tick. If the source does not number its packets, earlier ticks may be missing, or the tick may be a duplicate.
    case clock
    /// A tick of a connection that numbers its packets. The tick was missing and has arrived late.
    case lateClock
    /// A lost tick from a recovery journal. The journal does not contain the instant of the tick.
    case recoveredClock
    case start, `continue`, stop
    /// The step at which Continue starts. If the clock runs, the step of the next tick.
    case songPosition(Step)

    /// Converts a MIDI message. Nil for a message that is not part of MIDI clock.
    init?(_ message: MIDI.Message) {
      switch message {
      case .clock: self = .clock
      case .start: self = .start
      case .continue: self = .continue
      case .stop: self = .stop
      case .songPosition(let position): self = .songPosition(Step(Int64(position.value)))
      default: return nil
      }
    }
  }

  /// The instant at which a message applies by its sender's clock, and the estimate of that clock. The sender rounds the instant to
  /// multiples of 100 us, the unit of RTP time stamps.
  struct Stamp: Sendable {
    var instant: Instant
    var clock: ClockEstimate
  }

  /// What a message means for a rhythm that plays by the clock.
  enum Change: Hashable, Sendable {
    /// The clock runs from another position, so the rhythm must start again.
    case began
    case ended
    /// A tick has arrived. The ticks are due on `timeline`. `isEven` is false while their lateness varies too much to start a rhythm.
    ///
    /// `isStamped` is true if the timeline comes from time stamps, and follows each change of tempo at once.
    case ticked(Tick, on: Timeline, isEven: Bool, isStamped: Bool)
  }

  /// The time without a tick after which the clock counts as silent.
  static let patience = Nanoseconds.seconds(2)

  private var follower = TickFollower()
  private var stamps = StampedTicks()
  private var counter = TickCounter()
  /// The number that ``counter`` gives to tick 0 of the music. The number of a musical tick is the counter's number minus `origin`.
  private var origin: Int64 = 0
  /// The next musical tick while the clock is stopped: the position at which Continue starts.
  private var stoppedPosition = Tick(0)
  /// Whether the clock has sent Start or Continue, and no Stop since.
  private(set) var isRunning = false
  /// The instant since which the ticks have had a playable tempo; nil if they have had none since the last call of ``expectEvenTicks()``.
  private var playableSince: Instant?
  /// The instant since which the tempo of the ticks has been outside ``Tempo/lengths``; nil if it is not.
  private var unplayableSince: Instant?
  /// When the newest tick arrived.
  private var newest: Instant?
  /// Whether ticks may have been lost, so that the count must be restarted at the next tick.
  private var hasLostCount = false
  /// Whether no tick has arrived since Start, Continue or Song Position.
  private var awaitsFirst = false
  /// The number of ticks that are missing before the newest tick by its stamp, although no packet is missing. The next tick shows whether they
  /// were lost before the packets were numbered, for example in front of a gateway, or whether the tempo has changed.
  private var suspected: Int64 = 0

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
  public var tempo: Tempo? { isRunning && isSettled ? line?.tempo : nil }

  /// Whether ``line`` is accurate enough for use.
  private var isSettled: Bool { stamps.isTrusted || follower.isSettled }

  /// Whether the clock runs and has ticked within ``patience``.
  public func isHeard(at now: Instant) -> Bool {
    guard isRunning, let newest else { return false }
    return now - newest <= Self.patience
  }

  /// Whether the clock runs and has not ticked for this time.
  func isSilent(for time: Nanoseconds, at now: Instant) -> Bool {
    guard isRunning, let newest else { return false }
    return now - newest > time
  }

  /// Whether the clock runs and its tempo has been outside ``Tempo/lengths`` for a second. Ticks in a burst have the same effect, but
  /// only for a short time.
  var isUnplayable: Bool {
    guard isRunning, let newest, let unplayableSince else { return false }
    return newest - unplayableSince >= .seconds(1)
  }

  /// Records that ticks may have been lost, because the connection was interrupted or a buffer overflowed.
  mutating func ticksMayBeLost() { hasLostCount = true }

  /// Begins a quarter note in which ``Change/ticked(_:on:isEven:isStamped:)`` reports uneven ticks. After it, such jitter is normal for this clock.
  mutating func expectEvenTicks() { playableSince = nil }

  /// Handles a message that arrived at `instant`.
  ///
  /// - Parameters:
  ///   - stamp: the time stamp of a tick; nil if it has none.
  ///   - missing: the number of packets that are missing directly before the message; nil if the source does not number its packets.
  ///   - rhythm: the rhythm that plays by this clock; nil if none does.
  mutating func received(
    _ message: Message, at instant: Instant, stamp: Stamp? = nil, missing: Int64? = nil, rhythm: PlaybackSchedule?,
    now: Instant
  ) -> Change? {
    switch message {
    case .clock: return ticked(at: instant, stamp, missing: missing, rhythm)
    // If the late tick counted as lost, the count has advanced already. Otherwise `skip` advances the count by a tick without an instant.
    case .lateClock: if counter.consumeLateTick() { counter.skip() }
    case .recoveredClock: counter.skip()
    case .start: return begin(at: Tick(0), instant, missing: missing, now: now)
    case .continue:
      // Continue has no effect while the clock runs: some programs send it after each Song Position.
      if !isRunning { return begin(at: stoppedPosition, instant, missing: missing, now: now) }
    case .songPosition(let step):
      // A Song Position that agrees with the count has no effect.
      if isRunning, Tick(of: step) != next { return begin(at: Tick(of: step), instant, missing: missing, now: now) }
      stoppedPosition = Tick(of: step)
    case .stop:
      guard isRunning else { return nil }
      stoppedPosition = next
      isRunning = false
      return .ended
    }
    return nil
  }

  /// Handles Start, Continue or Song Position: the next tick that arrives has the musical position `tick`.
  private mutating func begin(at tick: Tick, _ instant: Instant, missing: Int64?, now: Instant) -> Change {
    // After an interruption, the message tells the position, which otherwise follows from the rhythm.
    if hasLostCount { forgetTicks() }
    counter.start(at: instant, missing: missing, by: follower)
    origin = counter.next - tick
    (isRunning, awaitsFirst, suspected) = (true, true, 0)
    (newest, unplayableSince) = (now, nil)
    return .began
  }

  /// Counts a tick that arrived at `instant`. Returns nil for a duplicate tick, and while the tempo of the ticks is not known.
  private mutating func ticked(
    at instant: Instant, _ stamp: Stamp?, missing: Int64?, _ rhythm: PlaybackSchedule?
  ) -> Change? {
    if isRunning, let newest, instant - newest > TickFollower.maximumGap { hasLostCount = true }
    if hasLostCount { restartCount(at: instant, rhythm) }
    newest = instant
    guard count(instant, stamp, missing: missing), isRunning, isSettled else { return nil }
    guard let line else {
      unplayableSince = unplayableSince ?? instant
      return nil
    }
    unplayableSince = nil
    let since = playableSince ?? instant
    playableSince = since
    // Ticks are even if their mean lateness is at most half a tick. Ticks that a stall has delayed are uneven. If the ticks are
    // still uneven after a quarter note, such jitter is normal for this clock.
    let quarter = line.tempo.nanosecondsPerQuarter
    let isEven = follower.lateness.count <= quarter / (2 * Tick.perQuarter) || (instant - since).count > quarter
    return .ticked(
      next + -1, on: Timeline(tempo: line.tempo, tick: line.originTick + -origin, at: line.originInstant),
      isEven: isEven || stamps.isTrusted, isStamped: stamps.isTrusted)
  }

  /// Restarts the count after a gap, at the tick of the rhythm that is nearest in time.
  private mutating func restartCount(at instant: Instant, _ rhythm: PlaybackSchedule?) {
    forgetTicks()
    guard isRunning, let rhythm else { return }
    let halfTick = Nanoseconds(rhythm.tempo(at: instant).nanosecondsPerQuarter / (2 * Tick.perQuarter))
    origin = counter.next - rhythm.tick(at: instant + halfTick)
  }

  /// Forgets the ticks before an interruption. The count continues.
  private mutating func forgetTicks() {
    (hasLostCount, suspected) = (false, 0)
    follower.reset()
    stamps.reset()
    counter.forget()
    (playableSince, unplayableSince) = (nil, nil)
  }

  /// Counts a tick.
  ///
  /// - Parameter missing: the number of packets that are missing directly before the tick; nil if the source does not number its packets.
  /// - Returns: false for a duplicate tick.
  private mutating func count(_ instant: Instant, _ stamp: Stamp?, missing: Int64?) -> Bool {
    let revisions = counter.revisions
    let isFirst = awaitsFirst
    awaitsFirst = false
    if let missing {
      let intervals = stamp.flatMap { stamps.intervals(to: $0.instant) }
      // The tick before this one was not added to `stamps`.
      if suspected > 0, intervals == suspected + 2 { counter.lose(suspected) }
      suspected = suspected == 0 && missing == 0 && !isFirst ? min(max(0, (intervals ?? 1) - 1), 8) : 0
      counter.add(counted: instant, missing: missing, isContinued: intervals == 1, to: &follower)
    } else if !counter.add(instant, to: &follower) {
      return false
    }
    // Ticks were renumbered, so the numbers of the ticks in `stamps` are wrong.
    if counter.revisions != revisions { stamps.reset() }
    if let stamp, suspected == 0 {
      stamps.add(counter.next + -1, stamped: stamp.instant, at: instant, by: stamp.clock)
    }
    return true
  }
}
