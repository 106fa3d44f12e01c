/// The rhythms that a page can choose from. The command line implements this protocol, and finds the rhythms in the patch folders.
public protocol RhythmLibrary: Sendable {
  /// Passes the names of all rhythms to `deliver`, on any thread. Returns at once.
  func readNames(_ deliver: @escaping @Sendable ([String]) -> Void)
  /// Plays the rhythm called `name`. Returns at once.
  func select(_ name: String)
}
