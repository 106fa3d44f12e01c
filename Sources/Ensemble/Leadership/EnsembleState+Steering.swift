public import MusicalTime
public import PeerProtocol
import Playback

// Steering of the rhythm to an external clock: tempo changes correct the position of the rhythm.
extension EnsembleState {
  /// The claim of the current rhythm, or of the last one.
  public var claim: Claim? { timelineMessage?.claim }

  /// Starts the rhythm on `timeline` and becomes the master.
  ///
  /// The rhythm begins with the tick of an external clock that has just arrived, if a step begins there: the downbeat must sound, even if it
  /// is a few milliseconds late. The other peers enter at their next step. If no step begins there, or if the tick is older than an
  /// interval, the rhythm begins at the first step not before ``lead`` from now, at all peers.
  ///
  /// - Parameters:
  ///   - tick: the newest tick of the external clock.
  ///   - replaces: whether the rhythm that the local peer leads is replaced without a gap.
  /// - Throws: ``CommandError`` if a rhythm plays that is not replaced, or if another peer leads the session.
  public mutating func start(
    on timeline: Timeline, after tick: Tick, replacing replaces: Bool = false, at now: Instant
  ) throws(CommandError) {
    // This schedule serves only to find the first step.
    let schedule = PlaybackSchedule(run: 0, sends: true, start: Tick(0), end: Tick(.max), tempo: TempoMap(timeline))
    let isPresent = timeline.deadline(tick + 1) > now && tick >= Tick(0) && tick.roundedUpToStep == tick
    let first = isPresent ? tick : entry(into: schedule, from: Tick(0), at: now + lead)
    // The bars of the other program count from tick 0. A score plays at the tempo of the clock.
    var led = LedScore()
    led.setsTempo = false
    led.present = shelf.chosen.flatMap { plan(ScoreLine($0, playsRhythm: shelf.playsRhythm)) }
    let bar = led.present.flatMap { plan in plan.bar(at: first).map { BarGrid(plan.meter(of: $0), from: $0.tick) } }
    try start(
      on: timeline, from: first, bars: bar ?? BarGrid(rhythm.meter), score: led, replacing: replaces, at: now)
  }

  /// Steers the rhythm to the timeline of an external clock by a tempo change at the first tick that is at least ``lead`` from now. Without
  /// receivers that need the change in advance (``Roster/needsLead``), ``soundLead`` suffices, and the rhythm follows sooner.
  ///
  /// The new tempo is chosen so that the error is zero `horizon` ticks after the change. As soon as a change applies, the next change is
  /// planned, again with this number of ticks. The error therefore decays exponentially: with a quarter note, to about a third in each
  /// quarter note. Only the tempo changes, so the position never
  /// jumps. The schedule is fixed up to the tick of the change. The tempo is therefore calculated from the error that is predicted for
  /// this tick, not from the present error. This prediction prevents an oscillation of the control loop.
  ///
  /// The function does nothing while a change is pending, and after the end of the rhythm was announced.
  ///
  /// - Parameters:
  ///   - target: the timeline of the external clock.
  ///   - horizon: the number of ticks in which a single change of tempo would correct the whole error.
  ///   - tolerance: the tempo is not changed if, at the present tempo, the error at the end of the horizon would be at most this value.
  /// - Returns: false if the rhythm is more than a step off, or if the required tempo is out of range. The rhythm must then
  ///   be started again.
  mutating func steer(
    to target: Timeline, beyond tolerance: Nanoseconds, within horizon: Int64 = Tick.perQuarter, at now: Instant
  ) -> Bool {
    settleTempo(at: now)
    guard role == .master, let timelineMessage, timelineMessage.tempo.changeCount == 0,
      timelineMessage.end == Tick(.max)
    else {
      return true
    }
    let tick = max(timelineMessage.start, schedule.firstTick(notBefore: now + (roster.needsLead ? lead : soundLead)))
    let stepLength = Nanoseconds(target.tempo.nanosecondsPerQuarter / Step.perQuarter)
    guard (target.deadline(tick) - schedule.deadline(tick)).magnitude <= stepLength else { return false }
    let goal = target.deadline(tick + horizon)
    guard (goal - schedule.deadline(tick + horizon)).magnitude > tolerance else { return true }
    let quarterLength = (goal - schedule.deadline(tick)).count * Tick.perQuarter / horizon
    guard let tempo = Tempo(nanosecondsPerQuarter: quarterLength) else { return false }
    change(tempo: tempo, from: tick, at: now)
    return true
  }
}
