import Glibc
import MusicalTime
import Realtime
import Synchronization

/// The work of the audio thread for a sound card. Each step waits until a batch fits, passes the time stamp of the device
/// to ``DeviceClock``, renders and writes. A batch is one block for a card, and four blocks for a sound server.
///
/// **Fill level.** The loop keeps ``fillLevel`` frames in the buffer of the device, which can hold more. A card interrupts once
/// per block, if it supports this. The loop then writes the next block, while the card still holds one period (see
/// ``PCMDevice/init(_:period:)``). A note therefore sounds after one period plus at most one block. See ``initialFillLevel(of:)``
/// for the initial level. Some devices underrun at this level although the thread is on time: for example, snd-aloop takes frames
/// in the steps of a timer, and two of these steps (8 ms) are longer than the sum of a period and a block (6.7 ms). After such an
/// underrun the level rises by one period, up to the size of the buffer. In the first half second after the start, these underruns
/// are not counted, because they belong to the search for a sufficient level. After a minute without an underrun the level falls
/// again, see ``FillLevel``. The underruns of a sound server that fills its own buffer are not counted and do not raise the level,
/// see ``StartSeries``.
///
/// **Recovery.** After an underrun or a suspend, the loop restarts the device with silence: immediately, or after a pause if the
/// device never plays (``StartSeries``). Missed frames are skipped, so the next hit sounds on time. A suspend of the machine does
/// not count as an underrun, but its silence is counted.
/// A lost device is closed immediately, so that its driver can be unloaded. The loop then tries to reopen it, at most four times
/// per second. Hits that fall due meanwhile are dropped and counted. A device that is missing at the start is opened in the same
/// way.
package final class CardLoop: @unchecked Sendable {
  /// The result of a step.
  package enum Outcome: Hashable, Sendable, BitwiseCopyable {
    case playing
    /// The device is lost. Call ``waitUntilReopened()``.
    case lost
    /// The end is reached.
    case ended
  }

  // Invariants: `newestCounters` belongs to the one thread that reads `counters`. Everything else except `endInstant`, `latencyCount`,
  // `published` and `states` belongs to the one thread that calls run, or
  // start and step. `stream` is the stream of `device` whenever real-time code uses it.
  let device: PCMDevice
  let grid: FrameGrid
  var stream: PCMStream?
  var clock: DeviceClock
  var renderer: Renderer
  var state = CardState()
  /// The first frame that has not been written.
  var nextFrame: Int64
  /// The number of frames to keep in the device.
  var level = FillLevel()
  var fillLevel: Int64 { @_noLocks @_noAllocation get { level.frames } }
  /// The batch that is being written.
  var batch: InterleavedBatch
  /// A silent batch.
  var silence: InterleavedBatch
  /// The block that was rendered last.
  var block = StereoBlock()
  /// The number of frames that the last ``fill(_:queued:)`` wrote. A device can take several batches at once.
  var filledFrames: Int64 = 0
  /// The number of frames of ``batch`` that have been written. When all have been written, the next batch is rendered.
  var writtenFrames: Int64 = 0
  /// How long the device may accept no frames before it counts as lost. The value is longer for a sound server, because a
  /// user may first have to connect the stream to a card.
  var stallTimeout = Nanoseconds.seconds(1)
  /// Detects a device that accepts frames faster than it can play them.
  var bucket: LeakyBucket
  /// When the device was started.
  var startInstant: Instant
  /// The consecutive starts of the stream.
  var startSeries: StartSeries
  /// When frames were last written to the device.
  var lastWrite: Instant
  /// When the loop last tried to open the device.
  var lastOpenAttempt: Instant
  private let events: SoundEvents
  /// The delay after the device, by which hits are played earlier, in nanoseconds.
  private let latencyCount: Atomic<Int64>
  private var latency: Nanoseconds {
    @_noLocks @_noAllocation get { Nanoseconds(latencyCount.load(ordering: .relaxed)) }
  }
  /// The instant at which the loop ends, in nanoseconds of CLOCK_MONOTONIC.
  private let endInstant = Atomic<Int64>(.max)
  private let published = TripleBuffer(SoundCounters())
  /// The counters that ``counters`` has taken last.
  private var newestCounters = SoundCounters()
  private let states = TripleBuffer(CardState())
  /// The first frame whose reported position is passed to ``clock``.
  var firstReliableFrame: Int64 = 0
  /// The instant of the last position report.
  var lastStamp = Instant(nanoseconds: 0)

  /// Creates a loop that plays on `device`. From now on, the loop owns the device. `module` must have been loaded for the grid of
  /// the device.
  ///
  /// Real-time: not safe.
  package init(device: PCMDevice, latency: Nanoseconds, module: consuming SoundModule?, events: SoundEvents) {
    self.device = device
    latencyCount = Atomic(latency.count)
    self.events = events
    (grid, stream) = (device.grid, device.stream)
    let now = MonotonicClock.now
    (startInstant, lastWrite, lastOpenAttempt) = (now, now, now)
    startSeries = StartSeries(at: now)
    nextFrame = grid.frame(nearest: now)
    clock = DeviceClock(grid: grid, noise: .oneSided, frame: nextFrame, at: now)
    bucket = LeakyBucket(rate: grid.rate, at: now)
    renderer = Renderer(grid: grid, module: module, sounded: events.sounded)
    // `applyNegotiatedParameters` below replaces these batches by batches in the format of the device.
    batch = InterleavedBatch(blocks: 1, format: .s32, channels: 2)
    silence = InterleavedBatch(blocks: 1, format: .s32, channels: 2)
    if stream == nil { state.status = .awaited }
    applyNegotiatedParameters()
    publish()
  }

  /// Does one step: waits for the device, at most 100 ms, and fills it.
  ///
  /// Real-time: safe. The function blocks while it waits for the device.
  @_noLocks @_noAllocation
  package func step() -> Outcome {
    if clock.fit.instant(of: nextFrame).nanoseconds >= endInstant.load(ordering: .relaxed) { return .ended }
    guard let stream else { return markLost(-ENODEV) }
    // `ready` is 0 after a timeout: the device has not asked for frames. The checks below find a device that has stalled.
    let ready = stream.wait()
    if ready < 0 { return recover(stream, from: ready) }
    var code: Int32 = 0
    guard let position = stream.position(after: lastStamp, &code) else { return recover(stream, from: code) }
    lastStamp = position.instant
    observe(position)
    drainEvents()
    code = fill(stream, queued: stream.buffer &- position.available)
    if code < 0 { return recover(stream, from: code) }
    // The bucket contains the accepted frames that the device cannot have played yet. If there are more than the buffer can hold, the
    // device accepts frames without playing them. The fill level is a margin.
    if bucket.level > Double(fillLevel &+ stream.buffer) { return markLost(-ENOSTR) }
    // A device that has accepted no frame for `stallTimeout` does not play.
    let now = MonotonicClock.now
    if now - lastWrite > stallTimeout { return markLost(-ETIMEDOUT) }
    if level.fall(at: now) {
      code = setWakeThreshold(stream)
      if code < 0 { return recover(stream, from: code) }
    }
    publish()
    return .playing
  }

  /// Starts the device, with silence, at the frame that is due now. Returns false if the device is lost or missing. After a loss, the
  /// status becomes ``CardState/Status/playing`` only when the device has taken frames of ``fill(_:queued:)``, because a sound server
  /// that is shutting down can still be opened.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  package func start() -> Bool {
    guard let stream else { return false }
    startSeries = StartSeries(at: MonotonicClock.now)
    let code = restart(stream)
    if code < 0 {
      _ = markLost(code)
      return false
    }
    startInstant = MonotonicClock.now
    publish()
    return true
  }

  /// Sets the end: hits at `instant` or later are not played. Any thread may call this function.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  package func end(at instant: Instant) { endInstant.store(instant.nanoseconds, ordering: .relaxed) }

  /// Sets the delay after the device. Hits that wait are moved. Any thread may call this function.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  package func set(latency: Nanoseconds) { latencyCount.store(latency.count, ordering: .relaxed) }

  /// The instant of the end. Real-time: safe.
  var end: Instant { @_noLocks @_noAllocation get { Instant(nanoseconds: endInstant.load(ordering: .relaxed)) } }

  /// The counters since the start. Only one thread may read this property. Real-time: not safe.
  package var counters: SoundCounters {
    if let counters = published.take() { newestCounters = counters }
    var counters = newestCounters
    counters.dropped += Int64(events.dropped)
    return counters
  }

  /// The state of the card if it was published since the last call, otherwise nil. Only one thread may read this
  /// property. Real-time: safe.
  package var newState: CardState? { @_noLocks @_noAllocation get { states.take() } }

  /// Passes all submitted events to the renderer.
  @_noLocks @_noAllocation
  func drainEvents() { renderer.drain(events, latency: latency) }

  /// Publishes the counters and the state for the other threads.
  @_noLocks @_noAllocation
  func publish() {
    published.publish(renderer.counters)
    state.rate = grid.rate
    state.fillLevel = fillLevel
    state.drift = clock.drift
    state.underruns = renderer.counters.underruns
    // The device reported `state.delay` before the last fill. The delay of a hit in the last batch of a fill exceeds `state.delay` by up
    // to all frames of the fill. Therefore a hit must be submitted earlier by these frames. One more batch is a reserve.
    let framesAhead = max(filledFrames, batch.length) &+ batch.length
    state.latency = latency
    state.lead = state.delay + state.latency + (grid.instant(of: framesAhead) - grid.instant(of: 0))
    states.publish(state)
  }

  /// Publishes that the device is lost because of `code` (-errno). Returns ``Outcome/lost``.
  @_noLocks @_noAllocation
  func markLost(_ code: Int32) -> Outcome {
    // A device that was reopened and lost again before it played counts as one loss.
    if case .playing = state.status { state.losses &+= 1 }
    state.status = .lost(code: code)
    publish()
    return .lost
  }

  /// Passes the position of the device to ``clock``, once the device has played ``PCMStream/startFrames`` after a start.
  @_noLocks @_noAllocation
  private func observe(_ position: PCMStream.Position) {
    // A negative delay, or a delay of more than ten seconds, is not plausible.
    guard position.delay >= 0, position.delay <= 10 &* grid.rate else { return }
    state.delay = grid.instant(of: position.delay) - grid.instant(of: 0)
    let frame = nextFrame &- position.delay
    guard frame >= firstReliableFrame else { return }
    clock.observe(frame: frame, at: position.instant)
    renderer.map = .fit(clock.fit)
  }
}
