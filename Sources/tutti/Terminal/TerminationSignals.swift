import Dispatch
import Foundation
import Realtime
import Synchronization

/// Calls a handler on SIGINT, SIGTERM and SIGHUP, so that the program can end its sessions and complete its files. The third
/// of these signals that arrives ends the process at once, in case the program hangs. SIGPIPE is ignored.
final class TerminationSignals {
  private let sources: [any DispatchSourceSignal]
  private let count = Count()

  private final class Count: Sendable {
    let received = Atomic<Int>(0)
  }

  /// Calls `handler` at each signal from now on, on a thread of the global dispatch queue.
  init(_ handler: @escaping @Sendable () -> Void) {
    let (count, isReady) = (count, DispatchSemaphore(value: 0))
    sources = [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        if count.received.wrappingAdd(1, ordering: .relaxed).newValue > 2 { _exit(128 + number) }
        handler()
      }
      source.setRegistrationHandler { isReady.signal() }
      source.resume()
      return source
    }
    // A signal that arrives before its source is registered would be lost.
    for _ in sources { isReady.wait() }
    signal(SIGPIPE, SIG_IGN)
  }

  /// Restores the default effect of the signals.
  func cancel() {
    for source in sources { source.cancel() }
    for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
  }
}

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
