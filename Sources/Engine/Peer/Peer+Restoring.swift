import Ensemble
import MusicalTime
import Realtime
import Transports

// Saving and restoring the session of a peer.
extension Peer {
  /// The present state of the peer in the form in which it is saved.
  var session: SavedSession {
    let controls = core.roster.mapSessions { $0.identity == nil ? nil : $0.session!.info.control }
    let addresses = controls.compactMap { $0?.description }
    // If no Tutti peer is in session, the addresses of the last save are kept.
    return SavedSession(
      patch: patches.chosenName, tempo: tempo, activity: ensemble.heldActivity, gates: ensemble.gates,
      peers: addresses.isEmpty ? storage.saved?.peers ?? [] : addresses.sorted(), position: ensemble.position,
      rhythm: ensemble.resumable, boot: StateStore.boot)
  }

  /// Restores the position and the rhythm of the saved session. The caller of the initializer has restored the rest through
  /// ``PeerConfiguration``.
  func resume(at now: Instant) {
    guard let saved = configuration.restored else { return }
    try? ensemble.locate(saved.position)
    guard let rhythm = saved.rhythm else { return log.info("peer restored") }
    guard saved.boot == StateStore.boot else {
      let reason = "because the machine was restarted"
      let remedy = "continue it with the key c or the command `continue`"
      return log.notice("peer restored, but the rhythm does not play, \(reason); \(remedy)")
    }
    do throws(CommandError) {
      // The term of the saved rhythm is the last term before the crash. If another peer had become the master after this save, this peer
      // would have saved the session again, without the rhythm.
      try ensemble.resume(rhythm, at: now)
      log.notice("peer restored; this peer is the master again")
    } catch {
      log.notice("peer restored, but not as the master (\(core.description(of: error)))")
    }
  }
}
