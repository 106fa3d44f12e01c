import PeerProtocol

/// The data about activity that survives a change of role, except the energies of the players (``LocalPlayers``).
///
/// ``TotalSchedule`` contains the data of the master only. ``RemotePeer`` contains the levels of the remote peers.
struct Activity: Sendable {
  /// The part of the local peer in ``EnsembleState/moderateTotal``; 0 if a player has set an activity.
  var share: UInt8 = 0
  /// How the master combines the energies, as the player has chosen it; nil: by the number of players at the start.
  var rule: TotalActivityRule?
}
