public import MusicalTime
public import PeerProtocol

// Players whose notes do not sound, because the master has muted them or has made all players quiet.
extension EnsembleState {
  /// Whether all players are quiet.
  public var isQuiet: Bool { role != .idle && latestMix.isQuiet }

  /// Whether the notes of the local player must not sound.
  public var isMuted: Bool { isQuiet || masterMutes(slot: 0) }

  /// Whether the notes of a player of the local peer must not sound.
  public func isMuted(_ player: Identity) -> Bool {
    isQuiet || leader?.muted.contains(player) == true || players.slot(of: player).map { masterMutes(slot: $0) } ?? false
  }

  /// Whether the master has muted the player in a slot of the local peer. A master that is not in session mutes nobody.
  private func masterMutes(slot: Int) -> Bool {
    guard let master = follower?.master, let row = roster.slot(of: master),
      let muted = roster[row].membership?.presence?.mutedSlots
    else { return false }
    return muted >> UInt64(slot) & 1 != 0
  }

  /// The players that the local peer has muted as the master.
  public var mutedPlayers: Set<Identity> { leader?.muted ?? [] }

  /// The muted players of the member in a slot of the roster: bit n is slot n of its list.
  func mutedSlots(of member: Roster.Slot) -> UInt64 {
    guard let muted = leader?.muted, !muted.isEmpty, let row = roster[member].identity else { return 0 }
    var slots: UInt64 = muted.contains(row) ? 1 : 0
    for (slot, player) in roster[member].membership!.players.present where muted.contains(player.identity) {
      slots |= 1 << UInt64(slot)
    }
    return slots
  }

  /// Mutes a player of any peer (true), or ends the muting (false). The local player of a peer has the identity of the peer. Muting also ends
  /// when the local peer is no longer the master.
  ///
  /// - Throws: ``CommandError`` if the player is absent, or unless the local peer is the master.
  public mutating func mute(_ isMuted: Bool, _ player: Identity, at now: Instant) throws(CommandError) {
    try requireMaster()
    guard player != identity, peer(of: player) != nil else { throw .isAbsent(player) }
    if isMuted { leader!.muted.insert(player) } else { leader!.muted.remove(player) }
    // The next call of `advancePresence` sends the presence without waiting for the interval.
    presence.lastReport = nil
  }
}
