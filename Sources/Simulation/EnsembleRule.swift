/// A rule of the ensemble that a simulation can disable. A test disables each rule, to show that an invariant detects the missing rule.
package enum EnsembleRule: String, CaseIterable, Sendable {
  /// Of two peers that start at the same time, one follows the other.
  case tie
  /// Parts of a network that reunite get one master.
  case heal
  /// No two peers have the same channel.
  case channel
  /// Nothing passes a closed gate. A gate is a player's permission for a remote peer and one kind of message.
  case gate
  /// A peer sounds the notes of a remote player only if the local player wants to hear the remote player.
  case hearing
  /// The rhythm continues after its master has disappeared.
  case failover
  /// The master receives the activity of every peer.
  case activity
  /// All peers change the rhythm at the same tick.
  case rhythm
  /// All peers change the place in the score at the same tick.
  case score
  /// Members tell each other the addresses of others.
  case introductions
  /// A forwarded message has a number of its author.
  case numbers
}
