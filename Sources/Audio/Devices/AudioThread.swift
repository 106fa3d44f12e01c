public import MusicalTime
public import Realtime

/// The thread that turns hits and messages into sound: SCHED_FIFO with priority 60. A sound card wakes the thread when the card can
/// take frames. Without a sound card, the thread sleeps until its next step is due. The thread allocates nothing and takes no lock, except
/// while its sound card is missing or lost, and when it closes the card. It runs until it is stopped.
///
/// Real-time: not safe.
public final class AudioThread {
  /// The scheduling policy that the kernel granted.
  public var schedulingPolicy: SchedulingPolicy { thread.schedulingPolicy }
  /// The number of the first frame on the grid, at which a recording begins. A sound card counts frames by its own clock:
  /// for a card, this number only shows approximately when the thread was started.
  public let firstFrame: Int64
  /// The instant at which ``firstFrame`` sounds.
  public let firstInstant: Instant

  /// The work of the thread: an ``AudioLoop`` for a recording or for no output, or ``card``.
  private let loop: any AudioWork
  /// The work for a sound card; nil without one.
  private let card: CardLoop?
  private let thread: RealtimeThread
  /// The state that the sound card's loop published last.
  private var newestState = CardState()
  /// Whether the thread ended in time when it was stopped; nil before ``stop(after:)``.
  private var hasEnded: Bool?

  /// Starts a thread that plays `events` into `sink`. The thread becomes the only consumer of `events`.
  ///
  /// - Parameters:
  ///   - module: The sound source, loaded for `grid` or, for a card, for ``PCMDevice/grid``; nil to render silence.
  ///   - grid: The grid of the recording. A card uses its own grid.
  ///
  /// Real-time: not safe.
  public init(
    events: SoundEvents, module: consuming SoundModule?, sink: AudioSink, grid: FrameGrid = .standard
  ) {
    // The thread has 60 ms to start, so that the first period is not an underrun.
    let nominalDevice = NominalDevice(grid: grid, notBefore: MonotonicClock.now + .milliseconds(60))
    firstFrame = nominalDevice.next
    firstInstant = grid.instant(of: nominalDevice.next)
    if case .card(let device, let latency) = sink {
      let cardLoop = CardLoop(device: device, latency: latency, module: module, events: events)
      (loop, card) = (cardLoop, cardLoop)
      thread = RealtimeThread(name: "audio", priority: 60) { cardLoop.run() }
    } else {
      let audioLoop = AudioLoop(device: nominalDevice, module: module, sink: sink, events: events)
      (loop, card) = (audioLoop, nil)
      thread = RealtimeThread(name: "audio", priority: 60) { run(audioLoop) }
    }
  }

  /// What the thread has played, dropped and missed since the start. Only one thread may read this property.
  ///
  /// Real-time: not safe.
  public var counters: SoundCounters { loop.counters }

  /// The state of the sound card; nil without a card. Only one thread may read this property.
  ///
  /// Real-time: not safe.
  public var cardState: CardState? {
    guard let card else { return nil }
    if let state = card.newState { newestState = state }
    return newestState
  }

  /// Sets the delay after the sound card (``AudioSink/card(_:latency:)``). No effect without a sound card.
  ///
  /// Real-time: not safe.
  public func set(latency: Nanoseconds) { card?.set(latency: latency) }

  /// Plays until `tail`, so that sounding notes can decay, then ends the thread and waits for it. The thread closes a sound
  /// card, but not a recording.
  ///
  /// - Returns: false if the thread has not ended two seconds after `tail`, or two seconds after the call if `tail` has passed,
  ///   for example because the plugin of a sound server blocks. The thread and its device are then abandoned and stay in use
  ///   until the process ends.
  ///
  /// Real-time: not safe.
  @discardableResult
  public func stop(after tail: Instant) -> Bool {
    if let hasEnded { return hasEnded }
    loop.end(at: tail)
    let now = MonotonicClock.now
    let isDone = thread.join(within: (tail > now ? tail - now : .zero) + .seconds(2))
    hasEnded = isDone
    return isDone
  }
}

/// The work of an audio thread, as other threads see it.
private protocol AudioWork: Sendable {
  var counters: SoundCounters { get }
  func end(at instant: Instant)
}

extension AudioLoop: AudioWork {}
extension CardLoop: AudioWork {}

/// Runs all steps of `loop`, each at the instant that the previous step has returned.
@_noLocks @_noAllocation
private func run(_ loop: AudioLoop) {
  while let due = loop.step(at: MonotonicClock.now) { MonotonicClock.sleep(until: due) }
}

/// The destination of the sound.
public enum AudioSink: Sendable {
  /// No output: hits are counted and discarded.
  case none
  /// A recording.
  case wav(WAVOutput)
  /// A sound card. After the audio thread has started, only this thread uses the card. `latency` is a delay after the card that the
  /// card does not report, such as the delay of Bluetooth. Hits are played earlier by this duration; if it is negative, later.
  case card(PCMDevice, latency: Nanoseconds)
}
