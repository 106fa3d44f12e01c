import Audio
import BasicContainers
import Ensemble
import MIDI
import MusicalTime
import RTPMIDI
import Realtime
import Rhythm
import Transports

/// What the clock thread does, one round at a time: it walks the plan's ticks, hands steps to the sound, and sends Start, Clock and
/// Stop to every session, ahead of time or at the moment. It holds nothing but trivial values and one packet's room.
struct ClockLoop: ~Copyable {
  /// How long before its first tick a receiver hears Start or Continue: MIDI 1.0 asks for a millisecond at least.
  static var prelude: Nanoseconds { @_noLocks @_noAllocation get { .milliseconds(10) } }
  /// Sessions at most.
  static var mostStreams: Int { 1100 }

  let shared: ClockRings
  let socket: UDPSocket
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
  private var streams = RigidArray<Stream>(capacity: ClockLoop.mostStreams)
  private var packet = RigidArray<UInt8>(capacity: 160)
  private var octets = RigidArray<UInt8>(capacity: ClockCommand.Exclusive.room)
  private var counters = ClockCounters()

  /// - Parameter tickLead: how far ahead a tick leaves for those who go by time stamps.
  init(shared: ClockRings, socket: UDPSocket, tickLead: Nanoseconds) {
    self.shared = shared
    self.socket = socket
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
      if plan.sends { sendClock(tick, stamped: false) }
      counters.ticks += 1
      shared.ticks.push(TickRecord(tick: tick, due: plan.deadline(tick), acted: MonotonicClock.now))
    }
    while let tick = sound.take(in: plan, at: now) { play(tick) }
    if plan.sends {
      while let tick = momentPrelude.take(in: plan, at: now) { open(at: tick, stamped: false) }
      while let tick = aheadPrelude.take(in: plan, at: now) { open(at: tick, stamped: true) }
      while let tick = ahead.take(in: plan, at: now) { sendClock(tick, stamped: true) }
      stopEnded(moment, stamped: false, at: now)
      stopEnded(ahead, stamped: true, at: now)
    }
    counters.skipped = moment.skipped
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
      if plan.run != self.plan.run || !plan.sends { stopAll(at: MonotonicClock.now) }
      self.plan = plan
    }
  }

  @_noLocks @_noAllocation
  private func play(_ tick: Tick) {
    guard let step = tick.beginsStep else { return }
    let instant = plan.deadline(tick)
    let hits = table.hits(at: step)
    var index = hits.lowerBound
    while index < hits.upperBound {
      let hit = table.hit(index)
      if hit.sounds(at: activity) {
        shared.sounds.push(
          SoundEvent(instant: instant, note: hit.note, velocity: hit.velocity, group: hit.group))
      }
      index += 1
    }
  }

  // MARK: Commands

  /// The sessions served, in no order.
  var sessions: [SessionID] { (0..<streams.count).map { streams[$0].session } }

  /// Does what the control thread has asked for; false when that is to quit.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func obey() -> Bool {
    while let command = shared.commands.pop() {
      switch command {
      case .open(let session, let address, let ssrc, let sequence):
        guard streams.count < Self.mostStreams else { continue }
        streams.append(
          Stream(session: session, address: address, sender: PacketSender(ssrc: ssrc, sequence: sequence)))
      case .stamp(let session):
        if let index = index(of: session) { streams[index].isStamped = true }
      case .close(let session):
        if let index = index(of: session) {
          streams[index] = streams[streams.count - 1]
          streams.removeLast()
        }
      case .exclusive(let exclusive, let session):
        send(exclusive, to: session)
      case .quit:
        return false
      }
    }
    return true
  }

  @_noLocks @_noAllocation
  private func index(of session: SessionID) -> Int? {
    var index = 0
    while index < streams.count {
      if streams[index].session.number == session.number { return index }
      index += 1
    }
    return nil
  }

  // MARK: Sending

  @_noLocks @_noAllocation
  private mutating func sendClock(_ tick: Tick, stamped: Bool) {
    var index = 0
    while index < streams.count {
      var stream = streams[index]
      if stream.isStamped == stamped, stream.run == plan.run {
        while stream.next <= tick {
          send(.clock, at: plan.deadline(stream.next), on: &stream)
          stream.next = stream.next + 1
        }
        streams[index] = stream
      }
      index += 1
    }
  }

  /// Lets those begin who can begin at `tick`: all at the first tick of the run, latecomers at a bar.
  @_noLocks @_noAllocation
  private mutating func open(at tick: Tick, stamped: Bool) {
    let bar = Int64(table.stepsPerBar) * Tick.perStep
    guard tick == plan.start || tick.index % bar == 0 else { return }
    var index = 0
    while index < streams.count {
      var stream = streams[index]
      if stream.isStamped == stamped, stream.run != plan.run {
        let instant = plan.deadline(tick)
        if tick.index == 0 {
          send(.start, at: instant, on: &stream)
        } else {
          send(.songPosition(songPosition(of: tick.step)), at: instant, on: &stream)
          send(.continue, at: instant, on: &stream)
        }
        stream.run = plan.run
        stream.next = tick
        streams[index] = stream
      }
      index += 1
    }
  }

  /// Song Position has 14 bits: the place modulo the largest multiple of the pattern's length that fits.
  @_noLocks @_noAllocation
  private func songPosition(of step: Step) -> UInt14 {
    let pattern = Int64(table.stepCount)
    let whole = 16384 / pattern * pattern
    return UInt14(clamping: Int(step.index % whole))
  }

  /// Sends Stop to those who have had all ticks of the plan.
  @_noLocks @_noAllocation
  private mutating func stopEnded(_ cursor: PlanCursor, stamped: Bool, at now: Instant) {
    guard end(of: cursor, stamped: stamped) <= now else { return }
    stop(stamped: stamped, at: plan.deadline(plan.end))
  }

  /// When Stop is due for those whom `cursor` serves; the distant future while nobody has anything to stop.
  @_noLocks @_noAllocation
  private func end(of cursor: PlanCursor, stamped: Bool) -> Instant {
    guard plan.end.index != .max, cursor.next >= plan.end else { return .distantFuture }
    var index = 0
    while index < streams.count {
      if streams[index].run == plan.run, streams[index].isStamped == stamped {
        return plan.deadline(plan.end) - cursor.lead
      }
      index += 1
    }
    return .distantFuture
  }

  @_noLocks @_noAllocation
  private mutating func stopAll(at instant: Instant) {
    stop(stamped: false, at: instant)
    stop(stamped: true, at: instant)
  }

  @_noLocks @_noAllocation
  private mutating func stop(stamped: Bool, at instant: Instant) {
    var index = 0
    while index < streams.count {
      var stream = streams[index]
      if stream.isStamped == stamped, stream.run != 0 {
        send(.stop, at: instant, on: &stream)
        stream.run = 0
        streams[index] = stream
      }
      index += 1
    }
  }

  @_noLocks @_noAllocation
  private mutating func send(_ message: Message, at instant: Instant, on stream: inout Stream) {
    packet.removeAll()
    guard stream.sender.encode(message, at: instant, into: &packet) else { return }
    deliver(to: stream.address)
  }

  @_noLocks @_noAllocation
  private mutating func send(_ exclusive: ClockCommand.Exclusive, to session: SessionID?) {
    let now = MonotonicClock.now
    octets.removeAll()
    var index = 0
    while index < exclusive.count {
      octets.append(exclusive.octets[index])
      index += 1
    }
    index = 0
    while index < streams.count {
      var stream = streams[index]
      if session.map({ stream.session.number == $0.number }) ?? stream.isStamped {
        packet.removeAll()
        if stream.sender.encode(systemExclusive: octets, at: now, into: &packet) != nil {
          streams[index] = stream
          deliver(to: stream.address)
        }
      }
      index += 1
    }
  }

  @_noLocks @_noAllocation
  private mutating func deliver(to address: SocketAddress) {
    let isSent = socket.send(packet, to: address)
    if isSent { counters.sent += 1 } else { counters.unsent += 1 }
  }
}
