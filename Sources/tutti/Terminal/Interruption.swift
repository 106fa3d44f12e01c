import Realtime
import Synchronization

/// A request to end the program or a measurement, for example after Ctrl-C. Any thread may raise the request. The loop of the
/// program checks whether it was raised.
final class Interruption: Sendable {
  private let value = Atomic<Bool>(false)
  /// Wakes a loop that waits for file descriptors.
  let signal = EventSignal()

  /// Whether ``raise()`` was called.
  var isRaised: Bool { value.load(ordering: .relaxed) }

  /// Raises the request, and wakes the loop.
  func raise() {
    value.store(true, ordering: .relaxed)
    signal.signal()
  }
}
