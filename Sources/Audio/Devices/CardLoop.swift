import Glibc
import MusicalTime
import Realtime
import Synchronization

/// What the audio thread does for a sound card: wait until a period fits, learn from the device's stamp, render, write.
///
/// The device holds more than is kept in it: ``level`` frames, two periods at first. Who runs empty although the thread
/// came in time (snd-aloop moves by timer, three of its steps are more than two periods) gets a period more from then
/// on, as far as its buffer goes; half a second from the start is there to find that out and is not counted.
///
/// After an underrun or a suspend the device is started again at once, with silence; frames that were missed are skipped,
/// so the next hit is in its place. A suspend is the machine's doing, so it is no underrun, but its silence is counted. A lost device is given back at once, so that its driver can leave, and tried again
/// four times a second; hits that fall due meanwhile are dropped and counted.
package final class CardLoop: @unchecked Sendable {
  /// What a step has come to.
  package enum Outcome: Hashable, Sendable, BitwiseCopyable {
    case playing
    /// The device is lost: ``awaitReturn()`` is next.
    case lost
    /// The end has come.
    case ended
  }

  // Invariants: everything but `end`, `published` and `states` belongs to the one thread that calls run or start and
  // step. `stream` is the device's whenever real-time code uses it.
  let device: PCMDevice
  let grid: FrameGrid
  var stream: PCMStream?
  var clock: DeviceClock
  var renderer: Renderer
  var state = CardState()
  /// The first frame not written yet, and how many frames the device is to hold.
  var next: Int64
  var level: Int64 = 0
  /// The period being written, and how many of its frames have been.
  var frames: InterleavedPeriod
  var silence: InterleavedPeriod
  private var period = StereoPeriod()
  var written: Int64 = NominalDevice.period
  /// How long the device may stand still before it is lost: longer for a sound server, to which somebody may have to
  /// connect it first.
  var patience = Nanoseconds.seconds(1)
  /// How far it has run ahead of time.
  var pace: DevicePace
  /// Since when it plays, and when it was written to last.
  var started: Instant
  var lastWrite: Instant
  /// When it was opened last, or tried to.
  var lastAttempt: Instant
  private let events: SPSCRing<SoundEvent>
  private let latency: Nanoseconds
  private let endInstant = Atomic<Int64>(.max)
  private let published = PublishedCounters()
  private let states = TripleBuffer(CardState())
  /// The first frame whose position is learnt from.
  var firstTrusted: Int64 = 0
  var lastStamp = Instant(nanoseconds: 0)

  /// A loop that plays on `device`, which from now on is its own. `module` must have been loaded for the device's grid.
  package init(device: PCMDevice, latency: Nanoseconds, module: consuming SoundModule?, events: SPSCRing<SoundEvent>) {
    self.device = device
    self.latency = latency
    self.events = events
    (grid, stream) = (device.grid, device.stream)
    let now = MonotonicClock.now
    (started, lastWrite, lastAttempt) = (now, now, now)
    next = grid.frame(nearest: now)
    clock = DeviceClock(grid: grid, stamps: .stale, frame: next, at: now)
    pace = DevicePace(rate: grid.rate, at: now)
    renderer = Renderer(grid: grid, module: module)
    frames = InterleavedPeriod(format: .s32, channels: 2)
    silence = InterleavedPeriod(format: .s32, channels: 2)
    adopt()
  }

  /// One step: waits for the device, 100 ms at most, and fills it.
  ///
  /// Real-time: safe (it waits, as asked).
  @_noLocks @_noAllocation
  package func step() -> Outcome {
    if clock.line.instant(of: next).nanoseconds >= endInstant.load(ordering: .relaxed) { return .ended }
    guard let stream else { return lose(-ENODEV) }
    let ready = stream.wait()
    if ready < 0 { return recover(stream, from: ready) }
    var code: Int32 = 0
    guard let position = stream.position(after: lastStamp, &code) else { return recover(stream, from: code) }
    lastStamp = position.instant
    observe(position)
    takeEvents()
    code = fill(stream, queued: stream.buffer &- position.available)
    if code < 0 { return recover(stream, from: code) }
    if pace.ahead > Double(level &+ stream.buffer) { return lose(-ENOSTR) }
    if MonotonicClock.now - lastWrite > patience { return lose(-ETIMEDOUT) }
    publish()
    return .playing
  }

  /// Starts the device, with silence, at the frame that is due now. false when it is lost.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  package func start() -> Bool {
    var code = -ENODEV
    if let stream { code = restart(stream) }
    if code < 0 {
      _ = lose(code)
      return false
    }
    started = MonotonicClock.now
    state.presence = .playing
    publish()
    return true
  }

  /// Hits with an instant from `instant` on are not played any more. From any thread.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  package func end(at instant: Instant) { endInstant.store(instant.nanoseconds, ordering: .relaxed) }

  /// When it is to end. Real-time: safe.
  var end: Instant { @_noLocks @_noAllocation get { Instant(nanoseconds: endInstant.load(ordering: .relaxed)) } }

  /// From any thread. Real-time: not safe.
  package var counters: SoundCounters {
    var counters = published.newest
    counters.dropped += Int64(events.dropped)
    return counters
  }

  /// How the card is doing, when that is new. From one thread alone. Real-time: safe.
  package var newState: CardState? { @_noLocks @_noAllocation get { states.take() } }

  @_noLocks @_noAllocation
  func takeEvents() { renderer.take(events, earlier: latency) }

  @_noLocks @_noAllocation
  func publish() {
    published.publish(renderer.counters)
    state.rate = grid.rate
    state.level = level
    state.drift = clock.drift
    state.underruns = renderer.counters.underruns
    state.lead = state.delay + latency + (grid.instant(of: 2 &* NominalDevice.period) - grid.instant(of: 0))
    states.publish(state)
  }

  @_noLocks @_noAllocation
  func lose(_ code: Int32) -> Outcome {
    // One that came back and did not play has not been lost again.
    if case .playing = state.presence { state.losses &+= 1 }
    state.presence = .gone(code: code)
    publish()
    return .lost
  }

  /// Learns from where the device stands, once it has moved by a period: before that it may still be coming up.
  @_noLocks @_noAllocation
  private func observe(_ position: PCMStream.Position) {
    guard position.delay >= 0, position.delay <= 10 &* grid.rate else { return }
    state.delay = grid.instant(of: position.delay) - grid.instant(of: 0)
    let frame = next &- position.delay
    guard frame >= firstTrusted else { return }
    clock.observe(frame: frame, at: position.instant)
    renderer.map = .line(clock.line)
  }

  /// Writes periods until the device holds `level` frames. 0 or -errno.
  @_noLocks @_noAllocation
  private func fill(_ stream: PCMStream, queued: Int64) -> Int32 {
    var held = queued
    var hasWritten = false
    while held &+ NominalDevice.period <= level {
      if written >= NominalDevice.period { render() }
      let count = stream.write(frames.bytes(from: Int(written)), NominalDevice.period &- written)
      if count == Int64(-EAGAIN) || count == 0 { break }
      if count < 0 { return Int32(truncatingIfNeeded: count) }
      written = written &+ count
      next = next &+ count
      held = held &+ count
      hasWritten = true
    }
    let now = MonotonicClock.now
    pace.take(held &- queued, at: now)
    // A device that wakes without need must not keep this thread from sleeping.
    if hasWritten { lastWrite = now } else { MonotonicClock.sleep(until: now + .milliseconds(1)) }
    return 0
  }

  @_noLocks @_noAllocation
  private func render() {
    period.frame = next
    renderer.render(&period)
    frames.fill(period)
    written = 0
  }
}
