import Ensemble
import Logging
import MusicalTime

/// Saves the session of a peer, so that the peer can be restored after a crash.
struct SessionKeeper {
  /// The shortest time between two writes, because a player can change the tempo continuously.
  private static var minimumInterval: Nanoseconds { .milliseconds(200) }

  let store: StateStore
  /// The state that was saved last.
  var saved: SavedSession?
  private let log: Logger
  private var nextSave = Instant(nanoseconds: .min)
  private var hasReportedFailure = false

  init(_ store: StateStore, log: Logger) { (self.store, self.log) = (store, log) }

  /// Whether ``save(_:at:)`` is due. A new rhythm of the local peer must be saved at once, before other peers hear of it.
  /// Other changes wait for ``minimumInterval``.
  func isDue(for ensemble: EnsembleState, at now: Instant) -> Bool {
    ensemble.resumable?.claim != saved?.rhythm?.claim || now >= nextSave
  }

  /// Saves the state if it has changed.
  mutating func save(_ state: SavedSession, at now: Instant) {
    nextSave = now + Self.minimumInterval
    guard state != saved else { return }
    // Also if the write fails. The next attempt is then made after the next change.
    saved = state
    guard !store.keep(state), !hasReportedFailure else { return }
    hasReportedFailure = true
    log.warning(
      "state folder: the state of this peer cannot be saved, so --restore would not work; check the free disk space")
  }
}
