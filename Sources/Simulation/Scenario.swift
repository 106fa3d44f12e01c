import MusicalTime

/// The actions of players and of the network in a ``VirtualWorld``.
protocol Scenario: AnyObject {
  /// Performs the actions that are due. Returns the instant of the next call.
  func advance(_ world: VirtualWorld) -> Instant
}
