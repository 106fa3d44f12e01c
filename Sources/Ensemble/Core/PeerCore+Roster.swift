import MusicalTime
import PeerProtocol
import RTPMIDI
import Receiving
import Sending

// Remote peers that join and leave.
extension PeerCore {
  /// Adds an established session to the roster, opens its stream and informs the receiver.
  func established(_ session: SessionID, _ info: SessionInfo, at now: Instant) {
    let keys = endpoint.keys(of: session)
    // A protected session without keys has ended meanwhile. Its stream must not be opened without protection.
    guard keys != nil || !info.isProtected else { return }
    let stream = streamIDs.allocate()
    let slot = ensemble.roster.insert(
      RemotePeer.Session(
        id: session, info: info, stream: stream, options: options(for: info.name, at: info.control), at: now))
    invitations.established(session, at: info.control)
    clocks.established(session, at: info.control, name: info.name)
    // A peer that is an external clock of the local peer does not get its own clock back.
    emit(
      .stream(
        .open(
          stream, to: info.data, from: info.local, ssrc: info.localSSRC, sequence: firstSequence(),
          takesClock: !clocks.contains(.session(session)), keys: keys)))
    updateStream(of: session)
    let source = StreamSource(ssrc: info.ssrc, address: info.data, localSSRC: info.localSSRC)
    let admission = admission(of: slot, channelOwners: ensemble.channelOwners)
    ensemble.roster[slot].session!.admission = admission
    // At the receiver, a session has the slot number of its stream, not that of its row in the roster.
    emit(.receiving(.open(slot: stream.slot, session, source, admission, keys: keys)))
    emit(.event(.connected(ensemble.roster[slot].reference)))
  }

  /// Sets whether the ticks of a session's stream are sent ahead of time, and whether its packets contain a recovery journal. The
  /// options that the user has set for the peer decide. Without an option, the kind of the peer decides: a Tutti peer gets both. A
  /// standard device, or a peer whose kind is not known yet, gets journals if it sends journals itself. Also sets the offset of the clock.
  func updateStream(of session: SessionID) {
    guard let slot = ensemble.roster.slot(of: session) else { return }
    let isTutti = ensemble.roster[slot].identity != nil
    let (options, sendsJournals) = (
      ensemble.roster[slot].session!.options, ensemble.roster[slot].session!.sendsJournals
    )
    let stream = ensemble.roster[slot].session!.stream
    emit(.stream(.setTimeStamped(stream, options.playsByStamps ?? isTutti)))
    if !isTutti, let offset = options.clockOffset { emit(.stream(.setOffset(stream, offset))) }
    emit(.stream(.setJournal(stream, options.takesJournal ?? (isTutti || sendsJournals))))
  }

  /// Handles the recognition of the peer of a session as the Tutti peer with this identity.
  func recognised(_ session: SessionID, _ identity: Identity, at now: Instant) {
    guard let slot = ensemble.roster.slot(of: session), let info = ensemble.roster[slot].session?.info else { return }
    guard identity != self.identity else {
      // The remote peer uses the identity of the local peer. Only the initiator of the session ends it. If the other side ended
      // the session, the initiator would not know the reason and would send invitations again and again.
      guard info.isInitiator else { return }
      if invitations.hasLocalIdentity(session, at: now) {
        emit(.event(.identityIsDuplicate(ensemble.roster[slot].reference)))
      }
      return endpoint.close(session, at: now)
    }
    if let other = ensemble.roster.session(of: identity), other != session {
      changedSessions.insert(other)
      // The peers of two sessions report the same identity. One of the sessions is closed.
      let isSameMachine = isOnSameMachine(session, as: other, at: now)
      let hasMoved = isSameMachine == true && endpoint.isUnanswered(other, at: now)
      let otherInfo = ensemble.roster[other]?.session?.info
      let hasReturned =
        places.contains(identity, at: info.control, now: now) && otherInfo?.control != info.control
      let keepsOther = !hasReturned && !hasMoved && keeps(other, insteadOf: session, info, of: identity, at: now)
      if hasReturned, isSameMachine != true { ensemble.warn(of: identity, .identityIsUsedTwice) }
      if !keepsOther, !hasReturned, let otherInfo { places.keep(identity, at: otherInfo.control, now: now) }
      let (closed, kept) = keepsOther ? (session, other) : (other, session)
      let keptInfo = keepsOther ? otherInfo ?? info : info
      invitations.reached(
        closed, by: identity, at: keptInfo.control, isSameMachine: isSameMachine == true, now: now)
      // A peer that has moved is reported as left, and then as joined with its new address.
      if hasMoved { reportLeft(other) }
      moveReport(from: closed, to: kept)
      if closed == session || hasReturned, isSameMachine == false {
        inform(closed, ofUsed: identity, at: now)
      } else {
        endpoint.close(closed, at: now)
      }
      if closed == session { return }
    }
    places.remove(identity, at: info.control)
    ensemble.roster.recognise(session, as: identity)
    changedSessions.insert(session)
    // The session may have moved to an earlier row of the same identity.
    let recognisedSlot = ensemble.roster.slot(of: session)!
    ensemble.roster[recognisedSlot].session!.kind = .tuttiPeer
    invitations.recognised(session, as: identity, at: info.control, now: now)
    clocks.recognised(session, in: &ensemble, at: now)
    // Until now, the peer got the notes of the player on the channels on which the player's programs sent them. From now on, the peer
    // gets all messages on the channel of the local peer, so later Note Offs would not end these notes. The first `endNotesAsPlayed`
    // therefore ends the notes before the change. The second `endNotesAsPlayed` ends the notes that begin between the two.
    let stream = ensemble.roster[recognisedSlot].session!.stream
    emit(.receiving(.endNotesAsPlayed(stream)))
    emit(.stream(.recognise(stream)))
    updateStream(of: session)
    emit(.receiving(.endNotesAsPlayed(stream)))
    isRoutingOutdated = true
    reportJoined(session)
    ensemble.joined(identity, named: info.name, at: now)
    if let timelineMessage = ensemble.roster[recognisedSlot].session!.pendingTimelineMessage {
      ensemble.roster[recognisedSlot].session!.pendingTimelineMessage = nil
      ensemble.received(timelineMessage, from: identity, at: now)
    }
  }

  /// Returns whether the session `other` is kept. If not, the new session `session`, which `info` describes, replaces `other`. The peers
  /// of both sessions report `identity`. The function is not called for a peer that has moved: both sessions of such a peer are with one
  /// machine, and the peer no longer replies on `other`. It is not called either for the peer to which the identity belongs, and which has
  /// returned to its place (``IdentityPlaces``).
  ///
  /// If each of the two peers began one of the sessions, and `other` is less than ten seconds old, the peers have invited each other.
  /// Both must then keep the same session: the session that the peer with the lower identity began.
  ///
  /// In all other cases, `other` is kept if the peer was heard on it within the last second. A peer that has restarted, or has a new
  /// address, is no longer heard on its earlier session. If the peer was heard and both sessions are with one machine, the peer has two
  /// addresses. Otherwise a second device uses the identity, and the player is informed. The second device can be hostile, because each
  /// peer announces its identity, or it can have a copied disk.
  private func keeps(
    _ other: SessionID, insteadOf session: SessionID, _ info: SessionInfo, of identity: Identity, at now: Instant
  ) -> Bool {
    guard let slot = ensemble.roster.slot(of: other), let former = ensemble.roster[slot].session else { return false }
    let isHeard = ensemble.roster[slot].membership.map { now - $0.lastHeard < .seconds(1) } ?? false
    let isMutual = former.info.isInitiator != info.isInitiator && now - former.establishedAt < .seconds(10)
    if isMutual { return (self.identity < identity) != info.isInitiator }
    if isHeard, isOnSameMachine(session, as: other, at: now) != true {
      ensemble.warn(of: identity, .identityIsUsedTwice)
    }
    return isHeard
  }

  /// Whether the peers of two sessions are on one machine; nil if the clock of one of the peers is not known. The clock of a Tutti peer
  /// counts from the boot of its machine, so two machines have different clocks.
  private func isOnSameMachine(_ session: SessionID, as other: SessionID, at now: Instant) -> Bool? {
    guard let first = endpoint.remoteClock(of: other, at: now), let second = endpoint.remoteClock(of: session, at: now)
    else { return nil }
    // Two readings of one clock can differ by the delays of their packets.
    let difference = second - first
    return difference <= .seconds(1) && difference >= .seconds(-1)
  }

  /// Tells the peer of `session` that another machine uses its identity. The session is closed half a second later, so that the
  /// message arrives.
  private func inform(_ session: SessionID, ofUsed identity: Identity, at now: Instant) {
    if let stream = roster.stream(of: session), let data = SystemExclusiveData(UsedIdentity(identity).systemExclusive) {
      emit(.stream(.exclusive(data, to: stream, isJournalled: true)))
    }
    closings.append((session, now + .milliseconds(500)))
  }

  /// Closes the sessions of ``closings`` that are due.
  func closeDueSessions(at now: Instant) {
    while let closing = closings.first, closing.at <= now {
      closings.removeFirst()
      endpoint.close(closing.session, at: now)
    }
  }

  /// If ``Event/joined(_:)`` was reported for the session `closed`, records it for the session `kept` of the same peer instead.
  private func moveReport(from closed: SessionID, to kept: SessionID) {
    guard let from = ensemble.roster.slot(of: closed), let to = ensemble.roster.slot(of: kept),
      ensemble.roster[from].session!.isReported
    else { return }
    ensemble.roster[from].session!.isReported = false
    ensemble.roster[to].session!.isReported = true
  }

  /// Handles the recognition of the peer of a session as a standard device.
  func recognisedAsStandardDevice(_ session: SessionID, at now: Instant) {
    let slot = ensemble.roster.slot(of: session)
    if let slot { ensemble.roster[slot].session!.kind = .standardDevice }
    changedSessions.insert(session)
    reportJoined(session)
    invitations.isStandardDevice(session)
    guard slot != nil else { return }
    // The device gets the settings that the local player made before the session.
    sendSettings(on: session)
  }

  /// Invites the introduced peers that are not in session.
  func received(_ introduction: Introduction, from introducer: Identity, at address: SocketAddress, now: Instant) {
    for entry in introduction.entries where entry.identity != identity && roster.session(of: entry.identity) == nil {
      guard let place = entry.place(near: address),
        !roster.sessions.contains(where: { $0.info.control == place.control }),
        admitsIntroduced(entry.name.isEmpty ? nil : entry.name, place.control)
      else { continue }
      invitations.introduced(entry.identity, at: place, by: introducer, now: now)
    }
  }

  /// Reports ``Event/joined(_:)`` once per session, when the kind of the peer is known.
  private func reportJoined(_ session: SessionID) {
    guard let slot = ensemble.roster.slot(of: session), !ensemble.roster[slot].session!.isReported else { return }
    ensemble.roster[slot].session!.isReported = true
    emit(.event(.joined(ensemble.roster[slot].reference)))
  }

  /// Reports ``Event/left(_:)`` for a session that was reported as joined.
  private func reportLeft(_ session: SessionID) {
    guard let slot = ensemble.roster.slot(of: session), ensemble.roster[slot].session!.isReported else { return }
    ensemble.roster[slot].session!.isReported = false
    emit(.event(.left(ensemble.roster[slot].reference)))
  }

  /// Handles the end of an established session.
  ///
  /// - Parameter saysGoodbye: whether the peer ended the session (BY). Otherwise the peer has fallen silent.
  func left(_ session: SessionID, saysGoodbye: Bool, at now: Instant) {
    if let slot = ensemble.roster.slot(of: session) {
      emit(.event(.disconnected(ensemble.roster[slot].reference)))
    }
    ended(session, saysGoodbye: saysGoodbye, at: now)
  }

  /// Handles the end of a session or of an invitation.
  ///
  /// - Parameter saysGoodbye: whether the peer ended the session (BY).
  func ended(_ session: SessionID, saysGoodbye: Bool = false, at now: Instant) {
    releaseChannels(of: session)
    changedSessions.insert(session)
    isRoutingOutdated = true
    reportLeft(session)
    let slot = ensemble.roster.slot(of: session)
    clocks.disconnect { $0 == .session(session) }
    if let stream = slot.flatMap({ ensemble.roster[$0].session?.stream }) {
      emit(.stream(.close(stream)))
      emit(.receiving(.close(slot: stream.slot, session)))
      streamIDs.release(stream)
    }
    let identity = slot.flatMap { ensemble.roster[$0].identity }
    invitations.ended(session, of: identity, at: now)
    if let identity {
      ensemble.left(identity, saysGoodbye: saysGoodbye, at: now)
    } else if let slot {
      ensemble.roster.remove(slot)
    }
  }
}
