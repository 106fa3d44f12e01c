import Dispatch
import MIDI
import MusicalTime
import Realtime
import Synchronization

/// Writes a ``MIDIRecording`` to a file, on a queue of normal priority, so that a slow disk delays no other thread.
///
/// A file of several tracks cannot grow at its end, because each track contains its length. The whole file is therefore written again every
/// few seconds (``ReplacedFile``). A peer that is killed loses at most the last five seconds: ``interval``, ``lateness`` and the time of
/// the write. If a write takes longer than 0.15 s, the interval, and with it the loss, is longer: the interval is then 20 times the
/// duration of the write, so that a large file does not keep a slow disk busy.
final class MIDIRecorder: @unchecked Sendable {
  // Invariant: `recording`, `nextWrite`, `writtenRevision` and `lastFailure` are used only on `queue`.

  /// The least time between two writes.
  private static let interval = Nanoseconds.seconds(3)
  /// How long after its instant an event gets its position in the recording. By then, all ticks before the event have been added.
  static let lateness = Nanoseconds.seconds(1)
  /// The maximum number of events that wait for the queue. Further events are lost.
  private static let capacity = 1 << 18

  private let path: String
  private let file: ReplacedFile
  private let queue = DispatchQueue(label: "tutti.midi-recording")
  private let onFailure: @Sendable (EngineError) -> Void
  private var recording: MIDIRecording
  /// When the file is written again.
  private var nextWrite = Instant(nanoseconds: .min)
  /// The revision of the recording in the file; -1 before the first write.
  private var writtenRevision = -1
  /// The failure of the last write; nil if the last write succeeded.
  private var lastFailure: EngineError?
  private let waiting = Mutex(Waiting())

  private struct Waiting {
    var events: [RecordedEvent] = []
    /// All ticks that are due before this instant have been added.
    var horizon = Instant(nanoseconds: .min)
    /// Whether ``takeWaiting()`` is scheduled on the queue.
    var isScheduled = false
    var lost: Int64 = 0
  }

  /// The number of events that were lost because too many events were waiting for the disk.
  var lost: Int64 { waiting.withLock { $0.lost } }

  /// Writes `recording`, which has no events yet, in the background.
  ///
  /// - Parameter onFailure: called on the queue when the recording is full, and when the file cannot be written. Of several
  ///   failures in a row, only the first is reported.
  init(
    _ recording: MIDIRecording, to file: ReplacedFile, path: String,
    onFailure: @escaping @Sendable (EngineError) -> Void
  ) {
    (self.recording, self.file, self.path, self.onFailure) = (recording, file, path, onFailure)
    queue.async { [self] in write() }
  }

  /// Checks that `path` can be written: see ``ReplacedFile/init(_:)``.
  ///
  /// - Throws: ``EngineError``.
  static func file(at path: String) throws(EngineError) -> ReplacedFile {
    do throws(Fault) { return try ReplacedFile(path) } catch {
      throw EngineError("\(path): cannot be written (\(error.reason)); give --record a file in a writable folder")
    }
  }

  /// Adds events to the recording. The file is written in the background.
  ///
  /// - Parameter now: the present instant. Every tick that was due before `now` minus ``lateness`` must be in `events` or in an earlier
  ///   call.
  func add(_ events: [RecordedEvent], at now: Instant) {
    let isFirst = waiting.withLock { waiting in
      let room = max(0, Self.capacity - waiting.events.count)
      waiting.lost += Int64(max(0, events.count - room))
      waiting.events += events.prefix(room)
      waiting.horizon = now - Self.lateness
      defer { waiting.isScheduled = true }
      return !waiting.isScheduled
    }
    if isFirst { queue.async { [self] in takeWaiting() } }
  }

  /// Completes the recording and writes the file, because the sound ends at `instant`.
  ///
  /// - Returns: how long the file plays.
  /// - Throws: ``EngineError`` if the recording on the disk is not complete.
  func finish(at instant: Instant) throws(EngineError) -> Nanoseconds {
    let (failure, duration) = queue.sync {
      takeWaiting()
      recording.finish(at: instant)
      write(isLast: true)
      return (lastFailure, recording.timeline.duration)
    }
    if let failure { throw failure }
    return duration
  }

  /// Adds the waiting events to the recording, and writes the file if this is due.
  private func takeWaiting() {
    let (events, horizon) = waiting.withLock { waiting in
      defer { (waiting.events, waiting.isScheduled) = ([], false) }
      return (waiting.events, waiting.horizon)
    }
    let wasFull = recording.isFull
    for event in events { recording.add(event) }
    recording.place(until: horizon)
    if recording.isFull, !wasFull {
      onFailure(
        EngineError(
          "\(path): the recording has stopped: it has \(MIDIRecording.maximumEvents) events, the limit; "
            + "record in shorter takes"))
    }
    if recording.revision != writtenRevision, MonotonicClock.now >= nextWrite { write() }
  }

  /// Writes the file. After a failure, the previous file remains, and the next write tries again. `isLast`: no write follows.
  private func write(isLast: Bool = false) {
    let start = MonotonicClock.now
    let hadFailed = lastFailure != nil
    do {
      try file.write(try recording.file.bytes())
      (lastFailure, writtenRevision) = (nil, recording.revision)
    } catch {
      let reason = (error as? Fault)?.reason ?? "\(error)"
      let effect = isLast ? "the recording is not complete" : "this peer tries again every few seconds"
      let failure = EngineError(
        "\(path): cannot be written (\(reason)); \(effect); make room on the disk, or make the folder writable")
      lastFailure = failure
      if !hadFailed { onFailure(failure) }
    }
    let end = MonotonicClock.now
    nextWrite = end + max(Self.interval, Nanoseconds((end - start).count * 20))
  }
}
