import MusicalTime
import Realtime
import Synchronization

/// What the audio thread does, one step at a time, so that a test can drive it with a clock of its own: take the hits
/// that have arrived, do what the card asks for, say when to come again.
package final class AudioLoop: @unchecked Sendable {
  // Invariants: the card, the renderer and the period belong to the one thread that calls step. `recording` is the one
  // in `sink`, which lives as long as this object: a real-time thread may not even count references.
  private var card: NominalDevice
  private var renderer: Renderer
  private var period = StereoPeriod()
  private let sink: AudioSink
  private let events: SPSCRing<SoundEvent>
  private let recording: Unmanaged<WAVOutput>?
  private let end = Atomic<Int64>(.max)
  private let published = PublishedCounters()

  /// A recording in `sink` begins with the first period `card` will ask for. A sound card has a ``CardLoop``.
  package init(card: NominalDevice, module: consuming SoundModule?, sink: AudioSink, events: SPSCRing<SoundEvent>) {
    self.card = card
    self.sink = sink
    self.events = events
    renderer = Renderer(grid: card.grid, module: module)
    switch sink {
    case .none, .card: recording = nil
    case .wav(let output):
      recording = .passUnretained(output)
      output.begin(at: card.next)
    }
  }

  /// One step at `now`: when the next one is due, nil when the end has come.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  package func step(at now: Instant) -> Instant? {
    guard card.grid.instant(of: card.next).nanoseconds < end.load(ordering: .relaxed) else { return nil }
    renderer.take(events, earlier: .zero)
    switch card.step(at: now) {
    case .wait(let due): return due
    case .render(let frame): render(from: frame)
    case .renderLate(let frame):
      renderer.countUnderrun(frames: 0)
      render(from: frame)
    case .underrun(_, let frames): renderer.countUnderrun(frames: frames)
    }
    published.publish(renderer.counters)
    return now
  }

  /// Periods that begin at `instant` or later are not rendered any more. From any thread.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  package func end(at instant: Instant) { end.store(instant.nanoseconds, ordering: .relaxed) }

  /// From any thread. Real-time: not safe.
  package var counters: SoundCounters {
    var counters = published.newest
    counters.dropped += Int64(events.dropped)
    if case .wav(let output) = sink {
      counters.lostFrames = output.lostFrames
      counters.clippedSamples = output.clippedSamples
    }
    return counters
  }

  @_noLocks @_noAllocation
  private func render(from frame: Int64) {
    period.frame = frame
    renderer.render(&period)
    // A copy, because a closure that captured this object would count references.
    let period = period
    if let recording { recording._withUnsafeGuaranteedRef { $0.write(period) } }
  }
}
