import Ensemble
import MusicalTime
import Realtime
import Transports

// What is kept for a peer that ends without having left.
extension Peer {
  /// The least time between two writings: somebody may turn the tempo without end.
  private static var pause: Nanoseconds { .milliseconds(200) }

  /// Keeps what this peer is doing, if that has changed. Where it is master, that is kept before anybody hears of it.
  func keepSession(at now: Instant) {
    let isNewRhythm = ensemble.resumable?.claim != keptSession?.rhythm?.claim
    guard isNewRhythm || now >= nextKeeping else { return }
    nextKeeping = now + Self.pause
    let state = session
    guard state != keptSession else { return }
    keptSession = state
    guard !store.keep(state), !hasToldOfKeeping else { return }
    hasToldOfKeeping = true
    log.warning("the session cannot be kept in the state folder, so --restore would not find it; is the disk full?")
  }

  private var session: SessionState {
    let there = core.partners.values.filter { $0.identity != nil }.map(\.info.control.description)
    // Whom it was told to connect to, it will be told again, or is there.
    return SessionState(
      patch: configuration.patchName, tempo: tempo, activity: ensemble.heldActivity, gates: ensemble.gates,
      peers: there.isEmpty ? keptSession?.peers ?? [] : there.sorted(), position: ensemble.position,
      rhythm: ensemble.resumable, boot: IdentityStore.boot)
  }

  /// Takes up what was kept, once the peer runs.
  func resume(at now: Instant) {
    guard let saved = configuration.restored else { return }
    try? ensemble.locate(saved.position)
    guard let rhythm = saved.rhythm else { return log.info("back in the session") }
    guard saved.boot == IdentityStore.boot else {
      return log.notice("the machine was started anew meanwhile: press c to go on with the rhythm")
    }
    do throws(CommandError) {
      try ensemble.resume(rhythm, at: now)
      log.notice("back in the session, as the master")
    } catch {
      log.notice("back in the session; \(name(of: error))")
    }
  }
}
