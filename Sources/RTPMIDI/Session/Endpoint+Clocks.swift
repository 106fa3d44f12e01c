public import BasicContainers
import MusicalTime

/// CK packets, which compare the clocks of the two peers of a session (``ClockComparison``).
extension Endpoint {
  /// Returns the CK0 that ``Output/clockPacket(_:to:)`` requests; nil if the session has ended.
  ///
  /// - Parameter instant: the instant of sending. Read the clock immediately before the call.
  public func clockPacket(on id: SessionID, sentAt instant: Instant) -> ClockPacket? {
    guard let session = table[id], session.phase == .established else { return nil }
    return session.clock.request(ssrc: session.localSSRC, sentAt: instant)
  }

  /// Requests a CK0 outside the usual intervals, to learn whether the peer of an established session is still there.
  public func requestClock(on id: SessionID) {
    guard let session = table[id], session.phase == .established else { return }
    outputs.append(.clockPacket(session.id, to: session.data, from: session.local))
  }

  /// When a valid datagram of the peer last arrived, and whether the peer has answered a CK0 of the local peer. Nil if there is no such
  /// session.
  public func presence(on id: SessionID) -> (lastHeard: Instant, answersClock: Bool)? {
    guard let session = table[id], session.phase == .established else { return nil }
    return (session.lastHeard, session.answersClock)
  }

  /// Appends the tag to a datagram that does not come from ``drain()``, such as the CK0 of ``clockPacket(on:sentAt:)``.
  /// Does nothing if the session is not protected: see ``protects(_:)``.
  ///
  /// - Parameters:
  ///   - datagram: has room for 16 more octets.
  ///   - port: the local port that sends the datagram.
  ///   - instant: the present local time.
  public func seal(_ datagram: inout RigidArray<UInt8>, of id: SessionID, port: Port, at instant: Instant) {
    guard let session = table[id], session.isProtected else { return }
    session.extension?.seal(&datagram, port: port, at: instant)
  }

  /// Receives a CK packet: replies to it, unless the receiving thread has replied already, and reports the clock
  /// measurements that it contains.
  ///
  /// - Parameters:
  ///   - instant: the arrival of the packet.
  ///   - answer: the instant at which the receiving thread replied; nil if it did not reply.
  func receive(
    _ packet: ClockPacket, from address: SocketAddress, port: Port, at instant: Instant, answeredAt answer: Instant?
  ) -> DatagramOutcome {
    let source = SessionTable.Source(ssrc: packet.ssrc, address: address, port: port)
    var outcome = DatagramOutcome.unknownSource
    if let session = session(of: source, at: instant) {
      outcome = receive(packet, on: session, from: source, at: instant, answeredAt: answer)
    }
    // The packet may belong to a candidate with the same source: a standard device that begins another session may use the
    // same SSRC for both sessions.
    guard outcome == .unknownSource || outcome == .unmatchedClock, let candidate = table.candidate(from: source)
    else { return outcome }
    // A protected candidate proves itself by its handshake. Its CK packets are not accepted before this proof.
    guard !candidate.isProtected else { return .notAuthentic }
    currentSession = candidate
    return receive(packet, on: candidate, from: source, at: instant, answeredAt: answer)
  }

  private func receive(
    _ packet: ClockPacket, on session: Session, from source: SessionTable.Source, at instant: Instant,
    answeredAt answer: Instant?
  ) -> DatagramOutcome {
    let isCandidate = session.candidacy != nil
    // A device that does not receive the CK1 could guess the stamp that its CK2 must repeat. Therefore a candidate may reply only to
    // the newest CK1, and is removed after a few wrong replies.
    // A copy is changed, because ``Session/deadline`` reads the property often: see `PeerSession.changeRecognition`.
    var clock = session.clock
    let reading = clock.receive(packet, repliedAt: answer ?? instant, keepsOneReply: isCandidate)
    session.clock = clock
    guard let reading else {
      if session.candidacy?.countWrongReply() == false { table.remove(session) }
      return .unmatchedClock
    }
    // A reply to a packet of the local peer is the proof of a candidate.
    if reading.requestSent != nil, !verify(session, at: instant) { return .refusedInvitation }
    if answer == nil, let reply = packet.reply(from: session.localSSRC, sentAt: instant) {
      send(to: source.address, from: arrivalAddress, source.port, sealedBy: session) { reply.append(to: &$0) }
    }
    guard session.accept(reading: reading.remote, at: instant) else { return .implausibleClock }
    session.lastHeard = instant
    session.hasSentClock = true
    if reading.requestSent != nil { session.answersClock = true }
    // If the extension measures the clock, its stamps are more precise. The CK measurement is then not reported.
    guard session.extension?.measuresClock != true else { return .accepted }
    let resolution = ClockPacket.resolution
    if let sent = reading.requestSent {
      let transit = ClockTransit(.out, sent: sent, received: reading.remote, resolution: resolution)
      report(transit, of: session)
    }
    let transit = ClockTransit(.back, sent: reading.remote, received: instant, resolution: resolution)
    report(transit, of: session)
    return .accepted
  }

  /// Reports that a packet was not used, or a part of it. The session of a candidate has not been reported as established yet.
  func report(_ irregularity: Irregularity, of session: Session) {
    if session.candidacy == nil { outputs.append(.irregular(session.id, irregularity)) }
  }

  /// Reports a clock measurement, with two exceptions. In an outdated session, the measurement may contain a stamp from
  /// before a suspension of the machine. The session of a candidate has not been reported as established yet.
  func report(_ transit: ClockTransit, of session: Session) {
    if !session.isOutdated, session.candidacy == nil { outputs.append(.clock(session.id, transit)) }
  }
}
