import Ensemble
import MusicalTime
import Playback
import Rhythm

/// What the engine's clock thread does, on virtual time: it walks the schedule's ticks by the shipped cursors, hands steps to the
/// sound, and sends Start, Clock and Stop, ahead of time or at the moment. It is never late.
final class VirtualClockThread {
  /// How long before its first tick a receiver hears Start or Continue.
  private static let prelude = Nanoseconds.milliseconds(10)

  let streams: VirtualStreams
  private let score: Score
  private var schedule = PlaybackSchedule.silence
  /// At the tick itself: those who play on arrival.
  private var moment = TickCursor(lead: .zero)
  /// Ahead of it: those who go by time stamps.
  private var ahead: TickCursor
  private var momentPrelude = TickCursor(lead: VirtualClockThread.prelude)
  private var aheadPrelude: TickCursor
  /// Steps on their way to the sound.
  private var sound: TickCursor
  /// The newest tick of the run that those who go by time stamps are to have.
  private var owed = Tick(.min)
  /// Steps that the sound has been handed and nobody has heard yet.
  private var handed: [Sounded] = []
  /// Whether the present run began while there was more to play of the one before.
  private var cutsShort = false

  init(streams: VirtualStreams, score: Score, lead: Nanoseconds, soundLead: Nanoseconds) {
    (self.streams, self.score) = (streams, score)
    ahead = TickCursor(lead: lead - .milliseconds(10))
    aheadPrelude = TickCursor(lead: lead - .milliseconds(5))
    sound = TickCursor(lead: soundLead)
  }

  /// Plays by `new` from now on.
  func adopt(_ new: PlaybackSchedule, at now: Instant) {
    // The cursor of the sound stands at the last step.
    handSteps(at: now)
    keepPace(at: now)
    // A rhythm that another takes the place of, before its end, is stopped for those who heard it from here.
    if schedule.sends, new.run != schedule.run || !new.sends { stopStreams(at: now) }
    if new.run != schedule.run { owed = Tick(.min) }
    if new.run != schedule.run {
      cutsShort = schedule.run != 0 && sound.next > schedule.start && sound.next < schedule.end
    }
    if let instant = sound.goBack(from: schedule, to: new, at: now) { handed.removeAll { $0.due >= instant } }
    schedule = new
  }

  /// A session's receiver goes by time stamps from now on: ticks that the others have had already are owed to it alone.
  func stamp(at now: Instant) { if owed >= schedule.start { streams.sendClock(owed, of: schedule, stamped: true) } }

  /// Ends the rhythm for those who heard it from here.
  func stopStreams(at now: Instant) {
    streams.stop(at: now, stamped: false)
    streams.stop(at: now, stamped: true)
  }

  /// Does what is due at `now`; gives the instant of the next thing to do.
  func round(at now: Instant) -> Instant {
    // Once, and not for each cursor.
    let schedule = schedule
    handSteps(at: now)
    if schedule.sends {
      while let tick = moment.take(in: schedule, at: now) { streams.sendClock(tick, of: schedule, stamped: false) }
      while let tick = momentPrelude.take(in: schedule, at: now) {
        streams.begin(at: tick, of: schedule, in: score.bars, stamped: false)
      }
      while let tick = aheadPrelude.take(in: schedule, at: now) {
        streams.begin(at: tick, of: schedule, in: score.bars, stamped: true)
      }
      while let tick = ahead.take(in: schedule, at: now) {
        owed = tick
        streams.sendClock(tick, of: schedule, stamped: true)
      }
      let end = schedule.deadline(schedule.end)
      if self.end(of: moment, stamped: false) <= now { streams.stop(at: end, stamped: false) }
      if self.end(of: ahead, stamped: true) <= now { streams.stop(at: end, stamped: true) }
    }
    var next = sound.dueStep(in: schedule)
    if schedule.sends {
      next = min(next, moment.due(in: schedule), momentPrelude.due(in: schedule))
      next = min(next, aheadPrelude.due(in: schedule), ahead.due(in: schedule))
      next = min(next, end(of: moment, stamped: false), end(of: ahead, stamped: true))
    }
    streams.sendGuards(at: now)
    return min(next, streams.guardsDue, handed.first?.due ?? .distantFuture)
  }

  /// Who only follows has nothing to do at each tick, but has passed it when the sending falls to it.
  private func keepPace(at now: Instant) {
    guard !schedule.sends else { return }
    while moment.take(in: schedule, at: now) != nil {}
    while momentPrelude.take(in: schedule, at: now) != nil {}
  }

  /// The next step that has been heard by `now`.
  func heard(by now: Instant) -> Sounded? {
    guard let first = handed.first, first.due <= now else { return nil }
    return handed.removeFirst()
  }

  private func handSteps(at now: Instant) {
    while let tick = sound.take(in: schedule, at: now) { hand(tick) }
  }

  private func hand(_ tick: Tick) {
    guard let step = tick.beginsStep else { return }
    let level = schedule.intensity.value(at: tick)
    var hits: UInt8 = 0
    for index in score.table.hits(at: step) where score.table.hit(index).sounds(at: level) { hits &+= 1 }
    let tempo = tick >= schedule.changeTick ? schedule.changed.tempo : schedule.timeline.tempo
    handed.append(
      Sounded(
        step: step, due: schedule.deadline(tick), run: schedule.run, began: schedule.began, cutsShort: cutsShort,
        level: level, hits: hits, length: Nanoseconds(tempo.nanosecondsPerQuarter / Step.perQuarter)))
  }

  /// When Stop is due for those whom `cursor` serves; the distant future while nobody has anything to stop.
  private func end(of cursor: TickCursor, stamped: Bool) -> Instant {
    guard schedule.end.index != .max, cursor.next >= schedule.end, streams.takesPart(in: schedule.run, stamped: stamped)
    else {
      return .distantFuture
    }
    return schedule.deadline(schedule.end) - cursor.lead
  }
}
