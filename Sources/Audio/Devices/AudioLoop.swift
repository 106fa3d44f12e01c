import MusicalTime
import Realtime
import Synchronization

/// The work of an audio thread without a sound card, one step at a time. The thread renders a recording, or only counts hits if
/// there is no output. Each step takes the submitted events, renders a period if the ``NominalDevice`` requests one, and returns
/// the instant of the next step. A test can drive the loop with a virtual clock. Sound cards use ``CardLoop`` instead.
package final class AudioLoop: @unchecked Sendable {
  // Invariants: the device, the renderer and the block belong to the one thread that calls step. `recording` is an unmanaged
  // reference to the recording in `sink`, because a real-time thread must not count references. `sink` keeps the recording alive
  // while this object exists.
  private var device: NominalDevice
  private var renderer: Renderer
  private var block = StereoBlock()
  private let sink: AudioSink
  private let events: SoundEvents
  private let recording: Unmanaged<WAVOutput>?
  /// The instant at which the loop ends, in nanoseconds of CLOCK_MONOTONIC.
  private let endInstant = Atomic<Int64>(.max)
  private let published = TripleBuffer(SoundCounters())
  /// The counters that ``counters`` has taken last. They belong to the one thread that reads it.
  private var newestCounters = SoundCounters()

  /// Creates a loop that renders the hits and messages of `events` into `sink`. A recording begins with the first period
  /// that `device` will request.
  ///
  /// Real-time: not safe.
  package init(device: NominalDevice, module: consuming SoundModule?, sink: AudioSink, events: SoundEvents) {
    self.device = device
    self.sink = sink
    self.events = events
    switch sink {
    case .none, .card:
      recording = nil
      // A card is played by ``CardLoop``, not here. Without an output, nothing sounds, so no hits are reported in
      // `events.sounded`.
      renderer = Renderer(grid: device.grid, module: module)
    case .wav(let output):
      renderer = Renderer(grid: device.grid, module: module, sounded: events.sounded)
      recording = .passUnretained(output)
      output.begin(at: device.next)
    }
  }

  /// Does one step at `now`. Returns the instant at which the next step is due, or nil when the end is reached.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  package func step(at now: Instant) -> Instant? {
    guard device.grid.instant(of: device.next).nanoseconds < endInstant.load(ordering: .relaxed) else { return nil }
    renderer.drain(events, latency: .zero)
    switch device.step(at: now) {
    case .wait(let due): return due
    case .render(let frame): render(from: frame)
    case .renderLate(let frame):
      // A sound card would have run out of frames, so this is an underrun. A recording waits for this thread and loses no
      // frame, so the underrun has 0 silent frames.
      renderer.countUnderrun(frames: 0)
      render(from: frame)
    case .underrun(_, let frames):
      // This thread is late by ``NominalDevice/maximumLateness`` or more. The frames that it has missed are skipped and
      // become silence in the recording.
      renderer.countUnderrun(frames: frames)
    }
    published.publish(renderer.counters)
    // The next step follows at once: it renders the next period, or returns the instant at which the next period is due.
    return now
  }

  /// Sets the end: periods that begin at `instant` or later are not rendered. Any thread may call this function.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  package func end(at instant: Instant) { endInstant.store(instant.nanoseconds, ordering: .relaxed) }

  /// The counters since the start. Only one thread may read this property.
  ///
  /// Real-time: not safe.
  package var counters: SoundCounters {
    if let counters = published.take() { newestCounters = counters }
    var counters = newestCounters
    counters.dropped += Int64(events.dropped)
    if case .wav(let output) = sink {
      counters.lostFrames = output.lostFrames
      counters.clippedSamples = output.clippedSamples
    }
    return counters
  }

  /// Renders the blocks of the period that begins at `frame` and passes them to the recording, if there is one.
  @_noLocks @_noAllocation
  private func render(from frame: Int64) {
    block.frame = frame
    while block.frame < frame &+ NominalDevice.period {
      renderer.render(&block)
      // The closure captures this copy. A closure that captured the object itself would count references.
      let rendered = block
      if let recording { recording._withUnsafeGuaranteedRef { $0.write(rendered) } }
      block.frame = block.frame &+ StereoBlock.length
    }
  }
}
