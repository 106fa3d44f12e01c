public import MusicalTime
public import PeerProtocol

// Players whose notes do not sound, because the master has muted them or has made all players quiet.
extension EnsembleState {
  /// Whether all players are quiet.
  public var isQuiet: Bool { role != .idle && latestMix.isQuiet }

  /// Whether the notes of the local player must not sound.
  public var isMuted: Bool { isQuiet || isMutedByMaster }

  /// Whether the master has muted the local player. A master that is not in session mutes nobody.
  private var isMutedByMaster: Bool {
    guard let master = follower?.master, let slot = roster.slot(of: master) else { return false }
    return roster[slot].membership?.presence?.mutesReceiver == true
  }

  /// The peers that the local peer has muted as the master.
  public var mutedPeers: Set<Identity> { leader?.muted ?? [] }

  /// Mutes the player of a peer (true), or ends the muting (false). Muting also ends when the local peer is no longer the master.
  ///
  /// - Throws: ``CommandError`` if the peer is not in session, or unless the local peer is the master.
  public mutating func mute(_ isMuted: Bool, _ peer: Identity, at now: Instant) throws(CommandError) {
    try requireMaster()
    guard roster.containsMember(peer) else { throw .isAbsent(peer) }
    if isMuted { leader!.muted.insert(peer) } else { leader!.muted.remove(peer) }
    // The next call of `advancePresence` sends the presence without waiting for the interval.
    presence.lastReport = nil
  }
}
