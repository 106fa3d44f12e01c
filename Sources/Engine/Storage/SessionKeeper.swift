import Ensemble
import Logging
import MusicalTime
import Synchronization

/// Stores the highest reserved term (the bound of ``TermReservation``) and the session of a running peer, so that the peer can be
/// restored after a crash.
struct SessionKeeper {
  /// The shortest time between two writes of the session, because a player can change the tempo continuously.
  private static var minimumInterval: Nanoseconds { .milliseconds(200) }

  let store: StateStore
  /// The bound that was stored when the peer started: the highest term that this peer may have used before.
  let previousBound: UInt64
  /// The state that was saved last.
  var saved: SavedSession?
  private let log: Logger
  private let writer: StateWriter
  private var reservation: TermReservation
  private var nextSave = Instant(nanoseconds: .min)

  /// Reserves the first block of terms and writes its bound to the disk. The write can block for a long time.
  init(_ store: StateStore, log: Logger) {
    (self.store, self.log) = (store, log)
    previousBound = store.term
    reservation = TermReservation(after: previousBound)
    let warning = FailureWarning(log)
    writer = StateWriter(
      writeTerm: { store.write(term: $0) }, writeSession: { store.write($0) }, onFailure: { warning.give() })
    guard !store.write(term: reservation.bound) else { return }
    warning.give()
    // The writer tries to write the bound again. It writes no session with a rhythm before it has written this bound.
    writer.write(term: reservation.bound)
  }

  /// Reserves more terms if `term`, the term of the last claim, is near the bound or below the reserved block.
  mutating func reserve(for term: UInt64) {
    if let bound = reservation.reserve(for: term) { writer.write(term: bound) }
  }

  /// Whether ``save(_:at:)`` is due. The session is saved at once when the local peer begins or ceases to lead a rhythm. Other changes
  /// wait for ``minimumInterval``.
  func isDue(for ensemble: EnsembleState, at now: Instant) -> Bool {
    ensemble.resumable?.claim != saved?.rhythm?.claim || now >= nextSave
  }

  /// Saves the state in the background if it has changed.
  mutating func save(_ state: SavedSession, at now: Instant) {
    nextSave = now + Self.minimumInterval
    guard state != saved else { return }
    // The state counts as saved even if the write fails. The next attempt is then made after the next change.
    saved = state
    writer.write(state)
  }

  /// Waits until everything is on the disk, at most two seconds.
  func finish() {
    guard !writer.finish(within: .seconds(2)) else { return }
    let remedy = "set the environment variable XDG_STATE_HOME to a folder on another disk"
    log.warning(
      "state folder: the disk is too slow, so the last changes of this session may be lost; \(remedy)")
  }

  /// Warns once that the state cannot be written.
  private final class FailureWarning: Sendable {
    private let log: Logger
    private let isGiven = Atomic(false)

    init(_ log: Logger) { self.log = log }

    func give() {
      guard !isGiven.exchange(true, ordering: .relaxed) else { return }
      let remedy = "make room on its disk, or set the environment variable XDG_STATE_HOME to another folder"
      log.warning(
        "state folder: the state of this peer cannot be written, so --restore may not work; \(remedy)")
    }
  }
}
