/// A rule of the ensemble that a simulation can disable, to show that an invariant detects its absence.
package enum EnsembleRule: String, CaseIterable, Sendable {
  /// Of two peers that start at the same time, one follows the other.
  case tie
  /// Parts of a network that reunite get one master.
  case heal
  /// No two peers have the same channel.
  case channel
  /// Nothing passes a closed gate.
  case gate
  /// Only notes of the players that a player wants to hear sound.
  case hearing
  /// The rhythm continues without its master.
  case failover
  /// The master receives the activity of every peer.
  case activity
}
