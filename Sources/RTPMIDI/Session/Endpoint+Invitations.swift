import MusicalTime

/// The session commands IN, OK, NO and BY.
extension Endpoint {
  func receive(_ command: SessionCommand, from address: SocketAddress, port: Port, at now: Instant) -> DatagramOutcome {
    switch command.kind {
    case .invitation:
      if command.ssrc == ssrc { return receiveReflectedInvitation(command, from: address, port: port) }
      switch port {
      case .control: return receiveControlInvitation(command, from: address, at: now)
      case .data: return receiveDataInvitation(command, from: address, at: now)
      }
    case .accepted: return receiveAcceptance(command, from: address, port: port, at: now)
    case .rejected: return receiveRejection(command, from: address, at: now)
    case .bye: return receiveBye(command, from: address, port: port)
    }
  }

  /// Receives an invitation of this endpoint itself: it invited its own address, or the invitation was reflected.
  private func receiveReflectedInvitation(
    _ command: SessionCommand, from address: SocketAddress, port: Port
  ) -> DatagramOutcome {
    guard let session = table.session(withToken: command.token), session.phase != .established, session.revives == nil
    else { return refuse(command, to: address, port) }
    end(session, .reflected(session.id))
    return .refusedInvitation
  }

  private func receiveControlInvitation(
    _ command: SessionCommand, from address: SocketAddress, at now: Instant
  ) -> DatagramOutcome {
    let known = table[.init(ssrc: command.ssrc, address: address, port: .control)]
    if let known, known.acceptedToken == command.token { return accept(command, to: address, .control) }
    // A peer that the local peer is inviting, or that was restarted, already has a place in the table.
    let present = table.session(at: address)
    let isInvited = present.map { $0.phase != .established || $0.revival != nil } ?? false
    if known == nil, !isInvited {
      guard present != nil || hasRoom(for: address) else { return refuse(command, to: address, .control) }
      guard admits(command.name, address) else { return decline(command, from: address, at: now) }
    }
    if halfOpen.open(command, from: address, at: now) { counters.forgottenInvitations += 1 }
    return accept(command, to: address, .control)
  }

  private func receiveDataInvitation(
    _ command: SessionCommand, from address: SocketAddress, at now: Instant
  ) -> DatagramOutcome {
    let known = table[.init(ssrc: command.ssrc, address: address, port: .data)]
    if let known, known.acceptedToken == command.token {
      currentSession = known
      known.lastHeard = now
      return accept(command, to: address, .data)
    }
    guard let invitation = halfOpen.take(for: command, from: address) else {
      return refuse(command, to: address, .data)
    }
    // Both peers have invited each other, and the local invitation was accepted after this one had arrived: one session.
    if let known, invitation.since <= known.establishedAt {
      currentSession = known
      (known.acceptedToken, known.lastHeard) = (command.token, now)
      return accept(command, to: address, .data)
    }
    let session: Session
    let present = table.session(at: invitation.control)
    if let present, present.phase != .established {
      session = present
    } else if let revival = present?.revival {
      session = revival
    } else {
      guard present != nil || hasRoom(for: address) else { return refuse(command, to: address, .data) }
      session = makeSession(control: invitation.control, data: address, isInitiator: false)
    }
    session.acceptedToken = command.token
    session.data = address
    (session.ssrc, session.controlSSRC) = (command.ssrc, invitation.ssrc)
    session.name = command.name ?? invitation.name
    let outcome = accept(command, to: address, .data)
    establish(session, at: now)
    return outcome
  }

  private func receiveAcceptance(
    _ command: SessionCommand, from address: SocketAddress, port: Port, at now: Instant
  ) -> DatagramOutcome {
    guard let session = table.session(withToken: command.token), session.isInitiator,
      (port == .control ? session.control : session.data) == address
    else { return .unexpectedAnswer }
    switch (session.phase, port) {
    case (.invitingControl, .control):
      (session.controlSSRC, session.name) = (command.ssrc, command.name)
      table.wait(for: session)
      invite(session, .invitingData, at: now)
    case (.invitingData, .data):
      session.ssrc = command.ssrc
      establish(session, at: now)
    case (.invitingControl, .data): return .unexpectedAnswer
    default: break  // A repeated answer to a repeated invitation.
    }
    return .accepted
  }

  private func receiveRejection(
    _ command: SessionCommand, from address: SocketAddress, at now: Instant
  ) -> DatagramOutcome {
    guard let session = table.session(withToken: command.token), session.phase != .established,
      session.control == address || session.data == address
    else { return .unexpectedAnswer }
    guard let id = session.revives, let revived = table[id] else {
      // A NO after the control port has accepted is not a refusal: the peer was restarted in between, or has ended the session.
      end(session, session.phase == .invitingControl ? .refused(session.id) : .unreachable(session.id))
      return .accepted
    }
    if session.phase == .invitingControl {
      // A peer that still had a session with this peer would have accepted.
      end(revived, .refused(id))
    } else {
      // The peer was restarted between the two invitations, or has dropped the first.
      cancel(session, nextAt: now + revived.supervision.halfLimit)
    }
    return .accepted
  }

  private func receiveBye(_ command: SessionCommand, from address: SocketAddress, port: Port) -> DatagramOutcome {
    if let session = table[.init(ssrc: command.ssrc, address: address, port: port)] {
      end(session, .closed(session.id))
      return .accepted
    }
    if let session = table.session(at: address), session.phase == .invitingData, session.controlSSRC == command.ssrc {
      end(session, .unreachable(session.id))
      return .accepted
    }
    return halfOpen.withdraw(ssrc: command.ssrc, control: address) ? .accepted : .unknownSource
  }

  private func accept(_ command: SessionCommand, to address: SocketAddress, _ port: Port) -> DatagramOutcome {
    send(SessionCommand(.accepted, token: command.token, ssrc: ssrc, name: name), to: address, port)
    return .accepted
  }

  func refuse(_ command: SessionCommand, to address: SocketAddress, _ port: Port) -> DatagramOutcome {
    send(SessionCommand(.rejected, token: command.token, ssrc: ssrc), to: address, port)
    return .refusedInvitation
  }
}
