import Audio
import Ensemble
import MusicalTime
import Playback
import RTPMIDI
import Realtime
import Rhythm
import Transports

/// What the clock thread does, one round at a time: it walks the schedule's ticks, hands steps to the sound, and sends
/// Start, Clock and Stop to every session, ahead of time or at the moment. What is due now goes first; what leaves ahead of
/// time, and what players play, goes in the time between (``pass(before:)``). All memory is taken beforehand.
struct ClockLoop: ~Copyable {
  /// How long before its first tick a receiver hears Start or Continue: MIDI 1.0 asks for a millisecond at least.
  static var prelude: Nanoseconds { @_noLocks @_noAllocation get { .milliseconds(10) } }

  let shared: ClockRings
  var schedule = PlaybackSchedule.silence
  private var table = StepTable()
  private var bars = Bars(StepTable())
  /// At the tick itself: the trace, and those who play on arrival.
  private var moment = TickCursor(lead: .zero)
  /// Ahead of it: those who go by time stamps.
  private var ahead: TickCursor
  /// Start and Continue, before the tick from which they count.
  private var momentPrelude = TickCursor(lead: ClockLoop.prelude)
  private var aheadPrelude: TickCursor
  /// The newest tick of the run that those who go by time stamps are to have, and whether some have yet to get it.
  var owed = Tick(.min)
  var owes = false
  /// What goes to everybody.
  var broadcast = Broadcast()
  /// Steps on their way to the sound.
  private var sound: TickCursor
  private let records: Bool
  var streams: StreamTable
  var port: ClockPort?
  private var counters = ClockCounters()

  init(shared: ClockRings, settings: ClockSettings) {
    self.shared = shared
    streams = StreamTable(socket: settings.socket)
    ahead = TickCursor(lead: settings.tickLead)
    aheadPrelude = TickCursor(lead: settings.tickLead + .milliseconds(5))
    sound = TickCursor(lead: settings.soundLead)
    records = settings.records
    if let sequencer = settings.sequencer { port = ClockPort(sequencer) }
  }

  /// Runs until it is told to quit.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func run() {
    while true {
      let rung = shared.bell.count
      guard obey() else { return }
      let next = round(at: MonotonicClock.now)
      if !pass(before: next) { shared.bell.wait(until: next, since: rung) }
    }
  }

  /// Does what is due at `now`; gives the instant of the next thing to do.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func round(at now: Instant) -> Instant {
    adoptState(at: now)
    while let tick = moment.take(in: schedule, at: now) {
      let acted = MonotonicClock.now
      port?.sendClock(tick, of: schedule, in: bars)
      if schedule.sends { _ = streams.sendClock(tick, of: schedule, stamped: false, until: .distantFuture, now: now) }
      counters.ticks += 1
      shared.ticks.push(TickRecord(tick: tick, due: schedule.deadline(tick), acted: acted))
    }
    playSteps(at: now)
    while let tick = momentPrelude.take(in: schedule, at: now) {
      port?.begin(at: tick, of: schedule, in: bars)
      if schedule.sends { streams.begin(at: tick, of: schedule, in: bars, stamped: false, now: now) }
    }
    if portEnd <= now { port?.stop() }
    if schedule.sends {
      while let tick = aheadPrelude.take(in: schedule, at: now) {
        streams.begin(at: tick, of: schedule, in: bars, stamped: true, now: now)
      }
      while let tick = ahead.take(in: schedule, at: now) { (owed, owes) = (tick, true) }
      if end(of: moment, stamped: false) <= now {
        streams.stop(at: schedule.deadline(schedule.end), stamped: false, now: now)
      }
      if !owes, end(of: ahead, stamped: true) <= now {
        streams.stop(at: schedule.deadline(schedule.end), stamped: true, now: now)
      }
    }
    var next = soonest(
      soonest(moment.due(in: schedule), sound.dueStep(in: schedule)), soonest(momentPrelude.due(in: schedule), portEnd))
    if schedule.sends {
      next = soonest(next, soonest(aheadPrelude.due(in: schedule), ahead.due(in: schedule)))
      next = soonest(next, end(of: moment, stamped: false))
      if !owes { next = soonest(next, end(of: ahead, stamped: true)) }
    }
    streams.sendGuards(at: now, before: next)
    counters.skipped = moment.skipped
    counters.sent = streams.sent
    counters.unsent = streams.unsent
    if let port { counters.unsentToPort = port.unsent }
    shared.counters.publish(counters)
    return soonest(next, streams.guardsDue)
  }

  @_noLocks @_noAllocation
  private func soonest(_ a: Instant, _ b: Instant) -> Instant { a < b ? a : b }

  /// The newest schedule and patch.
  @_noLocks @_noAllocation
  private mutating func adoptState(at now: Instant) {
    if let table = shared.table.take() {
      self.table = table
      bars = Bars(table)
    }
    if let schedule = shared.schedule.take() {
      // A rhythm that another takes the place of, before its end, is stopped for those who heard it from here.
      if schedule.run != self.schedule.run || !schedule.sends { stopStreams(at: MonotonicClock.now) }
      if schedule.run != self.schedule.run {
        port?.stop()
        owed = Tick(.min)
      }
      // The cursor of the sound stands at the last step.
      playSteps(at: now)
      if let instant = sound.goBack(from: self.schedule, to: schedule, at: now) { handOver(.recall(from: instant)) }
      self.schedule = schedule
    }
  }

  @_noLocks @_noAllocation
  mutating func stopStreams(at now: Instant) {
    streams.stop(at: now, stamped: false, now: now)
    streams.stop(at: now, stamped: true, now: now)
    owes = false
  }

  @_noLocks @_noAllocation
  private mutating func playSteps(at now: Instant) {
    while let tick = sound.take(in: schedule, at: now) { play(tick, at: now) }
  }

  @_noLocks @_noAllocation
  private func play(_ tick: Tick, at now: Instant) {
    guard let step = tick.beginsStep else { return }
    let instant = schedule.deadline(tick)
    let activity = schedule.intensity.value(at: tick)
    let hits = table.hits(at: step)
    var index = hits.lowerBound
    while index < hits.upperBound {
      let hit = table.hit(index)
      if hit.sounds(at: activity) {
        var event = SoundEvent(instant: instant, note: hit.note, velocity: hit.velocity, group: hit.group)
        event.submitted = now
        handOver(event)
      }
      index += 1
    }
  }

  /// Hands `event` to the sound, and to the second one where there is one.
  @_noLocks @_noAllocation
  func handOver(_ event: SoundEvent) {
    shared.sounds.push(event)
    if records { shared.recorded.push(event) }
  }

  /// When Stop is due for those whom `cursor` serves; the distant future while nobody has anything to stop.
  @_noLocks @_noAllocation
  private func end(of cursor: TickCursor, stamped: Bool) -> Instant {
    guard schedule.end.index != .max, cursor.next >= schedule.end, streams.takesPart(in: schedule.run, stamped: stamped)
    else {
      return .distantFuture
    }
    return schedule.deadline(schedule.end) - cursor.lead
  }

  /// When Stop is due at the clock port.
  private var portEnd: Instant {
    @_noLocks @_noAllocation get {
      guard let port, port.run != 0, port.run == schedule.run, schedule.end.index != .max, moment.next >= schedule.end
      else {
        return .distantFuture
      }
      return schedule.deadline(schedule.end)
    }
  }
}
