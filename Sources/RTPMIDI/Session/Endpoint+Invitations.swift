import MusicalTime

/// The session commands IN (invitation), OK (acceptance), NO (rejection) and BY (end of a session).
extension Endpoint {
  /// Receives IN, OK, NO or BY.
  func receive(_ command: SessionCommand, from address: SocketAddress, port: Port, at now: Instant) -> DatagramOutcome {
    switch command.kind {
    case .invitation:
      if let session = table.session(withToken: command.token), command.ssrc == session.localSSRC {
        return receiveReflectedInvitation(command, to: session, from: address, port: port)
      }
      switch port {
      case .control: return receiveControlInvitation(command, from: address, at: now)
      case .data: return receiveDataInvitation(command, from: address, at: now)
      }
    case .accepted: return receiveAcceptance(command, from: address, port: port, at: now)
    case .rejected: return receiveRejection(command, from: address, at: now)
    case .bye: return receiveBye(command, from: address, port: port)
    }
  }

  /// Receives the local invitation of `session`: the endpoint has invited its own address, or the network has reflected the
  /// invitation.
  private func receiveReflectedInvitation(
    _ command: SessionCommand, to session: Session, from address: SocketAddress, port: Port
  ) -> DatagramOutcome {
    // A local invitation to a new session ends. In an established session and in a revival, the received copy of the invitation is refused,
    // and the session continues.
    guard session.phase != .established, session.sessionToRevive == nil else {
      return refuse(command, to: address, port)
    }
    end(session, .reflected(session.id))
    return .refusedInvitation
  }

  /// Receives the first invitation of a peer, which arrives on the control port. An accepted invitation is half open until
  /// the invitation on the data port arrives.
  private func receiveControlInvitation(
    _ command: SessionCommand, from address: SocketAddress, at now: Instant
  ) -> DatagramOutcome {
    if let outcome = answerKnown(command, from: address, .control, at: now) { return outcome }
    let established = table[.init(ssrc: command.ssrc, address: address, port: .control)]
    // Peers with different marks refuse each other (``ProtocolExtension/mark``).
    guard mark(of: command) == mark(for: address) else {
      return decline(command, from: address, .hasOtherMark(isMarked: mark(of: command) != nil), at: now)
    }
    // The session with this address, in any phase. The SSRC differs if the peer was restarted.
    let sessionAtAddress = table.session(at: address)
    let isInvited = sessionAtAddress.map { $0.phase != .established || $0.revival != nil } ?? false
    // A peer that is in session or that the local peer is inviting needs no admission. A peer with a session at its
    // address needs no new place in the table.
    if established == nil, !isInvited {
      guard sessionAtAddress != nil || hasRoom(for: address) else { return refuse(command, to: address, .control) }
      guard admits(command.name, address) else { return decline(command, from: address, .isNotAdmitted, at: now) }
      guard sessionAtAddress != nil || !isFull(hostOf: address) else {
        return decline(command, from: address, .hostIsFull, at: now)
      }
    }
    // A repeated invitation gets the same SSRC again, because one of the two answers can be lost.
    let repeated = halfOpen.localSSRC(of: command, from: address)
    // The peer expects the SSRC of its session in two cases. If the session has just begun, the invitation can have crossed the invitation
    // of the local peer. If the peer was silent, the invitation revives the session.
    let isContinued = established.map {
      !$0.isProtected
        && (now - $0.establishedAt < .milliseconds(500) || repeated == nil && $0.isSilent(at: now))
    }
    let continued = isContinued == true ? established : nil
    let localSSRC = continued?.localSSRC ?? repeated ?? localSSRC(for: address)
    if halfOpen.open(command, answeredAs: localSSRC, from: address, at: now) { counters.forgottenInvitations += 1 }
    return accept(command, as: localSSRC, to: address, .control)
  }

  /// Receives the second invitation of a peer, which arrives on the data port. If this peer has already answered an
  /// invitation of the local peer on the control port, the session of the local invitation is established. Otherwise, the
  /// peer becomes a candidate (``Candidacy``).
  private func receiveDataInvitation(
    _ command: SessionCommand, from address: SocketAddress, at now: Instant
  ) -> DatagramOutcome {
    if let outcome = answerKnown(command, from: address, .data, at: now) { return outcome }
    let established = table[.init(ssrc: command.ssrc, address: address, port: .data)]
    guard let invitation = halfOpen.invitation(completedBy: command, from: address) else {
      return refuse(command, to: address, .data)
    }
    // If the first invitation of the peer arrived before the local invitation established a session, the invitations have
    // crossed. The second invitation of the peer then belongs to this session.
    if let established, !established.isProtected, invitation.since <= established.establishedAt {
      _ = halfOpen.withdraw(ssrc: invitation.ssrc, control: invitation.control, token: 0)
      currentSession = established
      established.accept(token: command.token, onControlPort: invitation.token)
      established.lastHeard = now
      return accept(command, as: established.localSSRC, to: address, .data)
    }
    let session: Session
    let sessionAtAddress = table.session(at: invitation.control)
    // The peers may be inviting each other. If the peer has answered the local invitation on the control port with the SSRC of
    // its own invitation, the local invitation becomes the session. An invitation with another SSRC may come from a
    // stranger with a forged address.
    let answered = [sessionAtAddress, sessionAtAddress?.revival].compactMap(\.self).first {
      $0.phase == .invitingData && $0.controlSSRC == invitation.ssrc && !$0.isProtected
    }
    if let answered {
      session = answered
    } else {
      // If there is a session or a local invitation at this address, the new session will replace it, and needs no new place.
      guard sessionAtAddress != nil || hasRoom(for: address) && !isFull(hostOf: address) else {
        return refuse(command, to: address, .data)
      }
      guard makeRoom(forCandidateAt: address, at: now) else { return .refusedInvitation }
      session = makeSession(
        control: invitation.control, data: address, localSSRC: invitation.localSSRC, isInitiator: false)
    }
    _ = halfOpen.withdraw(ssrc: invitation.ssrc, control: invitation.control, token: 0)
    session.accept(token: command.token, onControlPort: invitation.token)
    (session.controlSource, session.data, session.local) = (invitation.control, address, arrivalAddress)
    (session.ssrc, session.controlSSRC) = (command.ssrc, invitation.ssrc)
    (session.name, session.mark) = (command.name ?? invitation.name, command.mark)
    let outcome = accept(command, as: session.localSSRC, to: address, .data)
    if answered != nil { establish(session, at: now) } else { begin(candidate: session, at: now) }
    return outcome
  }

  /// Receives OK. After OK on the control port, the peer is invited on the data port. OK on the data port establishes the
  /// session; in a protected session, it makes the peer a candidate.
  private func receiveAcceptance(
    _ command: SessionCommand, from address: SocketAddress, port: Port, at now: Instant
  ) -> DatagramOutcome {
    guard let session = table.session(withToken: command.token), session.isInitiator,
      isAnswer(from: address, port, to: session)
    else { return .unexpectedAnswer }
    guard mark(of: command) == mark(for: session.control) else {
      if session.phase == .invitingControl, port == .control { endMarked(session, by: command, at: now) }
      return .unexpectedAnswer
    }
    switch (session.phase, port) {
    case (.invitingControl, .control):
      // If the peer has also invited the local peer, the peer is a candidate already. The token in its OK proves that
      // the peer receives packets at this address, so the address is not forged.
      let source = SessionTable.Source(ssrc: command.ssrc, address: address, port: .control)
      if let candidate = table.candidate(from: source), candidate.control == session.control, !session.isProtected {
        verify(candidate, at: now)
        break
      }
      if address != session.control {
        // The peer sends from this address, so the session is with this address.
        session.controlSource = address
        session.data = SocketAddress(
          high: address.high, low: address.low, scope: address.scope, port: session.data.port)
      }
      session.local = arrivalAddress
      (session.controlSSRC, session.name) = (command.ssrc, command.name)
      table.awaitPackets(of: session)
      invite(session, .invitingData, at: now)
    case (.invitingData, .data):
      (session.ssrc, session.mark) = (command.ssrc, command.mark)
      guard session.isProtected else {
        establish(session, at: now)
        break
      }
      table.remove(session)
      begin(candidate: session, at: now)
    case (.invitingControl, .data): return .unexpectedAnswer  // The data port is not invited yet.
    default: break  // A repeated OK, because the invitation was repeated.
    }
    return .accepted
  }

  /// Answers an invitation whose source is that of an established session or of a candidate. Returns nil if the invitation
  /// must be examined further.
  private func answerKnown(
    _ command: SessionCommand, from address: SocketAddress, _ port: Port, at now: Instant
  ) -> DatagramOutcome? {
    let source = SessionTable.Source(ssrc: command.ssrc, address: address, port: port)
    let candidate = table.candidate(from: source)
    // The local peer has invited this candidate. The invitation is forged, because the peer would use a new SSRC for an
    // invitation of its own.
    if let candidate, candidate.isInitiator { return .refusedInvitation }
    // If the peer repeats the accepted invitation of an established session or of a candidate, the local OK was lost. The
    // peer gets another OK.
    for session in [table[source], candidate] {
      guard let session, session.acceptedToken == command.token else { continue }
      if port == .data {
        currentSession = session
        if !session.isProtected { session.lastHeard = now }
      }
      return accept(command, as: session.localSSRC, to: address, port)
    }
    return nil
  }

  /// Ends an invitation whose answer has another mark (``ProtocolExtension/mark``). A revival is tried again later.
  private func endMarked(_ session: Session, by command: SessionCommand, at now: Instant) {
    if let id = session.sessionToRevive, let revived = table[id] {
      return cancel(session, nextAt: now + revived.supervision.halfLimit)
    }
    end(session, .hasOtherMark(session.id, isMarked: mark(of: command) != nil))
  }

  /// Whether an answer with the token of the local invitation to `session` may come from `address`.
  ///
  /// A peer with several addresses may answer the first invitation from another address than the invited one, but from
  /// the invited port. The token identifies the answer: it is a random number of 32 bits, known only to the hosts that
  /// received or forwarded the invitation. An established session accepts packets from one address only.
  private func isAnswer(from address: SocketAddress, _ port: Port, to session: Session) -> Bool {
    if port == .data { return session.data == address }
    if session.phase == .invitingControl { return session.control.port == address.port }
    return session.controlSource == address
  }

  /// Receives NO.
  private func receiveRejection(
    _ command: SessionCommand, from address: SocketAddress, at now: Instant
  ) -> DatagramOutcome {
    guard let session = table.session(withToken: command.token), session.phase != .established,
      isAnswer(from: address, .control, to: session) || session.data == address
    else { return .unexpectedAnswer }
    if session.phase == .invitingControl, mark(of: command) != mark(for: session.control) {
      // A host that is exempt (``exempts``) does not reach this line: it has no mark, and the local peer uses none for it.
      endMarked(session, by: command, at: now)
      return .accepted
    }
    guard let id = session.sessionToRevive, let revived = table[id] else {
      // NO to the first invitation is a refusal. NO after the control port has accepted is not: the peer was restarted
      // between the two invitations, or has ended the session.
      end(session, session.phase == .invitingControl ? .refused(session.id) : .unreachable(session.id))
      return .accepted
    }
    if session.phase == .invitingControl, !revived.isProtected {
      // The peer refuses to revive the session. A peer that still had the session would have accepted. NO does not end a
      // protected session, because anybody can send NO.
      end(revived, .refused(id))
    } else {
      // The revived session is protected; or the peer was restarted between the two local invitations, or has forgotten
      // the first one. The revival is tried again later.
      cancel(session, nextAt: now + revived.supervision.halfLimit)
    }
    return .accepted
  }

  /// Receives BY: ends a session, an invitation in progress, or a half-open invitation. A BY with a token that belongs to none of them has no
  /// effect. It may come from an earlier session of a device that has restarted with the same SSRC.
  private func receiveBye(_ command: SessionCommand, from address: SocketAddress, port: Port) -> DatagramOutcome {
    let source = SessionTable.Source(ssrc: command.ssrc, address: address, port: port)
    let established = table[source]
    if let established, mayReceive(established), established.isNamed(by: command) {
      end(established, .closed(established.id))
      return .accepted
    }
    // If sessions with this address are protected, the BY has no effect, because it is not authentic. An invitation in progress expires by
    // itself.
    guard !protects(address) else { return .notAuthentic }
    let candidate = table.candidate(from: source)
    if let candidate, candidate.isNamed(by: command) {
      table.remove(candidate)
      return .accepted
    }
    let invited = table.session(at: address).flatMap {
      $0.phase == .invitingData && $0.controlSSRC == command.ssrc ? $0 : nil
    }
    if let invited, invited.isNamed(by: command) {
      end(invited, .unreachable(invited.id))
      return .accepted
    }
    if halfOpen.withdraw(ssrc: command.ssrc, control: address, token: command.token) { return .accepted }
    return established == nil && candidate == nil && invited == nil ? .unknownSource : .replayed
  }

  /// Answers OK to an invitation, with this SSRC.
  private func accept(
    _ command: SessionCommand, as localSSRC: UInt32, to address: SocketAddress, _ port: Port
  ) -> DatagramOutcome {
    let answer = SessionCommand(
      .accepted, token: command.token, ssrc: localSSRC, name: name, mark: numberAfterName(for: address))
    send(answer, to: address, from: arrivalAddress, port)
    return .accepted
  }

  /// Answers NO to an invitation.
  func refuse(_ command: SessionCommand, to address: SocketAddress, _ port: Port) -> DatagramOutcome {
    let answer = SessionCommand(
      .rejected, token: command.token, ssrc: localSSRC(for: address), mark: mark(for: address))
    send(answer, to: address, from: arrivalAddress, port)
    return .refusedInvitation
  }
}
