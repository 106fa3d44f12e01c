import MusicalTime
import Synchronization

/// The ``SoundCounters`` that the audio thread writes and any other thread reads. Each counter is atomic and current, but two
/// counters may come from different calls of ``publish(_:)``. `lostFrames` and `clippedSamples` are not stored here, because
/// ``WAVOutput`` counts them.
struct PublishedCounters: ~Copyable, Sendable {
  private let hits = Atomic<Int64>(0)
  private let late = Atomic<Int64>(0)
  private let maximumLateness = Atomic<Int64>(0)
  private let dropped = Atomic<Int64>(0)
  private let messages = Atomic<Int64>(0)
  private let droppedNotes = Atomic<Int64>(0)
  private let underruns = Atomic<Int64>(0)
  private let silentFrames = Atomic<Int64>(0)

  /// Stores `counters` for the other threads.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  func publish(_ counters: SoundCounters) {
    hits.store(counters.hits, ordering: .relaxed)
    late.store(counters.late, ordering: .relaxed)
    maximumLateness.store(counters.maximumLateness.count, ordering: .relaxed)
    dropped.store(counters.dropped, ordering: .relaxed)
    messages.store(counters.messages, ordering: .relaxed)
    droppedNotes.store(counters.droppedNotes, ordering: .relaxed)
    underruns.store(counters.underruns, ordering: .relaxed)
    silentFrames.store(counters.silentFrames, ordering: .relaxed)
  }

  /// The values stored last.
  var newest: SoundCounters {
    var counters = SoundCounters()
    counters.hits = hits.load(ordering: .relaxed)
    counters.late = late.load(ordering: .relaxed)
    counters.maximumLateness = Nanoseconds(maximumLateness.load(ordering: .relaxed))
    counters.dropped = dropped.load(ordering: .relaxed)
    counters.messages = messages.load(ordering: .relaxed)
    counters.droppedNotes = droppedNotes.load(ordering: .relaxed)
    counters.underruns = underruns.load(ordering: .relaxed)
    counters.silentFrames = silentFrames.load(ordering: .relaxed)
    return counters
  }
}
