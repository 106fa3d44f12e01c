/// The rhythms that the pages offer.
public protocol RhythmLibrary: Sendable {
  /// The names of all rhythms. May read folders.
  var rhythms: [String] { get }
  /// Plays the rhythm called `name`. Returns at once.
  func select(_ name: String)
}
