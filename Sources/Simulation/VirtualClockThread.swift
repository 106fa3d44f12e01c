import Ensemble
import MusicalTime
import Rhythm

/// What the engine's clock thread does, on virtual time: it walks the plan's ticks by the shipped cursors, hands steps to the
/// sound, and sends Start, Clock and Stop, ahead of time or at the moment. It is never late.
final class VirtualClockThread {
  /// How long before its first tick a receiver hears Start or Continue.
  private static let prelude = Nanoseconds.milliseconds(10)

  let streams: VirtualStreams
  private let score: Score
  private var plan = Plan.silence
  /// At the tick itself: those who play on arrival.
  private var moment = PlanCursor(lead: .zero)
  /// Ahead of it: those who go by time stamps.
  private var ahead: PlanCursor
  private var momentPrelude = PlanCursor(lead: VirtualClockThread.prelude)
  private var aheadPrelude: PlanCursor
  /// Steps on their way to the sound.
  private var sound: PlanCursor
  /// The newest tick of the run that those who go by time stamps are to have.
  private var owed = Tick(.min)
  /// Steps that the sound has been handed and nobody has heard yet.
  private var handed: [Sounded] = []
  /// Whether the present run began while there was more to play of the one before.
  private var cutsShort = false

  init(streams: VirtualStreams, score: Score, lead: Nanoseconds, soundLead: Nanoseconds) {
    (self.streams, self.score) = (streams, score)
    ahead = PlanCursor(lead: lead - .milliseconds(10))
    aheadPrelude = PlanCursor(lead: lead - .milliseconds(5))
    sound = PlanCursor(lead: soundLead)
  }

  /// Plays by `new` from now on.
  func adopt(_ new: Plan, at now: Instant) {
    // The cursor of the sound stands at the last step.
    handSteps(at: now)
    keepPace(at: now)
    // A rhythm that another takes the place of, before its end, is stopped for those who heard it from here.
    if plan.sends, new.run != plan.run || !new.sends { stopStreams(at: now) }
    if new.run != plan.run { owed = Tick(.min) }
    if new.run != plan.run { cutsShort = plan.run != 0 && sound.next > plan.start && sound.next < plan.end }
    if let instant = sound.goBack(from: plan, to: new, at: now) { handed.removeAll { $0.due >= instant } }
    plan = new
  }

  /// A session's receiver goes by time stamps from now on: ticks that the others have had already are owed to it alone.
  func stamp(at now: Instant) { if owed >= plan.start { streams.sendClock(owed, of: plan, stamped: true) } }

  /// Ends the rhythm for those who heard it from here.
  func stopStreams(at now: Instant) {
    streams.stop(at: now, stamped: false)
    streams.stop(at: now, stamped: true)
  }

  /// Does what is due at `now`; gives the instant of the next thing to do.
  func round(at now: Instant) -> Instant {
    // Once, and not for each cursor.
    let plan = plan
    handSteps(at: now)
    if plan.sends {
      while let tick = moment.take(in: plan, at: now) { streams.sendClock(tick, of: plan, stamped: false) }
      while let tick = momentPrelude.take(in: plan, at: now) {
        streams.begin(at: tick, of: plan, in: score.bars, stamped: false)
      }
      while let tick = aheadPrelude.take(in: plan, at: now) {
        streams.begin(at: tick, of: plan, in: score.bars, stamped: true)
      }
      while let tick = ahead.take(in: plan, at: now) {
        owed = tick
        streams.sendClock(tick, of: plan, stamped: true)
      }
      let end = plan.deadline(plan.end)
      if self.end(of: moment, stamped: false) <= now { streams.stop(at: end, stamped: false) }
      if self.end(of: ahead, stamped: true) <= now { streams.stop(at: end, stamped: true) }
    }
    var next = sound.dueStep(in: plan)
    if plan.sends {
      next = min(next, moment.due(in: plan), momentPrelude.due(in: plan))
      next = min(next, aheadPrelude.due(in: plan), ahead.due(in: plan))
      next = min(next, end(of: moment, stamped: false), end(of: ahead, stamped: true))
    }
    streams.sendGuards(at: now)
    return min(next, streams.guardsDue, handed.first?.due ?? .distantFuture)
  }

  /// Who only follows has nothing to do at each tick, but has passed it when the sending falls to it.
  private func keepPace(at now: Instant) {
    guard !plan.sends else { return }
    while moment.take(in: plan, at: now) != nil {}
    while momentPrelude.take(in: plan, at: now) != nil {}
  }

  /// The next step that has been heard by `now`.
  func heard(by now: Instant) -> Sounded? {
    guard let first = handed.first, first.due <= now else { return nil }
    return handed.removeFirst()
  }

  private func handSteps(at now: Instant) {
    while let tick = sound.take(in: plan, at: now) { hand(tick) }
  }

  private func hand(_ tick: Tick) {
    guard let step = tick.beginsStep else { return }
    let level = plan.intensity.value(at: tick)
    var hits: UInt8 = 0
    for index in score.table.hits(at: step) where score.table.hit(index).sounds(at: level) { hits &+= 1 }
    let tempo = tick >= plan.changeTick ? plan.changed.tempo : plan.timeline.tempo
    handed.append(
      Sounded(
        step: step, due: plan.deadline(tick), run: plan.run, began: plan.began, cutsShort: cutsShort,
        level: level, hits: hits, length: Nanoseconds(tempo.nanosecondsPerQuarter / Step.perQuarter)))
  }

  /// When Stop is due for those whom `cursor` serves; the distant future while nobody has anything to stop.
  private func end(of cursor: PlanCursor, stamped: Bool) -> Instant {
    guard plan.end.index != .max, cursor.next >= plan.end, streams.takesPart(in: plan.run, stamped: stamped) else {
      return .distantFuture
    }
    return plan.deadline(plan.end) - cursor.lead
  }
}
