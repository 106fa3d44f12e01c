import MusicalTime
import PeerProtocol
import RTPMIDI

// Who comes and goes.
extension PeerCore {
  func established(_ session: SessionID, _ info: SessionInfo, at now: Instant) {
    let partner = Partner(info: info, options: options(for: info.name, at: info.control))
    partners[session] = partner
    connections.established(session, at: info.control)
    for n in clockPeers.indices where clockPeers[n].address == info.control {
      if clockPeers[n].established(session, name: info.name) { tell(.outsideClockIsBack(clockPeers[n].name)) }
    }
    emit(
      .stream(
        .open(
          session, to: info.data, ssrc: endpoint.ssrc, sequence: firstSequence(),
          takesClock: clockPeer(of: session) == nil)))
    settle(session)
    emit(.company)
    tell(.met(partner))
  }

  /// How MIDI goes to the peer of a session, as far as can be told by now.
  func settle(_ session: SessionID) {
    guard let partner = partners[session] else { return }
    let isTutti = partner.identity != nil
    emit(.stream(.stamp(session, partner.options.playsByStamps ?? isTutti)))
    emit(.stream(.journal(session, partner.options.takesJournal ?? (isTutti || partner.journals))))
  }

  func recognised(_ session: SessionID, _ identity: Identity, at now: Instant) {
    guard identity != self.identity else {
      // Whoever has begun the session ends it, and knows why; if the other did, it would be begun again and again.
      guard let partner = partners[session], partner.info.isInitiator else { return }
      tell(.isCopy(partner))
      connections.abandoned(session)
      return endpoint.close(session, at: now)
    }
    // Both may have invited each other: of two sessions the one that the lower identity began stays.
    if let other = sessions[identity], other != session, let partner = partners[session] {
      let lowerInvites = (self.identity < identity) == partner.info.isInitiator
      let given = lowerInvites ? other : session
      connections.reached(given, by: identity)
      let kept = given == session ? other : session
      if partners[given]?.isTold == true {
        partners[given]?.isTold = false
        partners[kept]?.isTold = true
      }
      partners[given]?.identity = nil
      endpoint.close(given, at: now)
      if given == session { return }
    }
    partners[session]?.identity = identity
    partners[session]?.isForeign = false
    sessions[identity] = session
    connections.recognised(session, as: identity)
    if let n = clockPeer(of: session) {
      clockPeers[n].recognised(by: &ensemble, at: now)
      tell(.outsideClockIsTutti(clockPeers[n].name))
    }
    if names.count >= 4096 { names.removeAll() }
    names[identity] = partners[session]?.info.name
    emit(.stream(.recognise(session)))
    settle(session)
    endNotesAsPlayed(on: session)
    noteJoined(session)
    ensemble.joined(identity, named: partners[session]?.info.name, at: now)
    withheld[session] = nil
    if let timelineMessage = unheard.removeValue(forKey: session) {
      ensemble.received(timelineMessage, from: identity, at: now)
    }
  }

  /// The peer of a session is no Tutti peer: what may have been activity was not.
  func foreign(_ session: SessionID, at now: Instant) {
    partners[session]?.isForeign = true
    noteJoined(session)
    connections.foreign(session)
    guard let messages = withheld.removeValue(forKey: session) else { return }
    for controller in [Ensemble.totalLevel, Ensemble.ownLevel] {
      if let message = messages[controller] { sound(message, on: session, at: now) }
    }
  }

  /// Whether the peer of a session is a Tutti peer is known: those who watch are told of it, once.
  func noteJoined(_ session: SessionID) {
    guard let partner = partners[session], !partner.isTold else { return }
    partners[session]?.isTold = true
    tell(.joined(partner))
  }

  /// A session that stood is over.
  ///
  /// - Parameter isSaid: whether the peer ended it, rather than being heard no more.
  func left(_ session: SessionID, isSaid: Bool, at now: Instant) {
    if let partner = partners[session] { tell(.parted(partner)) }
    ended(session, isSaid: isSaid, at: now)
  }

  func ended(_ session: SessionID, isSaid: Bool = false, at now: Instant) {
    releaseNotes(of: session)
    if let partner = partners[session], partner.isTold { tell(.left(partner)) }
    if let n = clockPeer(of: session) {
      clockPeers[n].ended()
      tell(.outsideClockIsGone(clockPeers[n].name))
    }
    let identity = partners.removeValue(forKey: session)?.identity
    (unheard[session], withheld[session]) = (nil, nil)
    if let identity { sessions[identity] = nil }
    emit(.stream(.close(session)))
    emit(.company)
    connections.ended(session, of: identity, at: now)
    if let identity { ensemble.left(identity, isSaid: isSaid, at: now) }
  }
}
