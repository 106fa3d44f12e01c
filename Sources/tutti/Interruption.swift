import Dispatch
import Foundation
import Synchronization

/// Ctrl-C, a polite kill or a closed terminal, turned into a call: nothing is lost by any of them. Who asks a third time
/// is not kept waiting any longer, whatever hangs.
final class Interruption {
  private let sources: [any DispatchSourceSignal]
  private let count = Count()

  private final class Count: Sendable {
    let asked = Atomic<Int>(0)
  }

  init(_ handler: @escaping @Sendable () -> Void) {
    let (count, isReady) = (count, DispatchSemaphore(value: 0))
    sources = [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        if count.asked.wrappingAdd(1, ordering: .relaxed).newValue > 2 { _exit(128 + number) }
        handler()
      }
      source.setRegistrationHandler { isReady.signal() }
      source.resume()
      return source
    }
    // What comes before a source is registered would be lost.
    for _ in sources { isReady.wait() }
    signal(SIGPIPE, SIG_IGN)
  }

  func cancel() {
    for source in sources { source.cancel() }
    for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
  }
}
