import MusicalTime
import PeerProtocol
import Playback

/// What the clock thread knows about the score that plays: the tables, the levels, and the ticks whose notes it passes to the sound.
struct ScorePlayback: BitwiseCopyable {
  /// The maximum number of notes of a step that sound. The queue of the audio threads holds two such steps (`EventQueue.capacity`). Further
  /// notes are dropped and counted.
  static var maximumPerStep: Int { @_noLocks @_noAllocation get { 512 } }

  /// The scores that the thread can play: that of the schedule, and the next one.
  var (first, second) = (ScoreTable(), ScoreTable())
  var levels = ScoreLevels()
  /// The number of notes that were dropped because their step had too many.
  private(set) var dropped: Int64 = 0
  /// Whether notes may sound.
  var isSounding = false
  /// Whether notes of the step have not been passed yet.
  private(set) var isPassing = false
  /// The first tick of the step.
  private(set) var step = Tick(0)
  /// The origin of the line whose notes are passed.
  private(set) var origin = Tick(0)

  /// From which step on a score sounds that has arrived late.
  private var entry = RhythmEntry()
  private var cursor = ScoreCursor()
  /// The ticks of the step that have not begun yet.
  private var (next, end) = (Tick(0), Tick(0))
  /// The line and the run of the newest ticks.
  private var (line, run) = (ScoreLine(nil), UInt32(0))
  /// Which table the newest ticks use: 0 for none, 1 or 2.
  private var place = 0
  /// How many more notes of the step may sound.
  private var room = 0

  init() {}

  /// Begins with the step whose first tick is `tick`.
  @_noLocks @_noAllocation
  mutating func begin(_ tick: Tick, of schedule: PlaybackSchedule) {
    (step, next, end, room) = (tick, tick, tick + Tick.perStep, Self.maximumPerStep)
    if schedule.end < end { end = schedule.end }
    isPassing = true
  }

  /// Whether ticks of the step have not begun yet.
  var hasTicks: Bool { @_noLocks @_noAllocation get { next < end } }

  /// Ends the step.
  @_noLocks @_noAllocation
  mutating func finishStep() { isPassing = false }

  /// Begins with the next ticks of the step, up to the end of the step or to the tick at which the line changes.
  ///
  /// - Returns: the tick at which all notes that sound must end. Nil if they go on.
  @_noLocks @_noAllocation
  mutating func beginTicks(of schedule: PlaybackSchedule) -> Tick? {
    let (tick, change) = (next, schedule.score.tick)
    let present = schedule.score[tick]
    next = change > tick && change < end ? change : end
    // A release can be recalled together with the notes. When the ticks of a change are passed again, the release is repeated.
    let isChange = change == tick && Self.ends(schedule.score.value, before: present)
    let isOther = Self.ends(line, before: present)
    let continues = schedule.continuesRun(from: run)
    (line, run, origin) = (present, schedule.run, present.origin)
    let isQuiet = schedule.mix[tick].isQuiet
    select(at: tick, of: schedule)
    if isQuiet { place = 0 }
    if place == 1 { cursor.begin(tick - origin, next - origin, in: first) }
    if place == 2 { cursor.begin(tick - origin, next - origin, in: second) }
    return isChange || isSounding && (isOther || !continues || isQuiet) ? tick : nil
  }

  /// Whether the notes of `line` end when `next` begins.
  @_noLocks @_noAllocation
  private static func ends(_ line: ScoreLine, before next: ScoreLine) -> Bool {
    guard case .some = line.digest else { return false }
    return line.origin != next.origin || !ScoreLine.playSameBars(line, next)
  }

  /// Selects the table of the line at `tick`.
  @_noLocks @_noAllocation
  private mutating func select(at tick: Tick, of schedule: PlaybackSchedule) {
    place = first.describes(line) ? 1 : second.describes(line) ? 2 : 0
    var isMissing = false
    if case .some = line.digest { isMissing = place == 0 }
    if !entry.sounds(at: tick, of: schedule, hasRhythm: !isMissing) { place = 0 }
  }

  /// The next note of the ticks that have begun, and its position in thousandths of a tick after ``origin``. Nil if there is none.
  @_noLocks @_noAllocation
  mutating func nextNote() -> (note: ScoreNote, position: Int64)? {
    guard place != 0 else { return nil }
    guard let note = place == 1 ? cursor.next(in: first) : cursor.next(in: second) else { return nil }
    if room > 0 {
      room -= 1
      return note
    }
    dropped += 1 + Int64(place == 1 ? cursor.skip(in: first) : cursor.skip(in: second))
    return nil
  }
}
