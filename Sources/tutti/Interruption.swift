import Dispatch
import Foundation

/// Ctrl-C, a polite kill or a closed terminal, turned into a call: nothing is lost by any of them.
final class Interruption {
  private let sources: [any DispatchSourceSignal]

  init(_ handler: @escaping @Sendable () -> Void) {
    sources = [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler(handler: handler)
      source.resume()
      return source
    }
    signal(SIGPIPE, SIG_IGN)
  }

  func cancel() {
    for source in sources { source.cancel() }
    for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
  }
}
