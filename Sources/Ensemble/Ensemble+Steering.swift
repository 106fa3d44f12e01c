public import MusicalTime
public import PeerProtocol
import Playback

// A rhythm that keeps to a clock from outside.
extension Ensemble {
  /// The ticks after which an error would be made good. As the rhythm is steered anew all the time, an error falls to a
  /// third in each quarter.
  static let horizon = Tick.perQuarter

  /// The claim of the rhythm that plays, or of the last one that did.
  public var claim: Claim? { timelineMessage?.claim }

  /// Starts the rhythm on `timeline` and becomes master: at the first step not before ``lead`` from now.
  ///
  /// - Throws: ``CommandError`` when somebody plays.
  public mutating func start(on timeline: Timeline, at now: Instant) throws(CommandError) {
    let schedule = PlaybackSchedule(run: 0, sends: true, start: Tick(0), end: Tick(.max), timeline: timeline)
    try start(on: timeline, from: entry(into: schedule, from: Tick(0), at: now + lead), at: now)
  }

  /// Brings the rhythm to `line` by a change of tempo that counts from the first tick ``lead`` from now: its length is
  /// such that the error is made good ``horizon`` ticks later. So the position never jumps, and as what happens until then is
  /// settled, nothing swings. While a change is on its way nothing happens, nor when at the horizon the error will be within
  /// `tolerance` anyway.
  ///
  /// - Returns: false when the rhythm is more than a step off, or the tempo is none: then it has to begin anew.
  mutating func steer(to line: Timeline, beyond tolerance: Nanoseconds, at now: Instant) -> Bool {
    settleTempo(at: now)
    guard role == .master, let timelineMessage, timelineMessage.change == nil, timelineMessage.end == Tick(.max) else {
      return true
    }
    let tick = max(timelineMessage.start, schedule.firstTick(notBefore: now + lead))
    let stepLength = Nanoseconds(line.tempo.nanosecondsPerQuarter / Step.perQuarter)
    guard (line.deadline(tick) - schedule.deadline(tick)).magnitude <= stepLength else { return false }
    let goal = line.deadline(tick + Self.horizon)
    guard (goal - schedule.deadline(tick + Self.horizon)).magnitude > tolerance else { return true }
    let length = (goal - schedule.deadline(tick)).count * Tick.perQuarter / Self.horizon
    guard let tempo = Tempo(nanosecondsPerQuarter: length) else { return false }
    change(tempo: tempo, from: tick, at: now)
    return true
  }
}
