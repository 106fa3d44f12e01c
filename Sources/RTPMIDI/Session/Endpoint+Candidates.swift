import MusicalTime

/// Candidates: see ``Candidacy``. There are at most ``candidateLimit``, and at most ``candidatesPerHost`` from one host.
/// Candidates that the local peer has invited do not count. Loopback addresses have no limit per host.
extension Endpoint {
  static var candidateLimit: Int { 64 }
  static var candidatesPerHost: Int { 4 }
  /// The time for which no other candidate can take the place of a candidate. An honest peer gives the proof within one
  /// round trip.
  static var minimumStay: Nanoseconds { .milliseconds(500) }

  /// Makes room for a candidate at `address`. If its host has too many candidates, drops the oldest candidate of the host.
  /// If there are too many in total, drops the oldest one of all.
  ///
  /// - Returns: false if the candidate to drop is younger than ``minimumStay``. The caller must then leave the invitation
  ///   unanswered, and the peer repeats the invitation.
  func makeRoom(forCandidateAt address: SocketAddress, at now: Instant) -> Bool {
    let candidates = table.candidates.filter { !$0.isInitiator }
    let isOfHost = { (session: Session) in session.control.isSameHost(as: address) }
    let oldest: Session?
    if !address.isLoopback, candidates.count(where: isOfHost) >= Self.candidatesPerHost {
      oldest = candidates.first(where: isOfHost)
    } else if candidates.count >= Self.candidateLimit {
      oldest = candidates.first
    } else {
      return true
    }
    guard let oldest, let candidacy = oldest.candidacy, now - candidacy.since >= Self.minimumStay else {
      return false
    }
    table.remove(oldest)
    counters.forgottenInvitations += 1
    return true
  }

  /// Starts a candidate, whose invitation has been accepted on both ports. The peer of a protected session is a candidate even
  /// if the local peer has invited it.
  func begin(candidate session: Session, at now: Instant) {
    // Mutual supervision means that the peer knows the extension.
    let replacesPeer = table.all.contains {
      $0.phase == .established && $0.supervision.isMutual && isReplaced($0, by: session)
    }
    if replacesPeer { session.expectsExtension = true }
    session.establish(at: now, with: protocolExtension)
    session.candidacy = Candidacy(at: now)
    if session.isProtected {
      // CK is no proof in a protected session.
      session.clock.stop()
    } else {
      session.clock.begin(at: now + Candidacy.clockDelay)
    }
    table.insert(candidate: session)
    advance(session, to: now)
  }

  /// Does what is due for a candidate: drops it after its lifetime, or sends its requests.
  func advance(candidate session: Session, expiresAt expires: Instant, to now: Instant) {
    guard expires > now else {
      // The expiry is not reported in two cases: the peer has proved its identity, and the candidate gave way to another session
      // with the peer (``Candidacy/hasRival``); or the peer is heard on another session.
      let other = table.session(at: session.control)
      let hasRival =
        session.candidacy?.hasRival ?? false || other.map { $0.phase == .established && !$0.isSilent(at: now) } ?? false
      if !hasRival, declined.shouldReport(session.control, at: now) {
        outputs.append(.declined(name: session.name, from: session.control, .isUnverified))
      }
      return drop(candidate: session, at: now)
    }
    if !sendRequests(of: session, at: now) { drop(candidate: session, at: now) }
  }

  /// Drops a candidate. If the local peer has invited it, reports the peer as unreachable, or cancels the revival.
  private func drop(candidate session: Session, at now: Instant) {
    counters.forgottenInvitations += 1
    guard session.isInitiator else { return table.remove(session) }
    if session.sessionToRevive != nil { return cancel(session, nextAt: now) }
    end(session, .unreachable(session.id))
  }

  /// Records that the peer of a protected session has proved its identity: see
  /// ``SessionContext/verifyPeer(as:isPreferred:at:)``.
  func verify(_ session: Session, as identity: UInt64, isPreferred: Bool, at now: Instant) -> Bool {
    guard session.candidacy != nil else { return true }
    let rival = table.all.first {
      $0.phase == .established && $0.peerIdentity == identity && isReplaced($0, by: session)
    }
    if let rival {
      // If the established session is new, the invitations of the two peers may have crossed. The preferred one of the two
      // sessions is then kept. An older session is kept unless it is silent or outdated.
      let isNew = now - rival.establishedAt < .seconds(2)
      let isKept = isNew ? rival.isPreferred && !isPreferred : !rival.isSilent(at: now) && !rival.isOutdated
      guard !isKept else {
        session.candidacy?.hasRival = true
        return false
      }
    }
    (session.peerIdentity, session.isPreferred) = (identity, isPreferred)
    return verify(session, at: now)
  }

  /// Records the proof of a peer. If the peer is a candidate, establishes its session or drops the candidate.
  ///
  /// - Returns: false if the candidate was dropped, because it gives way to another session or there is no place for its session
  ///   any more.
  @discardableResult
  func verify(_ session: Session, at now: Instant) -> Bool {
    guard session.candidacy != nil else { return true }
    table.remove(session)
    guard !losesAgainstCrossingSession(session) else {
      counters.forgottenInvitations += 1
      return false
    }
    session.restart(at: now)
    let sessionAtAddress = table.session(at: session.control)
    let needsRoom = sessionAtAddress == nil && !session.isInitiator
    guard !needsRoom || hasRoom(for: session.control) && !isFull(hostOf: session.control) else {
      let bye = SessionCommand(.bye, token: session.acceptedToken ?? 0, ssrc: session.localSSRC)
      send(bye, to: session.control, from: session.local, .control, sealedBy: session)
      return false
    }
    // If the local peer is inviting this peer, the candidate replaces the local invitation. The candidate takes the identifier of
    // the invitation, unless the invitation is a revival. The remote peer has not established a session from the local invitation
    // yet, because it lacks the proof of the local peer.
    let invitation =
      if let sessionAtAddress, sessionAtAddress.phase != .established { sessionAtAddress } else {
        table.candidates.first { $0.isInitiator && $0.control == session.control }
      }
    if let invitation {
      table.remove(invitation)
      if let id = invitation.sessionToRevive { table[id]?.revival = nil } else { session.adopt(invitation) }
    }
    // CK0 to a candidate asks for its proof. From now on, only the initiator of the session sends CK0.
    session.clock.stop()
    if session.isInitiator { session.clock.begin(at: now) }
    establish(session, at: now)
    return true
  }

  /// Whether an unprotected candidate must give way to an established session that the local peer has begun. The candidate
  /// must do so if the invitations of both peers have crossed and the session has the lower token.
  ///
  /// If the invitations have crossed, each peer has a session from its own and a candidate from the other invitation. If both candidates
  /// replaced the sessions, the peers would keep different sessions. Both know the tokens of both invitations, so both keep the
  /// session with the lower token. The endpoint applies this rule only if the peer knows the extension, or is expected to know it.
  ///
  /// The endpoint assumes that the invitations have not crossed in two situations. Either the session has been silent since the
  /// candidate began, as after a restart of the peer. Or the candidate has the SSRC of the session: the peer revives the session,
  /// and a revival uses the same SSRC. An outdated session (``Session/isOutdated``) has to be replaced in any case.
  private func losesAgainstCrossingSession(_ candidate: Session) -> Bool {
    guard !candidate.isProtected, !candidate.isInitiator, let since = candidate.candidacy?.since,
      let token = candidate.acceptedToken, let other = table.session(at: candidate.control),
      other.phase == .established, other.isInitiator, other.ssrc != candidate.ssrc, other.lastHeard > since,
      !other.isOutdated, [other, candidate].contains(where: { knowsExtension($0) })
    else { return false }
    return other.token < token
  }

  /// Whether the peer of `session` knows the extension, or is expected to know it. Mutual supervision means that the peer knows it.
  private func knowsExtension(_ session: Session) -> Bool {
    session.supervision.isMutual || session.expectsExtension || session.announcesExtension
  }

  /// Reports an event of the extension: at once, or after the proof of a candidate.
  func report(_ event: ExtensionEvent, of session: Session) {
    guard session.candidacy != nil else { return outputs.append(.extended(session.id, event)) }
    if session.candidateEvents.count < Candidacy.eventLimit { session.candidateEvents.append(event) }
  }
}

/// The state of a *candidate*. A candidate is a peer that has invited the local peer on both ports, but has not yet proved that it
/// receives at its address. The session of such a peer is also called a candidate.
///
/// The addresses of an invitation can be forged. A session with such an address would send the rhythm to a host that
/// has not asked for it. The proof is a packet that repeats a stamp of the local peer: CK2, CK1 (``ClockPacket``), or a
/// packet of the ``ProtocolExtension``. (QUIC validates addresses in the same way: RFC 9000, section 8.) The local peer
/// replies to the CK0 of a candidate, and sends packets of the extension to the candidate. After a second, the local peer
/// also sends CK0, because some devices never send CK0. A peer that the local peer has invited is no candidate: the token
/// in its OK proves that it receives.
///
/// In a protected session (``ProtocolExtension/mark``), the peer is a candidate even if the local peer has invited it.
/// The proof is then the one that the extension demands.
struct Candidacy {
  /// The time within which a candidate must prove that it receives.
  static var lifetime: Nanoseconds { .seconds(5) }
  /// The time after which CK0 is sent.
  static var clockDelay: Nanoseconds { .seconds(1) }
  /// The number of CK1 and CK2 packets with a wrong stamp after which a candidate is dropped. The stamps of the local clock can
  /// be guessed, so a sender must not have many attempts.
  private static var wrongReplyLimit: Int { 3 }
  /// The maximum number of events in ``Session/candidateEvents``.
  static var eventLimit: Int { 4 }

  /// The instant at which the invitation, or the OK to the local invitation, arrived on the data port.
  let since: Instant
  /// Whether the peer has proved its identity, but an established session with the same peer is kept. The expiry of the candidate is
  /// then not reported.
  var hasRival = false
  private var wrongReplies = 0

  init(at now: Instant) { since = now }

  /// The instant at which the candidate is dropped.
  var expires: Instant { since + Self.lifetime }

  /// Counts a CK1 or CK2 that replies to no packet. Returns false if the candidate must be dropped.
  mutating func countWrongReply() -> Bool {
    wrongReplies += 1
    return wrongReplies < Self.wrongReplyLimit
  }
}
