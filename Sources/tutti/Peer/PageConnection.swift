import Console
import Engine
import Synchronization

/// The web page of the peer, if there is one. The log exists before the page.
final class PageConnection: Sendable {
  private let console = Mutex<WebConsole?>(nil)

  func connect(_ console: WebConsole) { self.console.withLock { $0 = console } }

  /// The function that gets the snapshots of the peer; nil without a page.
  var snapshotObserver: ((PeerSnapshot) -> Void)? {
    guard let console = console.withLock({ $0 }) else { return nil }
    return { console.update($0) }
  }

  /// The function that gets the events of the peer; nil without a page.
  var eventObserver: ((PeerEvent) -> Void)? {
    guard let console = console.withLock({ $0 }) else { return nil }
    return { console.observe($0) }
  }

  /// Shows a message on the page.
  func show(_ text: String, level: String) { console.withLock { $0 }?.show(text, level: level) }

  /// Closes the page.
  func close() {
    let console = console.withLock { console in
      defer { console = nil }
      return console
    }
    console?.stop()
  }
}
