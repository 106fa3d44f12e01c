import Dispatch
import MusicalTime
import Realtime
import Synchronization

/// A call that may block for ever, and whose result is awaited with a timeout. The call runs on its own thread. If the call does
/// not return, this thread stays blocked and is not reused.
///
/// Real-time: not safe.
package final class TimedCall<Value: Sendable>: Sendable {
  private let result = Mutex<Value?>(nil)
  private let completion = DispatchSemaphore(value: 0)

  /// Starts `work`.
  package init(_ work: @escaping @Sendable () -> Value) {
    // One queue per call: a blocked call must not delay other calls.
    DispatchQueue(label: "tutti.timed-call").async { [self] in
      let value = work()
      result.withLock { $0 = value }
      completion.signal()
    }
  }

  /// Waits for the result until `deadline` and returns it; nil after a timeout. The result is returned only once: later calls
  /// return nil.
  package func value(by deadline: Instant) -> Value? {
    let remaining = max(deadline - MonotonicClock.now, .zero)
    guard completion.wait(timeout: .now() + .nanoseconds(Int(remaining.count))) == .success else { return nil }
    return result.withLock { $0 }
  }
}
