import Ensemble
import MusicalTime

/// The start of the rhythm without a command (`--start`), and the departure of the peer.
struct Lifecycle {
  private let configuration: PeerConfiguration
  /// The latest instant at which the rhythm starts without a command. Nil without `--start`, and after the start.
  private var startsAt: Instant?
  /// When the peer leaves; nil while this is not known.
  private var leavesAt: Instant?
  /// Whether the peer is leaving. A second command to leave then takes effect at once.
  private(set) var isLeaving = false
  /// Whether the peer ends its remaining sessions, because it has left.
  var hasEnded = false
  /// How ``Peer/run(watchers:viewers:)`` will end.
  private(set) var outcome = Peer.Outcome.left
  /// Decides whether this peer takes a new identity if a second machine uses the same identity.
  private var identityRenewal: IdentityRenewal

  /// - Parameter awaitsPeers: whether the rhythm waits for the sessions with other peers, for at most 5 s.
  init(_ configuration: PeerConfiguration, awaitsPeers: Bool, at now: Instant) {
    self.configuration = configuration
    identityRenewal = IdentityRenewal(startedAt: now, isPermitted: configuration.renewsIdentity)
    if configuration.start {
      startsAt = now + (awaitsPeers ? .seconds(5) : .milliseconds(100))
    } else if let duration = configuration.duration {
      leavesAt = now + duration
    }
  }

  /// The next instant at which the peer starts the rhythm or leaves.
  var nextDeadline: Instant { min(startsAt ?? .distantFuture, leavesAt ?? .distantFuture) }

  /// Whether the peer leaves now.
  func isOver(at now: Instant) -> Bool { leavesAt.map { now >= $0 } ?? false }

  /// Starts the rhythm without a command: half a second after all configured peers are in session, at the latest at the initial value of
  /// ``startsAt``.
  mutating func startIfDue(
    _ core: PeerCore, in surroundings: Surroundings, tempo: Tempo, at now: Instant
  ) -> [Notice] {
    guard let due = startsAt else { return [] }
    let unresolved = surroundings.unresolved
    // In this half second, new peers measure the clock of this peer.
    let areAllInSession = core.invitations.areAllEstablished && unresolved.isEmpty
    if areAllInSession, now + .milliseconds(500) < due { startsAt = now + .milliseconds(500) }
    guard now >= due else { return [] }
    startsAt = nil
    var notices: [Notice] = []
    if !areAllInSession {
      let places = (core.invitations.missingPlaces.map(\.description) + unresolved).joined(separator: ", ")
      let line = "--start: no session with \(places); the rhythm starts without waiting any longer"
      notices.append(Notice(line, .warning))
    }
    do throws(CommandError) {
      try core.ensemble.start(tempo: tempo, at: now)
      if let duration = configuration.duration {
        let schedule = core.ensemble.schedule
        try core.ensemble.stop(at: schedule.deadline(schedule.start) + duration, now: now)
      }
    } catch {
      notices.append(Notice(core.description(of: error)))
      // Without a rhythm, there is no end to wait for. The peer leaves after the configured duration.
      if let duration = configuration.duration { leavesAt = now + duration }
    }
    return notices
  }

  /// Executes the command to leave. The second command takes effect at once.
  ///
  /// - Parameter isHeard: ``SoundOutputs/isHeard``.
  mutating func leave(_ core: PeerCore, isHeard: Bool, at now: Instant) {
    leavesAt = isLeaving ? now : departure(core, isHeard: isHeard, at: now)
    isLeaving = true
  }

  /// Handles a change of the role of the local peer.
  ///
  /// - Parameters:
  ///   - hasPlayed: whether the peer has taken part in a rhythm.
  ///   - isHeard: ``SoundOutputs/isHeard``.
  mutating func changed(to role: Role, hasPlayed: Bool, _ core: PeerCore, isHeard: Bool, at now: Instant) {
    if isLeaving {
      switch role {
      // Another peer is the master now, so this peer can leave.
      case .follower: leavesAt = now + .milliseconds(100)
      // The rhythm has ended. Its last sounds fade first.
      case .idle: leavesAt = max(leavesAt ?? now, departure(core, isHeard: isHeard, at: now))
      case .master: break
      }
    }
    // A peer with --start and --duration leaves when the rhythm ends, even if another peer that started at the same time
    // became the master.
    if role == .idle, hasPlayed, configuration.start, startsAt == nil, configuration.duration != nil {
      leavesAt = leavesAt ?? departure(core, isHeard: isHeard, at: now)
    }
  }

  /// Prepares to leave, and returns the instant at which this peer can leave.
  ///
  /// - A master hands the rhythm over if possible, and can leave in a second. If no peer can continue the rhythm, the master stops it.
  /// - A peer whose rhythm ends soon can leave after this end, when its last sounds have faded.
  /// - A follower of a rhythm that continues can leave at once.
  private func departure(_ core: PeerCore, isHeard: Bool, at now: Instant) -> Instant {
    if core.ensemble.role == .master {
      // `prepareDeparture` returns whether it has offered the rhythm to another peer.
      if core.ensemble.prepareDeparture(at: now) { return now + .seconds(1) }
      try? core.ensemble.stop(now: now)
    }
    let schedule = core.ensemble.schedule
    // Run 0: no rhythm has played.
    guard schedule.run != 0, schedule.end.index != .max else { return now }
    let end = schedule.deadline(schedule.end)
    // A follower waits only for an end within the lead time of the master. This lead time may be longer than that of the follower, so the
    // limit is the longest lead time that web pages can cause.
    let longestLead = max(core.ensemble.lead, EnsembleState.maximumPageLead)
    guard core.ensemble.role == .master || end <= now + longestLead else { return now }
    // After the end, the last sounds fade for up to half a second. If the hits are not audible, only the last messages must be sent.
    return max(now, end + (isHeard ? .milliseconds(500) : .milliseconds(50)))
  }

  /// Handles the report of `peer` that a second machine uses the identity of this peer. If this peer has just started, it takes
  /// a new identity and starts again (``IdentityRenewal``). Otherwise it informs the player once.
  mutating func identityIsUsed(
    accordingTo peer: PeerReference, isMaster: Bool, in store: StateStore, at now: Instant
  ) -> Notice? {
    guard !isLeaving else { return nil }
    let decision = identityRenewal.report(isMaster: isMaster, at: now)
    guard decision != .ignore else { return nil }
    let fact = "another machine uses the identity of this peer, perhaps because its disk was copied"
    guard decision == .renew, store.renewIdentity() else {
      let remedy = "give this peer another --name, which creates a new identity"
      return Notice("\(peer.label) reports: \(fact); \(remedy)", .warning, .identities, of: peer.host)
    }
    (outcome, leavesAt) = (.renewedIdentity, now)
    return Notice("\(peer.label) reports: \(fact); this peer starts again with a new identity", .warning)
  }
}

extension Peer {
  /// How ``run(watchers:viewers:)`` has ended.
  public enum Outcome: Sendable {
    /// The peer has left.
    case left
    /// Another machine uses the identity of the peer. The store has a new identity. The caller starts the peer again, with a
    /// new recording and a new trace.
    case renewedIdentity
  }
}
