import Audio
import Ensemble
import MusicalTime
import RTPMIDI
import Realtime
import Rhythm
import Transports

/// What the clock thread does, one round at a time: it walks the plan's ticks, hands steps to the sound, and sends
/// Start, Clock and Stop to every session, ahead of time or at the moment. It holds nothing but trivial values and one
/// packet's room.
struct ClockLoop: ~Copyable {
  /// How long before its first tick a receiver hears Start or Continue: MIDI 1.0 asks for a millisecond at least.
  static var prelude: Nanoseconds { @_noLocks @_noAllocation get { .milliseconds(10) } }

  let shared: ClockRings
  private var plan = Plan.silence
  private var table = StepTable()
  private var activity: UInt8 = 0
  /// At the tick itself: the trace, and those who play on arrival.
  private var moment = PlanCursor(lead: .zero)
  /// Ahead of it: those who go by time stamps.
  private var ahead: PlanCursor
  /// Start and Continue, before the tick from which they count.
  private var momentPrelude = PlanCursor(lead: ClockLoop.prelude)
  private var aheadPrelude: PlanCursor
  /// Steps on their way to the sound.
  private var sound = PlanCursor(lead: Ensemble.soundLead)
  private(set) var streams: StreamTable
  private var counters = ClockCounters()

  /// - Parameter tickLead: how far ahead a tick leaves for those who go by time stamps.
  init(shared: ClockRings, socket: UDPSocket, tickLead: Nanoseconds) {
    self.shared = shared
    streams = StreamTable(socket: socket)
    ahead = PlanCursor(lead: tickLead)
    aheadPrelude = PlanCursor(lead: tickLead + .milliseconds(5))
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
      shared.bell.wait(until: next, since: rung)
    }
  }

  /// Does what is due at `now`; gives the instant of the next thing to do.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func round(at now: Instant) -> Instant {
    adoptState()
    while let tick = moment.take(in: plan, at: now) {
      if plan.sends { streams.sendClock(tick, of: plan, stamped: false) }
      counters.ticks += 1
      shared.ticks.push(TickRecord(tick: tick, due: plan.deadline(tick), acted: MonotonicClock.now))
    }
    while let tick = sound.take(in: plan, at: now) { play(tick, at: now) }
    if plan.sends {
      while let tick = momentPrelude.take(in: plan, at: now) {
        streams.begin(at: tick, of: plan, table, stamped: false)
      }
      while let tick = aheadPrelude.take(in: plan, at: now) { streams.begin(at: tick, of: plan, table, stamped: true) }
      while let tick = ahead.take(in: plan, at: now) { streams.sendClock(tick, of: plan, stamped: true) }
      if end(of: moment, stamped: false) <= now { streams.stop(at: plan.deadline(plan.end), stamped: false) }
      if end(of: ahead, stamped: true) <= now { streams.stop(at: plan.deadline(plan.end), stamped: true) }
    }
    counters.skipped = moment.skipped
    counters.sent = streams.sent
    counters.unsent = streams.unsent
    shared.counters.publish(counters)
    var next = soonest(moment.due(in: plan), sound.due(in: plan))
    if plan.sends {
      next = soonest(next, soonest(momentPrelude.due(in: plan), aheadPrelude.due(in: plan)))
      next = soonest(next, soonest(ahead.due(in: plan), end(of: moment, stamped: false)))
      next = soonest(next, end(of: ahead, stamped: true))
    }
    return next
  }

  @_noLocks @_noAllocation
  private func soonest(_ a: Instant, _ b: Instant) -> Instant { a < b ? a : b }

  /// The newest plan, patch and activity.
  @_noLocks @_noAllocation
  private mutating func adoptState() {
    if let table = shared.table.take() { self.table = table }
    if let activity = shared.activity.take() { self.activity = activity }
    if let plan = shared.plan.take() {
      // A rhythm that another takes the place of, before its end, is stopped for those who heard it from here.
      if plan.run != self.plan.run || !plan.sends { stopStreams(at: MonotonicClock.now) }
      self.plan = plan
    }
  }

  @_noLocks @_noAllocation
  private mutating func stopStreams(at instant: Instant) {
    streams.stop(at: instant, stamped: false)
    streams.stop(at: instant, stamped: true)
  }

  @_noLocks @_noAllocation
  private func play(_ tick: Tick, at now: Instant) {
    guard let step = tick.beginsStep else { return }
    let instant = plan.deadline(tick)
    let hits = table.hits(at: step)
    var index = hits.lowerBound
    while index < hits.upperBound {
      let hit = table.hit(index)
      if hit.sounds(at: activity) {
        var event = SoundEvent(instant: instant, note: hit.note, velocity: hit.velocity, group: hit.group)
        event.handed = now
        shared.sounds.push(event)
      }
      index += 1
    }
  }

  /// When Stop is due for those whom `cursor` serves; the distant future while nobody has anything to stop.
  @_noLocks @_noAllocation
  private func end(of cursor: PlanCursor, stamped: Bool) -> Instant {
    guard plan.end.index != .max, cursor.next >= plan.end, streams.takesPart(in: plan.run, stamped: stamped) else {
      return .distantFuture
    }
    return plan.deadline(plan.end) - cursor.lead
  }

  /// Does what the control thread has asked for; false when that is to quit.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func obey() -> Bool {
    while let command = shared.commands.pop() {
      switch command {
      case .open(let session, let address, let ssrc, let sequence):
        streams.add(Stream(session: session, address: address, sender: PacketSender(ssrc: ssrc, sequence: sequence)))
      case .stamp(let session): streams.stamp(session)
      case .close(let session): streams.remove(session)
      case .exclusive(let exclusive, let session): streams.send(exclusive, to: session, at: MonotonicClock.now)
      case .quit:
        stopStreams(at: MonotonicClock.now)
        return false
      }
    }
    return true
  }
}
