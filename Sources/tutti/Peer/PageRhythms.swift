import Console

/// The rhythms of the patch folders, for the web page.
struct PageRhythms: RhythmLibrary {
  let selector: PatchSelector

  var rhythms: [String] { PatchLibrary.names(of: .rhythm) }

  func select(_ name: String) { selector.select(name) }
}
