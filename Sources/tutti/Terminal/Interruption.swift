import Realtime
import Synchronization

/// The request to end that a signal has caused. A loop checks it. Any thread may raise it.
final class Interruption: Sendable {
  private let value = Atomic<Bool>(false)
  /// Wakes a loop that waits for file descriptors.
  let signal = EventSignal()

  /// Whether ``raise()`` was called.
  var isRaised: Bool { value.load(ordering: .relaxed) }

  /// Requests the end, and wakes the loop.
  func raise() {
    value.store(true, ordering: .relaxed)
    signal.signal()
  }
}
