import Dispatch
import MusicalTime
import Realtime
import Synchronization

/// What some work that may hang results in, done on a thread of its own. Who waits for it in vain leaves that thread
/// behind.
///
/// Real-time: not safe.
package final class Answer<Value: Sendable>: Sendable {
  private let result = Mutex<Value?>(nil)
  private let isThere = DispatchSemaphore(value: 0)

  /// Begins `work`.
  package init(_ work: @escaping @Sendable () -> Value) {
    // A queue of its own, as one that hangs must keep nobody else's work from its turn.
    DispatchQueue(label: "tutti.answer").async { [self] in
      let value = work()
      result.withLock { $0 = value }
      isThere.signal()
    }
  }

  /// What it resulted in, waited for until `deadline`; nil when that was too short. To be asked once.
  package func value(by deadline: Instant) -> Value? {
    let rest = max(deadline - MonotonicClock.now, .zero)
    guard isThere.wait(timeout: .now() + .nanoseconds(Int(rest.count))) == .success else { return nil }
    return result.withLock { $0 }
  }
}
