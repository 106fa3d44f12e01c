import Console
import Dispatch

/// The rhythms of the patch folders, for the web page.
struct PageRhythms: RhythmLibrary {
  let selector: PatchSelector

  func readNames(_ deliver: @escaping @Sendable ([String]) -> Void) {
    DispatchQueue.global(qos: .utility).async { deliver(PatchLibrary.names(of: .rhythm)) }
  }

  func select(_ name: String) { selector.select(name) }
}
