import MusicalTime

/// Candidates: see ``Candidacy``. There are at most ``candidateLimit``, and at most ``candidatesPerHost`` from one host.
extension Endpoint {
  static var candidateLimit: Int { 64 }
  static var candidatesPerHost: Int { 4 }
  /// The time for which a candidate keeps its place although others want it. An honest peer needs one round trip.
  static var protectedTime: Nanoseconds { .milliseconds(500) }

  /// Makes room for a candidate at `address`: drops the oldest candidate of its host or of all, if there are too many.
  ///
  /// - Returns: false if the candidate to drop is younger than ``protectedTime``. The invitation must then be left unanswered.
  ///   The peer repeats it.
  func makeRoom(forCandidateAt address: SocketAddress, at now: Instant) -> Bool {
    let isOfHost = { (session: Session) in session.control.isSameHost(as: address) }
    let oldest: Session?
    if !address.isLoopback, table.candidates.count(where: isOfHost) >= Self.candidatesPerHost {
      oldest = table.candidates.first(where: isOfHost)
    } else if table.candidates.count >= Self.candidateLimit {
      oldest = table.candidates.first
    } else {
      return true
    }
    guard let oldest, let candidacy = oldest.candidacy, now - candidacy.since >= Self.protectedTime else {
      return false
    }
    table.remove(oldest)
    counters.forgottenInvitations += 1
    return true
  }

  /// Starts a candidate, whose invitation has been accepted on both ports.
  func begin(candidate session: Session, at now: Instant) {
    session.expectsExtension = table.all.contains {
      $0.phase == .established && $0.supervision.isMutual && isReplaced($0, by: session)
    }
    session.establish(at: now, with: protocolExtension)
    session.candidacy = Candidacy(at: now)
    session.clock.begin(at: now + Candidacy.clockDelay)
    table.insert(candidate: session)
    advance(session, to: now)
  }

  /// Does what is due for a candidate.
  func advance(candidate session: Session, expiresAt expires: Instant, to now: Instant) {
    guard expires > now else {
      if declined.shouldReport(session.control, at: now) {
        outputs.append(.declined(name: session.name, from: session.control, .isUnverified))
      }
      counters.forgottenInvitations += 1
      return table.remove(session)
    }
    if !sendRequests(of: session, at: now) { table.remove(session) }
  }

  /// The peer has repeated a stamp of the local peer. If it is a candidate, its session is established, unless there is no place
  /// for it any more.
  ///
  /// - Returns: false if the candidate was dropped, because other candidates have taken the last places.
  @discardableResult
  func verify(_ session: Session, at now: Instant) -> Bool {
    guard session.candidacy != nil else { return true }
    table.remove(session)
    let sessionAtAddress = table.session(at: session.control)
    guard sessionAtAddress != nil || hasRoom(for: session.control) && !isFull(hostOf: session.control) else {
      let bye = SessionCommand(.bye, token: session.acceptedToken ?? 0, ssrc: session.localSSRC)
      send(bye, to: session.control, from: session.local, .control)
      return false
    }
    // If the local peer is inviting this peer, the candidate takes the identifier of this invitation and replaces it.
    if let invitation = sessionAtAddress, invitation.phase != .established {
      table.remove(invitation)
      session.adopt(invitation)
    }
    session.clock.stop()
    if session.isInitiator { session.clock.begin(at: now) }
    establish(session, at: now)
    return true
  }

  /// Reports an event of the extension: at once, or after the proof of a candidate.
  func report(_ event: ExtensionEvent, of session: Session) {
    guard session.candidacy != nil else { return outputs.append(.extended(session.id, event)) }
    session.candidacy?.append(event)
  }
}
