public import MusicalTime
public import Realtime

/// The thread that turns hits into sound: FIFO 60, woken once a period by the card's clock. It allocates nothing and
/// waits for nobody. It runs until it is stopped.
public final class AudioThread {
  /// What the kernel granted.
  public var scheduler: Scheduler { thread.scheduler }
  /// The number of the first frame on the grid, with which a recording begins.
  public let firstFrame: Int64
  /// When that frame sounds.
  public let firstInstant: Instant

  private let loop: AudioLoop
  private let thread: RealtimeThread
  private var hasEnded = false

  /// Starts playing the hits of `events`, whose one consumer the thread becomes, into `sink`.
  ///
  /// - Parameters:
  ///   - lanes: the kit, loaded for `grid`; nil where nobody listens.
  ///   - grid: must be the sink's.
  ///
  /// Real-time: not safe.
  public init(
    events: SPSCRing<SoundEvent>, lanes: consuming DrumLanes?, sink: AudioSink, grid: FrameGrid = .standard
  ) {
    // Room for the thread to come up, so that the beginning is not an underrun.
    let card = SteadyCard(grid: grid, notBefore: MonotonicClock.now + .milliseconds(60))
    firstFrame = card.next
    firstInstant = grid.instant(of: card.next)
    let loop = AudioLoop(card: card, lanes: lanes, sink: sink, events: events)
    self.loop = loop
    thread = RealtimeThread(name: "audio", priority: 60) { run(loop) }
  }

  /// What has been played and what has been missed so far.
  ///
  /// Real-time: not safe.
  public var counters: SoundCounters { loop.counters }

  /// Plays on until `tail`, so that what sounds can fade, then ends the thread and waits for it. The sink is not
  /// closed.
  ///
  /// Real-time: not safe.
  public func stop(after tail: Instant) {
    guard !hasEnded else { return }
    loop.end(at: tail)
    thread.join()
    hasEnded = true
  }
}

@_noLocks @_noAllocation
private func run(_ loop: AudioLoop) {
  while let due = loop.step(at: MonotonicClock.now) { MonotonicClock.sleep(until: due) }
}
