import MusicalTime

/// Revival of sessions whose peer is silent, was restarted, or has a new address. A *revival* is an invitation to the
/// peer of an established session, see ``Session``.
extension Endpoint {
  /// Starts a revival: invites the silent peer of an established session. The revival has the SSRC of the session, unless the session
  /// is protected (``localSSRC(for:)``).
  func revive(_ session: Session, at now: Instant) {
    let revival = makeSession(
      control: session.control, data: session.data, localSSRC: session.isProtected ? nil : session.localSSRC,
      isInitiator: true)
    revival.sessionToRevive = session.id
    session.revival = revival
    table.insert(revival: revival)
    invite(revival, .invitingControl, at: now)
  }

  /// Makes a revival due at once, as if the peer had been silent for the silence limit. Does nothing if the local peer never revives the
  /// session, because the peer has begun it.
  public func inviteAgain(_ id: SessionID, at now: Instant) {
    guard let session = table[id], session.phase == .established else { return }
    session.lastHeard = min(session.lastHeard, now - session.supervision.silenceLimit)
    table.schedule(session)
  }

  /// Starts the invitations of a session or a revival on one port, which `phase` determines. If the supervision is
  /// mutual (``Supervision/isMutual``), a revival sends two invitations per silence limit.
  func invite(_ session: Session, _ phase: Session.Phase, at now: Instant) {
    if let id = session.sessionToRevive, let supervision = table[id]?.supervision, supervision.isMutual {
      session.invite(phase, at: now, pause: supervision.halfLimit)
    } else {
      session.invite(phase, at: now)
    }
    advance(session, to: now)
  }

  /// Makes a revival due at once in all sessions with mutual supervision, as if their peers had been silent for the silence
  /// limit. Called after a suspension of the machine: a peer may have ended its session meanwhile, and the local clock stood
  /// still. The new sessions measure the clocks of the peers again.
  public func resume(at now: Instant) {
    for session in table.all where session.phase == .established && session.supervision.isMutual {
      session.lastHeard = min(session.lastHeard, now - session.supervision.silenceLimit)
      session.isOutdated = true
      table.schedule(session)
    }
  }

  /// Cancels a revival. If the peer is still silent at `next`, another revival starts then.
  func cancel(_ revival: Session, nextAt next: Instant) {
    table.remove(revival)
    guard let id = revival.sessionToRevive, let session = table[id] else { return }
    session.revival = nil
    session.revivalHold = next
    table.schedule(session)
  }

  /// Updates the deadline of a session after a datagram of its peer. If the peer is heard again during a revival,
  /// cancels the revival, because only the network was interrupted. But if the peer has already accepted the revival on
  /// its control port, the revival continues: the peer may also have accepted on its data port, and then has a new session.
  func update(_ session: Session, at now: Instant) {
    // The session may have ended. It is then no longer in the heap of deadlines.
    guard session.heapIndex != nil else { return }
    if !session.isOutdated, let revival = session.revival, revival.phase == .invitingControl,
      session.lastHeard + session.supervision.silenceLimit > now
    {
      cancel(revival, nextAt: now)
    }
    table.schedule(session)
  }

  /// Establishes `session`. Starts its clock packets and its extension, unless the session was a candidate: then they run
  /// already. The sessions that it replaces are lost: sessions with the same control or data address (among them the session
  /// that it revives), and silent sessions with the same SSRC.
  func establish(_ session: Session, at now: Instant) {
    if let id = session.sessionToRevive { table[id]?.revival = nil }
    session.sessionToRevive = nil
    let wasCandidate = session.candidacy != nil
    let events = session.candidateEvents
    (session.candidacy, session.candidateEvents) = (nil, [])
    for other in table.all where other !== session && other.phase == .established {
      let hasMoved = other.ssrc == session.ssrc && other.isSilent(at: now)
      guard isReplaced(other, by: session) || hasMoved else { continue }
      // Mutual supervision means that the peer knows the extension.
      if other.supervision.isMutual { session.expectsExtension = true }
      end(other, .lost(other.id))
    }
    // The invitations of both peers may have crossed, and the local invitation has succeeded first. If the peer repeats
    // its own invitation, the repeated invitation belongs to this session.
    let source = SessionTable.Source(ssrc: session.controlSSRC, address: session.controlSource, port: .control)
    if let candidate = table.candidate(from: source) {
      session.include(candidate)
      table.remove(candidate)
    }
    if !wasCandidate { session.establish(at: now, with: protocolExtension) }
    table.establish(session)
    let info = SessionInfo(
      name: session.name, ssrc: session.ssrc, control: session.control, data: session.data,
      local: session.local, localSSRC: session.localSSRC, isInitiator: session.isInitiator,
      isProtected: session.isProtected, mark: session.mark)
    outputs.append(.established(session.id, info))
    for event in events { report(event, of: session) }
    advance(session, to: now)
  }

  /// Whether the established session `other` has the control or data address of `session`. If so, `other` ends when `session`
  /// is established.
  func isReplaced(_ other: Session, by session: Session) -> Bool {
    other.control == session.control || other.data == session.data
  }
}
