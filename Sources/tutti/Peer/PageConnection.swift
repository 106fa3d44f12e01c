import Console
import Engine
import Synchronization

/// The connection of the peer and of its log to the server of the web page, if there is one. The log is created before the server, so
/// log messages are not shown on the page until ``connect(_:)`` is called.
final class PageConnection: Sendable {
  private let console = Mutex<WebConsole?>(nil)

  /// Passes log messages, snapshots and events to `console` from now on.
  func connect(_ console: WebConsole) { self.console.withLock { $0 = console } }

  /// The function that gets the snapshots of the peer; nil without a server.
  var snapshotObserver: ((PeerSnapshot) -> Void)? {
    guard let console = console.withLock({ $0 }) else { return nil }
    return { console.update($0) }
  }

  /// The function that gets the events of the peer; nil without a server.
  var eventObserver: ((PeerEvent) -> Void)? {
    guard let console = console.withLock({ $0 }) else { return nil }
    return { console.observe($0) }
  }

  /// Shows a log message on the pages of all browsers, if there are any. `level` is the name of its log level.
  func show(_ text: String, level: String) { console.withLock { $0 }?.show(text, level: level) }

  /// Starts a calibration, in which all pages in browsers click in turn. Returns false if the peer serves no page.
  func calibrate() -> Bool {
    guard let console = console.withLock({ $0 }) else { return false }
    console.calibrate()
    return true
  }

  /// Stops the server.
  func close() {
    let console = console.withLock { console in
      defer { console = nil }
      return console
    }
    console?.stop()
  }
}
