import Console
import Dispatch

/// The rhythms of the patch folders, for the web page.
struct PageRhythms: RhythmLibrary {
  let selector: PatchSelector
  // Serial, so that the newest list arrives last.
  private let queue = DispatchQueue(label: "page rhythms", qos: .utility)

  init(selector: PatchSelector) { self.selector = selector }

  func readNames(_ deliver: @escaping @Sendable ([String]) -> Void) {
    queue.async { deliver(PatchLibrary.names(of: .rhythm)) }
  }

  func select(_ name: String) { selector.select(name) }
}
