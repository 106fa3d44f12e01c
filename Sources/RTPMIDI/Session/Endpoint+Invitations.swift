import MusicalTime

/// IN, OK, NO and BY.
extension Endpoint {
  func receive(_ command: SessionCommand, from address: Address, port: Port, at now: Instant) -> Counters.Fate {
    switch command.kind {
    case .invitation:
      // One's own, found by discovery or sent in a circle.
      if command.ssrc == ssrc { return refuse(command, to: address, port) }
      switch port {
      case .control: return receiveControlInvitation(command, from: address, at: now)
      case .data: return receiveDataInvitation(command, from: address, at: now)
      }
    case .accepted: return receiveAcceptance(command, from: address, port: port, at: now)
    case .rejected:
      guard
        let session = sessions.first(where: {
          $0.phase != .established && $0.token == command.token && ($0.control == address || $0.data == address)
        })
      else { return .unexpectedAnswer }
      end(session, .refused(session.id))
      return .accepted
    case .bye: return receiveBye(command, from: address, port: port)
    }
  }

  private func receiveControlInvitation(
    _ command: SessionCommand, from address: Address, at now: Instant
  ) -> Counters.Fate {
    let known = sources[Source(ssrc: command.ssrc, address: address, port: .control)]
    // A peer that is being invited from here has its place among the sessions already.
    let isInvited = sessions.contains { $0.control == address && $0.phase != .established }
    guard known != nil || isInvited || sessions.count < Self.sessionLimit else {
      return refuse(command, to: address, .control)
    }
    if known?.acceptedToken != command.token {
      halfOpen.removeAll { $0.ssrc == command.ssrc && $0.control == address }
      if halfOpen.count == Self.halfOpenLimit {
        halfOpen.removeFirst()
        counters.forgottenInvitations += 1
      }
      halfOpen.append(
        HalfOpenInvitation(
          token: command.token, ssrc: command.ssrc, name: command.name, control: address, since: now))
    }
    return accept(command, to: address, .control)
  }

  private func receiveDataInvitation(
    _ command: SessionCommand, from address: Address, at now: Instant
  ) -> Counters.Fate {
    let known = sources[Source(ssrc: command.ssrc, address: address, port: .data)]
    if let known, known.acceptedToken == command.token {
      known.lastHeard = now
      return accept(command, to: address, .data)
    }
    guard let position = halfOpen.firstIndex(where: { $0.ssrc == command.ssrc && $0.token == command.token }) else {
      return refuse(command, to: address, .data)
    }
    let invitation = halfOpen.remove(at: position)
    if let known {
      known.acceptedToken = command.token
      known.lastHeard = now
      known.beginStream()
      return accept(command, to: address, .data)
    }
    let session: Session<Address>
    if let own = sessions.first(where: { $0.control == invitation.control && $0.phase != .established }) {
      session = own
    } else {
      guard sessions.count < Self.sessionLimit else { return refuse(command, to: address, .data) }
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
    _ command: SessionCommand, from address: Address, port: Port, at now: Instant
  ) -> Counters.Fate {
    guard
      let session = sessions.first(where: {
        $0.token == command.token && $0.isInitiator && (port == .control ? $0.control : $0.data) == address
      })
    else { return .unexpectedAnswer }
    switch (session.phase, port) {
    case (.invitingControl, .control):
      (session.controlSSRC, session.name) = (command.ssrc, command.name)
      session.invite(.invitingData, at: now)
      advance(to: now)
    case (.invitingData, .data):
      session.ssrc = command.ssrc
      establish(session, at: now)
    case (.invitingControl, .data): return .unexpectedAnswer
    default: break  // An answer repeated to an invitation repeated.
    }
    return .accepted
  }

  private func receiveBye(_ command: SessionCommand, from address: Address, port: Port) -> Counters.Fate {
    if let session = sources[Source(ssrc: command.ssrc, address: address, port: port)] {
      end(session, .closed(session.id))
      return .accepted
    }
    if let session = sessions.first(where: {
      $0.phase == .invitingData && $0.controlSSRC == command.ssrc && $0.control == address
    }) {
      end(session, .refused(session.id))
      return .accepted
    }
    guard let position = halfOpen.firstIndex(where: { $0.ssrc == command.ssrc && $0.control == address }) else {
      return .unknownSource
    }
    halfOpen.remove(at: position)
    return .accepted
  }

  /// Makes `session` the one with its peer's addresses, and starts its clock packets and probes.
  private func establish(_ session: Session<Address>, at now: Instant) {
    for other in sessions where other !== session && other.phase == .established {
      if other.control == session.control || other.data == session.data { end(other, .lost(other.id)) }
    }
    session.establish(at: now)
    sources[Source(ssrc: session.controlSSRC, address: session.control, port: .control)] = session
    sources[Source(ssrc: session.ssrc, address: session.data, port: .data)] = session
    let info = SessionInfo(
      name: session.name, ssrc: session.ssrc, control: session.control, data: session.data,
      isInitiator: session.isInitiator)
    outputs.append(.established(session.id, info))
    advance(to: now)
  }

  private func accept(_ command: SessionCommand, to address: Address, _ port: Port) -> Counters.Fate {
    send(SessionCommand(.accepted, token: command.token, ssrc: ssrc, name: name), to: address, port)
    return .accepted
  }

  private func refuse(_ command: SessionCommand, to address: Address, _ port: Port) -> Counters.Fate {
    send(SessionCommand(.rejected, token: command.token, ssrc: ssrc), to: address, port)
    return .refusedInvitation
  }
}
