import Console
import Dispatch

/// The rhythms in the patch folders, which the web page offers.
struct PageRhythms: RhythmLibrary {
  let selector: PatchSelector
  // The queue is serial, so that the newest list is delivered last.
  private let queue = DispatchQueue(label: "page rhythms", qos: .utility)

  init(selector: PatchSelector) { self.selector = selector }

  func readNames(_ deliver: @escaping @Sendable ([String]) -> Void) {
    queue.async { deliver(PatchLibrary.names(of: .rhythm)) }
  }

  func select(_ name: String) { selector.select(name) }
}
