import MusicalTime

/// IN, OK, NO and BY.
extension Endpoint {
  func receive(_ command: SessionCommand, from address: SocketAddress, port: Port, at now: Instant) -> Counters.Fate {
    switch command.kind {
    case .invitation:
      if command.ssrc == ssrc { return receiveOwnInvitation(command, from: address, port: port) }
      switch port {
      case .control: return receiveControlInvitation(command, from: address, at: now)
      case .data: return receiveDataInvitation(command, from: address, at: now)
      }
    case .accepted: return receiveAcceptance(command, from: address, port: port, at: now)
    case .rejected: return receiveRejection(command, from: address, at: now)
    case .bye: return receiveBye(command, from: address, port: port)
    }
  }

  /// One's own, invited by its own address or sent in a circle.
  private func receiveOwnInvitation(_ command: SessionCommand, from address: SocketAddress, port: Port) -> Counters.Fate
  {
    guard let session = table.session(withToken: command.token), session.phase != .established, session.revives == nil
    else { return refuse(command, to: address, port) }
    end(session, .reflected(session.id))
    return .refusedInvitation
  }

  private func receiveControlInvitation(
    _ command: SessionCommand, from address: SocketAddress, at now: Instant
  ) -> Counters.Fate {
    let known = table[.init(ssrc: command.ssrc, address: address, port: .control)]
    if let known, known.acceptedToken == command.token { return accept(command, to: address, .control) }
    // A peer that is being invited from here, or was restarted, has its place among the sessions already.
    let there = table.session(at: address)
    let isInvited = there.map { $0.phase != .established || $0.revival != nil } ?? false
    if known == nil, !isInvited {
      guard there != nil || hasRoom(for: address) else { return refuse(command, to: address, .control) }
      guard admits(command.name, address) else { return decline(command, from: address, at: now) }
    }
    if halfOpen.open(command, from: address, at: now) { counters.forgottenInvitations += 1 }
    return accept(command, to: address, .control)
  }

  private func receiveDataInvitation(
    _ command: SessionCommand, from address: SocketAddress, at now: Instant
  ) -> Counters.Fate {
    let known = table[.init(ssrc: command.ssrc, address: address, port: .data)]
    if let known, known.acceptedToken == command.token {
      speaker = known
      known.lastHeard = now
      return accept(command, to: address, .data)
    }
    guard let invitation = halfOpen.take(for: command, from: address) else {
      return refuse(command, to: address, .data)
    }
    // The two have invited each other, and the own invitation was accepted after this one had come: it is one session.
    if let known, invitation.since <= known.since {
      speaker = known
      (known.acceptedToken, known.lastHeard) = (command.token, now)
      return accept(command, to: address, .data)
    }
    let session: Session
    let there = table.session(at: invitation.control)
    if let there, there.phase != .established {
      session = there
    } else if let revival = there?.revival {
      session = revival
    } else {
      guard there != nil || hasRoom(for: address) else { return refuse(command, to: address, .data) }
      session = makeSession(control: invitation.control, data: address, isInitiator: false)
    }
    session.acceptedToken = command.token
    session.data = address
    (session.ssrc, session.controlSSRC) = (command.ssrc, invitation.ssrc)
    session.name = command.name ?? invitation.name
    let fate = accept(command, to: address, .data)
    establish(session, at: now)
    return fate
  }

  private func receiveAcceptance(
    _ command: SessionCommand, from address: SocketAddress, port: Port, at now: Instant
  ) -> Counters.Fate {
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
    default: break  // An answer repeated to an invitation repeated.
    }
    return .accepted
  }

  private func receiveRejection(
    _ command: SessionCommand, from address: SocketAddress, at now: Instant
  ) -> Counters.Fate {
    guard let session = table.session(withToken: command.token), session.phase != .established,
      session.control == address || session.data == address
    else { return .unexpectedAnswer }
    guard let id = session.revives, let revived = table[id] else {
      // Who has accepted on its control port means no refusal: it was restarted in between, or has given the session up.
      end(session, session.phase == .invitingControl ? .refused(session.id) : .unreachable(session.id))
      return .accepted
    }
    if session.phase == .invitingControl {
      // Who had a session with this peer would have accepted.
      end(revived, .refused(id))
    } else {
      // It was restarted between the two invitations, or has forgotten the first.
      abandon(session, at: now + Nanoseconds(revived.patience.count / 2))
    }
    return .accepted
  }

  private func receiveBye(_ command: SessionCommand, from address: SocketAddress, port: Port) -> Counters.Fate {
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

  private func accept(_ command: SessionCommand, to address: SocketAddress, _ port: Port) -> Counters.Fate {
    send(SessionCommand(.accepted, token: command.token, ssrc: ssrc, name: name), to: address, port)
    return .accepted
  }

  func refuse(_ command: SessionCommand, to address: SocketAddress, _ port: Port) -> Counters.Fate {
    send(SessionCommand(.rejected, token: command.token, ssrc: ssrc), to: address, port)
    return .refusedInvitation
  }
}
