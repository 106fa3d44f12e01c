public import MusicalTime
public import Realtime

/// The thread that turns hits into sound: FIFO 60, woken once a period by the card's clock. It allocates nothing and
/// waits for nobody, but while its sound card is lost. It runs until it is stopped.
public final class AudioThread {
  /// What the kernel granted.
  public var schedulingPolicy: SchedulingPolicy { thread.schedulingPolicy }
  /// The number of the first frame on the grid, with which a recording begins. A sound card has a clock of its own: of
  /// it this says only about when the thread was started.
  public let firstFrame: Int64
  /// When that frame sounds.
  public let firstInstant: Instant

  private enum Work: Sendable {
    case steady(AudioLoop)
    case card(CardLoop)
  }
  private let work: Work
  private let thread: RealtimeThread
  private var newestState = CardState()
  /// Whether it has been stopped, and if so, whether it has ended.
  private var hasEnded: Bool?

  /// Starts playing the hits of `events`, whose one consumer the thread becomes, into `sink`.
  ///
  /// - Parameters:
  ///   - module: what it sounds with, loaded for `grid`, or a card's ``PCMDevice/grid``; nil where nobody listens.
  ///   - grid: must be a recording's; a card has its own.
  ///
  /// Real-time: not safe.
  public init(
    events: SPSCRing<SoundEvent>, module: consuming SoundModule?, sink: AudioSink, grid: FrameGrid = .standard
  ) {
    // Room for the thread to come up, so that the beginning is not an underrun.
    let card = NominalDevice(grid: grid, notBefore: MonotonicClock.now + .milliseconds(60))
    firstFrame = card.next
    firstInstant = grid.instant(of: card.next)
    if case .card(let device, let latency) = sink {
      let loop = CardLoop(device: device, latency: latency, module: module, events: events)
      work = .card(loop)
      thread = RealtimeThread(name: "audio", priority: 60) { loop.run() }
    } else {
      let loop = AudioLoop(card: card, module: module, sink: sink, events: events)
      work = .steady(loop)
      thread = RealtimeThread(name: "audio", priority: 60) { run(loop) }
    }
  }

  /// What has been played and what has been missed so far.
  ///
  /// Real-time: not safe.
  public var counters: SoundCounters {
    switch work {
    case .steady(let loop): loop.counters
    case .card(let loop): loop.counters
    }
  }

  /// How the sound card is doing; nil where there is none. To be asked by one thread.
  ///
  /// Real-time: not safe.
  public var card: CardState? {
    guard case .card(let loop) = work else { return nil }
    if let state = loop.newState { newestState = state }
    return newestState
  }

  /// Plays on until `tail`, so that what sounds can fade, then ends the thread and waits for it. A recording is not
  /// closed; a sound card is.
  ///
  /// - Returns: false when the thread has not ended two seconds after that, because a sound server's plugin hangs. Then it
  ///   is given up: it and its device are nobody's any more, for as long as the process lives.
  ///
  /// Real-time: not safe.
  @discardableResult
  public func stop(after tail: Instant) -> Bool {
    if let hasEnded { return hasEnded }
    switch work {
    case .steady(let loop): loop.end(at: tail)
    case .card(let loop): loop.end(at: tail)
    }
    let now = MonotonicClock.now
    let isDone = thread.join(within: (tail > now ? tail - now : .zero) + .seconds(2))
    hasEnded = isDone
    return isDone
  }
}

@_noLocks @_noAllocation
private func run(_ loop: AudioLoop) {
  while let due = loop.step(at: MonotonicClock.now) { MonotonicClock.sleep(until: due) }
}
