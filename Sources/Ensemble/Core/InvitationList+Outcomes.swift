import MusicalTime
import PeerProtocol
import RTPMIDI

extension InvitationList.Target {
  /// Whether the target is a search for a Tutti peer that has fallen silent at this place. A search ends at
  /// ``expires``.
  fileprivate var isSearch: Bool { expires != nil }
  /// Whether the target is a search, or a peer that a member has introduced. Such a target ends when the peer is found.
  fileprivate var endsWhenFound: Bool { isSearch || introducer != nil }
}

/// The outcomes of invitations and the ends of sessions.
extension InvitationList {
  /// Records that a session with the peer at `address` was established.
  mutating func established(_ session: SessionID, at address: SocketAddress) {
    defer { schedule() }
    waitEnds = Instant(nanoseconds: .min)
    // A search at this address sends no invitation while the session lasts, whichever side has begun the session.
    for n in targets.indices where targets[n].isSearch && targets[n].place.control == address {
      targets[n].session = session
    }
    for n in targets.indices where targets[n].session == session {
      // The peer is not recognised yet. ``Target/reachedBy`` remains until the recognition.
      (targets[n].isEstablished, targets[n].isReported) = (true, false)
    }
  }

  /// Records that the peer of a session is a standard device. If a search for a silent Tutti peer has led to the session, the
  /// search ends, because the Tutti peer is no longer at this place.
  mutating func isStandardDevice(_ session: SessionID) {
    defer { schedule() }
    targets.removeAll { $0.endsWhenFound && $0.session == session }
    for n in targets.indices where targets[n].session == session { targets[n].markEstablished() }
  }

  /// Records that the peer of a session has this identity. Searches for this identity end, because the peer has been found,
  /// perhaps at a new address. A search that led to this session also ends, even if it was for another identity, because the
  /// peer with the other identity is no longer at this place.
  ///
  /// - Parameter address: the control port of the peer in this session.
  mutating func recognised(_ session: SessionID, as identity: Identity, at address: SocketAddress, now: Instant) {
    defer { schedule() }
    targets.removeAll { $0.endsWhenFound && ($0.identity == identity || $0.session == session) }
    for n in targets.indices {
      if targets[n].session == session {
        targets[n].recognise(identity, at: now)
        targets[n].markEstablished()
      } else if targets[n].place.control == address, targets[n].session == nil {
        // The peer at this place has begun a session itself.
        targets[n].recognise(identity, at: now)
        targets[n].session = session
        targets[n].markEstablished()
      } else if (targets[n].announced ?? targets[n].identity) == identity, !targets[n].isEstablished {
        targets[n].reach(by: identity, at: address, now: now)
        if targets[n].isElsewhere { targets[n].delayRecheck(at: now) }
      }
      if targets[n].announced == identity { targets[n].isAnswered = true }
    }
    noteAnswer(of: identity)
  }

  /// Records that the peer refused the invitation.
  ///
  /// - Returns: whether the caller must inform the player; true only once per target.
  mutating func refused(_ session: SessionID) -> Bool {
    defer { schedule() }
    targets.removeAll { $0.isSearch && $0.session == session }
    if let n = targets.firstIndex(where: { $0.introducer != nil && $0.session == session }) {
      // The peer is not invited again for a minute.
      (targets[n].session, targets[n].nextTry) = (nil, targets[n].since + Self.introducedPause)
      return false
    }
    guard let n = targets.firstIndex(where: { $0.session == session }), !targets[n].isReported, !targets[n].isElsewhere
    else { return false }
    targets[n].isReported = true
    // A configured peer is invited again. A discovered peer is not invited again before its next announcement.
    if let identity = targets[n].announced {
      targets.remove(at: n)
      // A refusal counts as silence, so that another peer is invited instead of this one.
      noteSilence(of: identity)
    }
    return true
  }

  /// Records that the player was informed that no session with the peer at this address could be established.
  mutating func noteReport(of address: SocketAddress) {
    for n in targets.indices where targets[n].place.control == address { targets[n].isReported = true }
  }

  /// Records that the peer of a session uses the identity of the local peer. A configured peer is invited again after
  /// ``longestRecheck``, because the identity was perhaps forged, or the player may have corrected a copied identity.
  ///
  /// - Returns: whether the caller must inform the player; true only once per target.
  mutating func hasLocalIdentity(_ session: SessionID, at now: Instant) -> Bool {
    defer { schedule() }
    targets.removeAll { $0.session == session && $0.reason != .configured }
    guard let n = targets.firstIndex(where: { $0.session == session }) else { return true }
    // If the local peer has another session with the peer of the target (``Target/reachedBy``), the target remains established.
    (targets[n].isEstablished, targets[n].isReported) = (targets[n].reachedBy != nil, true)
    targets[n].nextTry = now + Self.longestRecheck
    defer { targets[n].identity = local }
    return targets[n].identity != local
  }

  /// Records that `session` is about to be closed, because another session at `address` reaches the same peer. A search that led to
  /// `session` ends.
  ///
  /// - Parameter isSameMachine: whether both sessions are known to be with one machine.
  mutating func reached(
    _ session: SessionID, by identity: Identity, at address: SocketAddress, isSameMachine: Bool, now: Instant
  ) {
    defer { schedule() }
    targets.removeAll { $0.endsWhenFound && $0.session == session }
    for n in targets.indices where targets[n].session == session {
      targets[n].recognise(identity, at: now)
      targets[n].isOnOtherMachine = !isSameMachine
      targets[n].reach(by: identity, at: address, now: now)
    }
  }

  /// Adds a search for a Tutti peer whose session was lost without BY: the peer is invited at its former place. Does nothing if
  /// this place has a target already, or if there are ``Endpoint/sessionLimit`` targets.
  mutating func lost(_ identity: Identity, of info: SessionInfo, at now: Instant) {
    defer { schedule() }
    targets.removeAll { $0.introducer != nil && $0.place.control == info.control }
    guard !targets.contains(where: { $0.place.control == info.control }),
      targets.count < Endpoint.sessionLimit
    else { return }
    var target = Target(
      Place(control: info.control, data: info.data), reason: .silent(until: now + Self.searchTime), at: now,
      firstTry: now + Self.pause)
    target.identity = identity
    targets.append(target)
  }

  /// Records that a session has ended.
  ///
  /// - Parameter identity: the identity of the session's peer; nil if the peer was not recognised, or if it has another session.
  mutating func ended(_ session: SessionID, of identity: Identity?, at now: Instant) {
    defer { schedule() }
    waitEnds = Instant(nanoseconds: .min)
    for n in targets.indices {
      if let identity, targets[n].announced == identity, targets[n].isAnswered {
        (targets[n].isAnswered, targets[n].since, targets[n].nextTry) = (false, now, now + Self.pause)
      }
      // Whether the peer was in session through another session than the session of this target, and is not in session any longer.
      let hasLostOtherSession = identity != nil && targets[n].reachedBy == identity
      guard targets[n].session == session || hasLostOtherSession else { continue }
      // The peer has no other session now.
      if targets[n].reachedBy == nil || hasLostOtherSession {
        // After the end of a session, the next invitation waits for `pause`. An invitation without a reply has already taken
        // its time, so the next one follows at once.
        if targets[n].isEstablished { (targets[n].since, targets[n].nextTry) = (now, now + Self.pause) }
        targets[n].isEstablished = false
        (targets[n].reachedBy, targets[n].isElsewhere) = (nil, false)
      }
      guard targets[n].session == session else { continue }
      targets[n].session = nil
      if targets[n].introducer != nil { targets[n].nextTry = targets[n].since + Self.introducedPause }
      if targets[n].isElsewhere, targets[n].identity != local { targets[n].delayRecheck(at: now) }
    }
  }
}
