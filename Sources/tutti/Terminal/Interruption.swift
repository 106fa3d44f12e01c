import Realtime
import Synchronization

/// Tells a loop that a signal has asked the program to end. Any thread may raise it.
final class Interruption: Sendable {
  private let value = Atomic<Bool>(false)
  /// Wakes a loop that waits for file descriptors.
  let signal = EventSignal()

  /// Whether ``raise()`` was called.
  var isRaised: Bool { value.load(ordering: .relaxed) }

  func raise() {
    value.store(true, ordering: .relaxed)
    signal.signal()
  }
}
