import MusicalTime

/// Datagrams.
extension Endpoint {
  /// Takes a datagram. A CK0 or probe request that it answers itself is answered as of its arrival: the time until the
  /// answer leaves goes unseen.
  ///
  /// - Parameters:
  ///   - address: whence it came.
  ///   - port: the own port at which it arrived.
  ///   - instant: when it arrived.
  ///   - answered: whether it is a CK0 or a probe request that has been answered already. The CK1's stamp was that of
  ///     `instant`.
  public func receive(
    _ datagram: Span<UInt8>, from address: Address, port: Port, at instant: Instant, answered: Bool = false
  ) {
    let fate: Counters.Fate
    if ControlPacket.isControl(datagram) {
      do {
        switch try ControlPacket(datagram) {
        case .session(let command): fate = receive(command, from: address, port: port, at: instant)
        case .clock(let packet):
          fate = receive(packet, from: address, port: port, at: instant, answered: answered)
        case .feedback(let feedback): fate = receive(feedback, from: address, port: port, at: instant)
        case .probe(let probe): fate = receive(probe, from: address, port: port, at: instant, answered: answered)
        }
      } catch {
        fate = error == .unknownCommand ? .unknownCommand : .malformed
      }
    } else {
      fate = receiveRTP(datagram, from: address, port: port, at: instant)
    }
    counters.count(fate)
  }

  /// Takes a datagram that lies in an array.
  public func receive(
    _ datagram: [UInt8], from address: Address, port: Port, at instant: Instant, answered: Bool = false
  ) {
    receive(datagram.span, from: address, port: port, at: instant, answered: answered)
  }

  private func receive(
    _ packet: ClockPacket, from address: Address, port: Port, at instant: Instant, answered: Bool
  ) -> Counters.Fate {
    guard let session = sources[Source(ssrc: packet.ssrc, address: address, port: port)] else { return .unknownSource }
    guard let (exchange, remote) = session.clock.receive(packet, at: instant) else { return .unmatchedClock }
    session.lastHeard = instant
    session.anchor = (own: instant, remote: remote)
    let isAnswered = answered && packet.count == 0
    if !isAnswered, let reply = packet.reply(from: ssrc, receivedAt: instant) {
      send(to: address, port) { reply.append(to: &$0) }
    }
    if let exchange { outputs.append(.clock(session.id, exchange)) }
    return .accepted
  }

  private func receive(
    _ probe: ClockProbe, from address: Address, port: Port, at instant: Instant, answered: Bool
  ) -> Counters.Fate {
    guard let session = sources[Source(ssrc: probe.ssrc, address: address, port: port)] else { return .strangerProbe }
    if let reply = probe.reply(from: ssrc, identity: identity, receivedAt: instant, sentAt: instant) {
      session.lastHeard = instant
      if !answered { send(to: address, port) { reply.append(to: &$0) } }
      session.recognition.wasAsked(at: instant)
      return .accepted
    }
    guard let (exchange, isFirst) = session.recognition.receive(probe, at: instant) else { return .strangerProbe }
    session.lastHeard = instant
    session.anchor = (own: instant, remote: probe.t3)
    if isFirst { outputs.append(.recognised(session.id, identity: probe.identity)) }
    outputs.append(.clock(session.id, exchange))
    return .accepted
  }

  private func receive(
    _ feedback: ReceiverFeedback, from address: Address, port: Port, at instant: Instant
  ) -> Counters.Fate {
    guard let session = sources[Source(ssrc: feedback.ssrc, address: address, port: port)] else {
      return .unknownSource
    }
    session.lastHeard = instant
    outputs.append(.feedback(session.id, sequence: feedback.sequence))
    return .accepted
  }

  private func receiveRTP(
    _ datagram: Span<UInt8>, from address: Address, port: Port, at instant: Instant
  ) -> Counters.Fate {
    do {
      let (header, _) = try RTPHeader.decode(datagram)
      let source = Source(ssrc: header.ssrc, address: address, port: port)
      guard port == .data, let session = sources[source] else { return .unknownSource }
      // Nothing is known of the remote clock before the first CK: then its upper bits are taken to be 0.
      let reference = session.remoteClock(at: instant) ?? Instant(hundredMicroseconds: Int64(header.timestamp))
      try session.receiver.open(datagram, near: reference)
      session.lastHeard = instant
      if session.anchor == nil { session.anchor = (own: instant, remote: reference) }
      session.wantFeedback(at: instant)
      if session.receiver.hasJournal, !session.hasToldOfJournals {
        session.hasToldOfJournals = true
        outputs.append(.journals(session.id))
      }
      while let event = session.receiver.next(in: datagram) {
        switch event {
        case .message(let message, let time):
          outputs.append(.message(session.id, message, at: time, arrival: instant, isRecovered: false))
        case .recovered(let message, let time):
          outputs.append(.message(session.id, message, at: time, arrival: instant, isRecovered: true))
        case .systemExclusive(let time):
          let octets = (0..<session.receiver.systemExclusiveCount).map { session.receiver.systemExclusive(at: $0) }
          outputs.append(.systemExclusive(session.id, octets, at: time, arrival: instant))
        }
      }
      return .accepted
    } catch {
      switch error {
      case .duplicate, .outOfWindow: return .replayed
      default: return .malformed
      }
    }
  }
}
