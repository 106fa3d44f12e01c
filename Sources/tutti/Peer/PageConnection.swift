import Console
import Dispatch
import Rhythm
import Synchronization

/// The connection of the log and of the typed commands to the server of the web page, if there is one. The log is created before the
/// server, so log messages are not shown on the page until ``console`` is set.
final class PageConnection: Sendable {
  private let server = Mutex<WebConsole?>(nil)

  /// The server of the page; nil if there is none.
  var console: WebConsole? {
    get { server.withLock { $0 } }
    set { server.withLock { $0 = newValue } }
  }
}

/// The patches in the patch folders, which the web page offers.
struct PageRhythms: RhythmLibrary {
  let selector: PatchSelector
  // The queue is serial, so that the newest list is delivered last.
  private let queue = DispatchQueue(label: "page rhythms", qos: .utility)

  init(selector: PatchSelector) { self.selector = selector }

  func readCards(_ deliver: @escaping @Sendable ([RhythmCard]) -> Void) {
    queue.async {
      let cards = PatchLibrary.names(of: .rhythm).compactMap { name in
        (try? PatchLibrary.rhythm(name)).map { RhythmCard(name, $0) }
      }
      deliver(cards)
    }
  }

  func readInstruments(_ deliver: @escaping @Sendable ([(file: String, instrument: Instrument)]) -> Void) {
    queue.async {
      deliver(
        PatchLibrary.names(of: .instrument).compactMap { name in
          (try? PatchLibrary.instrument(name)).map { (file: name, instrument: $0) }
        })
    }
  }

  func select(_ name: String) { selector.select(name) }
}
