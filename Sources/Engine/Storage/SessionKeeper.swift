import Ensemble
import Logging
import MusicalTime
import RTPMIDI

/// Stores the highest reserved term (the bound of ``TermReservation``) and the session of a running peer, so that the peer can be
/// restored after a crash.
struct SessionKeeper {
  /// The shortest time between two writes of the session, because a player can change the tempo continuously.
  private static var minimumInterval: Nanoseconds { .milliseconds(200) }
  /// How long a restored peer listens to the others before it continues its rhythm.
  private static var listening: Nanoseconds { .seconds(2) }

  let store: StateStore
  /// The bound that was stored when the peer started: the highest term that this peer may have used before.
  let previousBound: UInt64
  /// The session to restore; nil if there is none, or if its rhythm was restored or given up.
  private var restored: SavedSession?
  /// When the rhythm of ``restored`` is continued; nil if there is none.
  private(set) var resumesAt: Instant?
  /// The state that was saved last.
  private var saved: SavedSession?
  private let log: Logger
  private let writer: StateWriter
  private var reservation: TermReservation
  private var nextSave = Instant(nanoseconds: .min)

  /// Reserves the first block of terms and writes its bound to the disk. The write can block for a long time.
  ///
  /// - Parameter restored: the saved session that the peer restores; nil if there is none.
  init(_ store: StateStore, restored: SavedSession?, failures: FileFailures, log: Logger) {
    (self.store, saved, self.log) = (store, restored, log)
    self.restored = restored
    previousBound = store.term
    reservation = TermReservation(after: previousBound)
    writer = StateWriter(
      writeTerm: { store.write(term: $0) }, writeSession: { store.write($0) },
      onFailure: {
        let remedy = "make room on its disk, or set the environment variable XDG_STATE_HOME to another folder"
        failures.report(
          .state, "state folder: the state of this peer cannot be written, so --restore may not work; \(remedy)")
      })
    // After a failure, the writer tries to write the bound again. It writes no session with a rhythm before it has written this bound.
    if !store.write(term: reservation.bound) { writer.write(term: reservation.bound) }
  }

  /// Reserves more terms if `term`, the term of the last claim, is near the bound or below the reserved block.
  mutating func reserve(for term: UInt64) {
    if let bound = reservation.reserve(for: term) { writer.write(term: bound) }
  }

  /// Saves the session in the background if a save is due and the session has changed. The session is saved at once when the local peer
  /// begins or ceases to lead a rhythm. Other changes wait for ``minimumInterval``.
  ///
  /// - Parameters:
  ///   - patch: the name of the patch that the player has chosen.
  ///   - score: the name of the score that the player has chosen; nil: none.
  ///   - tempo: the tempo at which the player starts the rhythm.
  mutating func save(_ core: PeerCore, patch: String, score: String?, tempo: Tempo, at now: Instant) {
    // The saved rhythm is kept until it is restored or given up.
    guard resumesAt == nil, core.ensemble.resumable?.claim != saved?.rhythm?.claim || now >= nextSave else { return }
    nextSave = now + Self.minimumInterval
    let controls = core.roster.mapSessions { $0.identity == nil ? nil : $0.session!.info.control }
    let addresses = controls.compactMap { $0?.description }
    // If no Tutti peer is in session, the addresses of the last save are kept.
    let state = SavedSession(
      patch: patch, tempo: tempo, activity: core.ensemble.heldActivity, gates: core.ensemble.gates,
      peers: addresses.isEmpty ? saved?.peers ?? [] : addresses.sorted(), position: core.ensemble.position,
      rhythm: core.ensemble.resumable, boot: StateStore.boot, score: score)
    guard state != saved else { return }
    // The state counts as saved even if the write fails. The next attempt is then made after the next change.
    saved = state
    writer.write(state)
  }

  /// Restores the position of the saved session, and prepares to restore its rhythm. The caller of the initializer of ``Peer`` has restored the
  /// rest through ``PeerConfiguration``.
  mutating func restore(_ core: PeerCore, at now: Instant) -> Notice? {
    guard let restored else { return nil }
    try? core.ensemble.locate(restored.position)
    guard restored.rhythm != nil else { return Notice("peer restored", .info) }
    guard restored.boot == StateStore.boot else {
      self.restored = nil
      let reason = "because the machine was restarted"
      let remedy = "continue it with the key c or the command `continue`"
      return Notice("peer restored, but the rhythm does not play, \(reason); \(remedy)")
    }
    resumesAt = now + Self.listening
    return nil
  }

  /// Continues the rhythm of the saved session, unless the others play or have played another one since. The peer listens before, unless
  /// another peer still plays the rhythm, because they may have changed it or stopped it while this peer was absent.
  mutating func resumeIfDue(_ core: PeerCore, at now: Instant) -> Notice? {
    guard let resumesAt, let rhythm = restored?.rhythm,
      now >= resumesAt || core.ensemble.role != .idle || core.ensemble.isFollowed(rhythm.claim, at: now)
    else { return nil }
    // The leader of the session is about to take back the rhythm that another peer has kept meanwhile.
    if core.ensemble.endsKeeping(at: now) {
      self.resumesAt = now + .milliseconds(100)
      return nil
    }
    (self.resumesAt, restored) = (nil, nil)
    if core.ensemble.role == .master { return Notice("peer restored; this peer is the master") }
    do throws(CommandError) {
      // The term of the saved rhythm is the last term before the crash. If another peer had become the master after this save, this peer
      // would have saved the session again, without the rhythm.
      try core.ensemble.resume(rhythm, at: now)
      return Notice("peer restored; this peer is the master again")
    } catch {
      return Notice("peer restored, but not as the master (\(core.description(of: error)))")
    }
  }

  /// Waits until everything is on the disk, at most two seconds.
  func finish() {
    guard !writer.finish(within: .seconds(2)) else { return }
    let remedy = "set the environment variable XDG_STATE_HOME to a folder on another disk"
    log.warning(
      "state folder: the disk is too slow, so the last changes of this session may be lost; \(remedy)")
  }
}
