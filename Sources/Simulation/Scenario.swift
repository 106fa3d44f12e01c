import MusicalTime

/// The actions of players and of the network in a ``VirtualWorld``.
protocol Scenario: AnyObject {
  /// Performs the actions that are due. Returns the true time at which the function must be called next.
  func advance(_ world: VirtualWorld) -> Instant
}
