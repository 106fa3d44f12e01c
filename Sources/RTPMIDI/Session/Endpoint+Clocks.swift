import MusicalTime

/// CK and probes.
extension Endpoint {
  /// Sends the probe that ``Output/probe(_:to:)`` asks for; nothing happens when the session has ended.
  ///
  /// - Parameter send: sends the packet, with a ``ClockProbe/transmit`` of which the clock is read last, and returns that
  ///   instant; nil when it was not sent.
  public func sendProbe(on id: SessionID, by send: (ClockProbe) -> Instant?) {
    guard let session = table[id], session.phase == .established else { return }
    var request = ClockProbe(ssrc: ssrc, identity: identity, pace: pace, sentAt: Instant(nanoseconds: 0))
    // What is not heard within seconds is of no use to the peer.
    if let newest = session.acknowledgement, session.recognition.lastRequest - newest.received < .seconds(5) {
      (request.origin, request.receive) = (newest.sent, newest.received)
    }
    if let instant = send(request) { session.recognition.hasAsked(at: instant) }
  }

  /// The CK0 that ``Output/clockPacket(_:to:)`` asks for; nil when the session has ended.
  ///
  /// - Parameter instant: when it leaves: read the clock last.
  public func clockPacket(on id: SessionID, sentAt instant: Instant) -> ClockPacket? {
    guard let session = table[id], session.phase == .established else { return nil }
    return session.clock.question(ssrc: ssrc, sentAt: instant)
  }

  func receive(
    _ packet: ClockPacket, from address: SocketAddress, port: Port, at instant: Instant, answeredAt answer: Instant?
  ) -> Counters.Fate {
    guard let session = session(of: packet.ssrc, from: address, port, at: instant) else { return .unknownSource }
    guard let reading = session.clock.receive(packet, answered: answer ?? instant) else { return .unmatchedClock }
    if answer == nil, let reply = packet.reply(from: ssrc, sentAt: instant) {
      send(to: address, port) { reply.append(to: &$0) }
    }
    guard session.believe(reading.remote, at: instant) else { return .implausibleClock }
    session.lastHeard = instant
    // A recognised peer's probes tell a thousand times as much.
    guard !session.recognition.isRecognised else { return .accepted }
    let resolution = ClockPacket.resolution
    if let asked = reading.asked {
      let transit = ClockTransit(.out, sent: asked, received: reading.remote, resolution: resolution)
      outputs.append(.clock(session.id, transit))
    }
    let transit = ClockTransit(.back, sent: reading.remote, received: instant, resolution: resolution)
    outputs.append(.clock(session.id, transit))
    return .accepted
  }

  func receive(
    _ probe: ClockProbe, from address: SocketAddress, port: Port, at instant: Instant, isAnswered: Bool
  ) -> Counters.Fate {
    guard let session = session(of: probe.ssrc, from: address, port, at: instant) else { return .strangerProbe }
    let fate =
      switch probe.kind {
      case .request: receive(request: probe, in: session, at: instant)
      case .reply: receive(reply: probe, in: session, at: instant)
      case .acknowledgement: receive(acknowledgement: probe, in: session, at: instant)
      }
    let answer = probe.answer(from: ssrc, identity: identity, pace: pace, receivedAt: instant, sentAt: instant)
    // A reply that nothing had asked for is not acknowledged.
    if !isAnswered, let answer, probe.kind == .request || fate == .accepted {
      send(to: address, port) { answer.append(to: &$0) }
    }
    return fate
  }

  private func receive(request: ClockProbe, in session: Session, at instant: Instant) -> Counters.Fate {
    if session.recognition.hasShownItself(at: instant) { outputs.append(.tutti(session.id)) }
    guard let identity = session.recognition.identity else {
      session.lastHeard = instant
      return .accepted
    }
    guard identity == request.identity else { return .strangerProbe }
    session.lastHeard = instant
    session.recognition.obey(pace: request.pace)
    guard session.believe(request.transmit, at: instant) else { return .implausibleClock }
    guard admits(request.transmit, of: session, at: instant) else { return .accepted }
    guard session.asked != request.transmit else { return .replayed }
    session.asked = request.transmit
    take(wayTold: request, last: &session.acknowledgedLast, of: session, at: instant)
    outputs.append(.clock(session.id, ClockTransit(.back, sent: request.transmit, received: instant)))
    return .accepted
  }

  private func receive(acknowledgement: ClockProbe, in session: Session, at instant: Instant) -> Counters.Fate {
    guard let identity = session.recognition.identity, identity == acknowledgement.identity else {
      return .strangerProbe
    }
    session.lastHeard = instant
    guard session.believe(acknowledgement.transmit, at: instant) else { return .implausibleClock }
    guard admits(acknowledgement.transmit, of: session, at: instant) else { return .accepted }
    guard session.acknowledgement?.sent != acknowledgement.transmit else { return .replayed }
    session.acknowledgement = (acknowledgement.transmit, instant)
    take(wayTold: acknowledgement, last: &session.repliedLast, of: session, at: instant)
    outputs.append(.clock(session.id, ClockTransit(.back, sent: acknowledgement.transmit, received: instant)))
    return .accepted
  }

  /// The way of a packet from here, as the peer tells it in `probe`, unless it has told of that or of a later one, the
  /// `last`.
  private func take(
    wayTold probe: ClockProbe, last: inout Instant?, of session: Session, at instant: Instant
  ) {
    guard probe.origin.nanoseconds != 0 || probe.receive.nanoseconds != 0 else { return }
    guard probe.isPossible(at: instant) else {
      counters.refusedInstants += 1
      return
    }
    if let last, probe.origin - last <= .zero { return }
    last = probe.origin
    outputs.append(.clock(session.id, ClockTransit(.out, sent: probe.origin, received: probe.receive)))
  }

  private func receive(reply: ClockProbe, in session: Session, at instant: Instant) -> Counters.Fate {
    guard let isFirst = session.recognition.receive(reply, at: instant, floor: floor) else { return .strangerProbe }
    session.lastHeard = instant
    session.recognition.obey(pace: reply.pace)
    let isBelieved = session.believe(reply.transmit, at: instant)
    if isFirst { recognise(session, as: reply.identity, at: instant) }
    guard isBelieved || isFirst else { return .implausibleClock }
    guard admits(reply.transmit, of: session, at: instant) else { return .accepted }
    outputs.append(.clock(session.id, ClockTransit(.out, sent: reply.origin, received: reply.receive)))
    outputs.append(.clock(session.id, ClockTransit(.back, sent: reply.transmit, received: instant)))
    return .accepted
  }

  /// Takes what a packet of the peer's RTP stream, which has not come before, says of when it left.
  func receive(sendInstant sent: Instant, in session: Session, at instant: Instant) {
    guard session.recognition.isRecognised else { return }
    guard session.believe(sent, at: instant) else {
      counters.refusedInstants += 1
      return
    }
    guard admits(sent, of: session, at: instant) else { return }
    outputs.append(.clock(session.id, ClockTransit(.back, sent: sent, received: instant)))
  }

  /// Whether a send instant of the peer may be used.
  private func admits(_ sent: Instant, of session: Session, at instant: Instant) -> Bool {
    let isUsable = session.sendInstants.admit(sent, at: instant)
    if !isUsable { counters.refusedInstants += 1 }
    return isUsable
  }
}
