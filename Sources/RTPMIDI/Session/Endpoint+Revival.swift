import MusicalTime

/// What becomes of sessions whose peer is silent, restarted or elsewhere.
extension Endpoint {
  /// Invites the silent peer of a session that still stands.
  func revive(_ session: Session, at now: Instant) {
    let revival = makeSession(control: session.control, data: session.data, isInitiator: true)
    revival.revives = session.id
    session.revival = revival
    table.insert(revival: revival)
    invite(revival, .invitingControl, at: now)
  }

  /// Starts the invitation of a session or a revival on one port. A Tutti peer is revived with two invitations in the
  /// time of one silence: twice a second, but where there are many sessions less often.
  func invite(_ session: Session, _ phase: Session.Phase, at now: Instant) {
    if let id = session.revives, let old = table[id], old.recognition.isTutti {
      session.invite(phase, at: now, pause: Nanoseconds(old.patience.count / 2))
    } else {
      session.invite(phase, at: now)
    }
    advance(session, to: now)
  }

  /// Gives a revival up; if the peer stays silent, the next begins at `next`.
  func abandon(_ revival: Session, at next: Instant) {
    table.remove(revival)
    guard let id = revival.revives, let session = table[id] else { return }
    session.revival = nil
    session.revivalHold = next
    table.schedule(session)
  }

  /// Something valid has come from the peer: if it was being invited again, the network was all that was missing. But a
  /// peer that has answered on its control port may have accepted on its data port as well, and begun anew: then the
  /// invitation goes on until it is known.
  func settle(_ session: Session, at now: Instant) {
    // It may have ended.
    guard session.place != nil else { return }
    if let revival = session.revival, revival.phase == .invitingControl, session.lastHeard + session.patience > now {
      abandon(revival, at: now)
    }
    table.schedule(session)
  }

  /// Makes `session` the one with its peer's addresses, and starts its clock packets and probes. The session that it
  /// revives, or that was with the same addresses, or with the same ssrc from where nothing comes any more, is lost.
  func establish(_ session: Session, at now: Instant) {
    if let id = session.revives { table[id]?.revival = nil }
    session.revives = nil
    for other in table.all where other !== session && other.phase == .established {
      let isReplaced = other.control == session.control || other.data == session.data
      let hasMoved = other.ssrc == session.ssrc && other.isSilent(at: now)
      guard isReplaced || hasMoved else { continue }
      if other.recognition.isTutti { session.expectsTutti = true }
      end(other, .lost(other.id))
    }
    session.establish(at: now)
    table.establish(session)
    let info = SessionInfo(
      name: session.name, ssrc: session.ssrc, control: session.control, data: session.data,
      isInitiator: session.isInitiator)
    outputs.append(.established(session.id, info))
    advance(session, to: now)
  }

  /// The peer of `session` is the one with `identity`: what is left of an earlier session with it, begun under another
  /// ssrc and address, is lost.
  func recognise(_ session: Session, as identity: UInt64, at now: Instant) {
    for other in table.all where other !== session && other.recognition.identity == identity {
      if other.isSilent(at: now) { end(other, .lost(other.id)) }
    }
    outputs.append(.recognised(session.id, identity: identity))
  }
}
