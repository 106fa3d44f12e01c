import Console
import Dispatch

/// The rhythms of the patch folders, for the web page.
struct PageRhythms: RhythmLibrary {
  let selector: PatchSelector
  // A serial queue, so that the newest list is delivered last.
  private let queue = DispatchQueue(label: "page rhythms", qos: .utility)

  init(selector: PatchSelector) { self.selector = selector }

  func readNames(_ deliver: @escaping @Sendable ([String]) -> Void) {
    queue.async { deliver(PatchLibrary.names(of: .rhythm)) }
  }

  func select(_ name: String) { selector.select(name) }
}
