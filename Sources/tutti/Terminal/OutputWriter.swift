import Dispatch
import Glibc
import Synchronization

/// Writes text to a standard stream on a separate dispatch queue, so that the caller never waits for the reader of the stream.
///
/// A pipe that nobody reads, or a terminal that the user has stopped with Ctrl-S, blocks the thread that writes to it. At most
/// ``capacity`` octets wait to be written. Further texts are counted and discarded. Before the next text
/// for which there is space, and in ``flush()``, the writer writes a text with the number of discarded texts.
///
/// Texts that arrive while the queue is writing are collected and written together. A flood of notes causes thousands of short texts
/// per second. If each of them were a task of the queue, the tasks would take more processor time than the notes.
final class OutputWriter: Sendable {
  /// The maximum number of octets that wait.
  static let capacity = 1 << 20
  /// How long ``flush()`` waits for a reader that takes nothing.
  private static let patience = DispatchTimeInterval.seconds(1)

  /// The texts that wait, and the counters of the writer.
  private struct Backlog {
    /// The octets that wait and are not being written yet.
    var waiting: [UInt8] = []
    /// The number of octets in ``waiting`` and of those that are being written.
    var size = 0
    /// Whether the dispatch queue contains or executes ``writeWaiting()``.
    var isWriting = false
    /// The number of texts that were discarded and not reported yet.
    var discarded = 0
    /// The number of octets written since the start.
    var written = 0
  }

  private let descriptor: Int32
  private let queue: DispatchQueue
  private let backlog = Mutex(Backlog())
  private let report: @Sendable (Int) -> String

  /// - Parameter report: returns the text that reports a number of discarded texts.
  init(_ descriptor: Int32, report: @escaping @Sendable (Int) -> String) {
    (self.descriptor, self.report) = (descriptor, report)
    queue = DispatchQueue(label: "output \(descriptor)")
  }

  /// Whether no text waits.
  var isIdle: Bool { backlog.withLock { $0.size == 0 } }

  /// Adds `text` to the texts that wait, or discards it if there is no space.
  func write(_ text: String) {
    let octets = Array(text.utf8)
    // The lock is held until the text is in the backlog, so that texts of several threads keep their order.
    backlog.withLock { backlog in
      guard backlog.size + octets.count <= Self.capacity else {
        backlog.discarded += 1
        return
      }
      reportDiscarded(&backlog)
      enqueue(octets, &backlog)
    }
  }

  /// Waits until all texts are written. Gives up if the reader takes no octets for ``patience``.
  func flush() {
    backlog.withLock { reportDiscarded(&$0) }
    let isWritten = DispatchSemaphore(value: 0)
    queue.async { isWritten.signal() }
    var before = backlog.withLock { $0.written }
    while isWritten.wait(timeout: .now() + Self.patience) == .timedOut {
      let written = backlog.withLock { $0.written }
      guard written != before else { return }
      before = written
    }
  }

  /// Enqueues the report of the discarded texts, if there are any.
  private func reportDiscarded(_ backlog: inout Backlog) {
    guard backlog.discarded > 0 else { return }
    enqueue(Array(report(backlog.discarded).utf8), &backlog)
    backlog.discarded = 0
  }

  /// Adds octets to those that wait, and starts the task that writes them.
  private func enqueue(_ octets: [UInt8], _ backlog: inout Backlog) {
    backlog.size += octets.count
    backlog.waiting += octets
    guard !backlog.isWriting else { return }
    backlog.isWriting = true
    queue.async { [self] in writeWaiting() }
  }

  /// Writes until no octets wait.
  private func writeWaiting() {
    while let octets = takeWaiting() {
      var rest = octets.count
      writeOctets(octets, to: descriptor) { count in
        rest -= count
        backlog.withLock { backlog in
          backlog.written += count
          backlog.size -= count
        }
      }
      // `rest` is greater than 0 if the reader has closed the pipe. The rest of the octets is discarded.
      backlog.withLock { $0.size -= rest }
    }
  }

  /// Returns the octets that wait; nil if there are none, which ends the task.
  private func takeWaiting() -> [UInt8]? {
    backlog.withLock { backlog in
      backlog.isWriting = !backlog.waiting.isEmpty
      guard backlog.isWriting else { return nil }
      defer { backlog.waiting = [] }
      return backlog.waiting
    }
  }
}
