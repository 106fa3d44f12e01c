import MusicalTime

/// The actions of players and of the network in a ``VirtualWorld``.
protocol Scenario: AnyObject {
  /// Performs the actions that are due. Returns the instant at which the scenario wants to be called next.
  func advance(_ world: VirtualWorld) -> Instant
}
