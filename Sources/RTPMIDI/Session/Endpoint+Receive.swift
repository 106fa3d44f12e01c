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
  ///   - answer: when its answer left, for a CK0 or a probe request that has been answered already.
  public func receive(
    _ datagram: Span<UInt8>, from address: SocketAddress, port: Port, at instant: Instant,
    answeredAt answer: Instant? = nil
  ) {
    let fate: Counters.Fate
    if ControlPacket.isControl(datagram) {
      do {
        switch try ControlPacket(datagram) {
        case .session(let command): fate = receive(command, from: address, port: port, at: instant)
        case .clock(let packet):
          fate = receive(packet, from: address, port: port, at: instant, answeredAt: answer)
        case .feedback(let feedback): fate = receive(feedback, from: address, port: port, at: instant)
        case .probe(let probe):
          fate = receive(probe, from: address, port: port, at: instant, isAnswered: answer != nil)
        }
      } catch {
        fate = error == .unknownCommand ? .unknownCommand : .malformed
      }
    } else {
      fate = receiveRTP(datagram, from: address, port: port, at: instant)
    }
    counters.count(fate)
    if let session = speaker { settle(session, at: instant) }
    speaker = nil
  }

  /// Takes a datagram that lies in an array.
  public func receive(
    _ datagram: [UInt8], from address: SocketAddress, port: Port, at instant: Instant, answeredAt answer: Instant? = nil
  ) {
    receive(datagram.span, from: address, port: port, at: instant, answeredAt: answer)
  }

  /// The session in which a datagram comes. Its deadline is looked at when the datagram has been taken.
  func session(of ssrc: UInt32, from address: SocketAddress, _ port: Port, at now: Instant) -> Session? {
    let source = SessionTable.Source(ssrc: ssrc, address: address, port: port)
    speaker = table[source]
    if speaker == nil, let invited = table.session(awaitedFrom: source) {
      invited.hurry(at: now)
      table.schedule(invited)
    }
    return speaker
  }

  private func receive(
    _ feedback: ReceiverFeedback, from address: SocketAddress, port: Port, at instant: Instant
  ) -> Counters.Fate {
    if feedback.ssrc == ssrc {
      // raveloxmidi names the stream it means, by our ssrc, and not itself; and it sends from its data port.
      speaker = table.all.first { $0.phase == .established && ($0.data == address || $0.control == address) }
    } else {
      speaker = session(of: feedback.ssrc, from: address, port, at: instant)
    }
    guard let session = speaker else { return .unknownSource }
    session.lastHeard = instant
    outputs.append(.feedback(session.id, sequence: feedback.sequence))
    return .accepted
  }

  private func receiveRTP(
    _ datagram: Span<UInt8>, from address: SocketAddress, port: Port, at instant: Instant
  ) -> Counters.Fate {
    do {
      let (header, _) = try RTPHeader.decode(datagram)
      guard port == .data, let session = session(of: header.ssrc, from: address, port, at: instant)
      else { return .unknownSource }
      // Nothing is known of the remote clock before the first CK: then its upper bits are taken to be 0.
      let reference = session.remoteClock(at: instant) ?? Instant(hundredMicroseconds: Int64(header.timestamp))
      try session.receiver.open(datagram, near: reference)
      session.lastHeard = instant
      if session.anchor == nil { session.anchor = (own: instant, remote: reference) }
      if let sent = header.instant {
        if session.recognition.hasShownItself(at: instant) { outputs.append(.tutti(session.id)) }
        receive(sendInstant: sent, in: session, at: instant)
      }
      if session.receiver.hasJournal, !session.hasToldOfJournals {
        session.hasToldOfJournals = true
        outputs.append(.journals(session.id))
      }
      var isAwaited = session.receiver.commandCount == 0
      while let event = session.receiver.next(in: datagram) {
        switch event {
        case .message(let message, let time):
          if message != .clock { isAwaited = true }
          outputs.append(.message(session.id, message, at: time, arrival: instant, isRecovered: false))
        case .recovered(let message, let time):
          outputs.append(.message(session.id, message, at: time, arrival: instant, isRecovered: true))
        case .systemExclusive(let time):
          let octets = (0..<session.receiver.systemExclusiveCount).map { session.receiver.systemExclusive(at: $0) }
          outputs.append(.systemExclusive(session.id, octets, at: time, arrival: instant))
        }
      }
      session.wantFeedback(at: instant, isAwaited: isAwaited && session.receiver.hasJournal)
      return .accepted
    } catch {
      switch error {
      case .duplicate, .outOfWindow: return .replayed
      default: return .malformed
      }
    }
  }
}
