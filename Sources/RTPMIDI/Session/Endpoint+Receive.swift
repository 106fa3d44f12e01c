import MusicalTime

/// Reception of datagrams.
extension Endpoint {
  /// Receives a datagram.
  ///
  /// If the receiving thread has not replied to a clock request (CK0, or a packet of the extension), the endpoint
  /// replies. This reply is less accurate: it contains the arrival of the request instead of the instant at which the
  /// reply leaves.
  ///
  /// - Parameters:
  ///   - address: the remote address.
  ///   - local: the local address to which the datagram was sent; nil if it is unknown. Replies leave from this address.
  ///   - port: the local port.
  ///   - instant: the arrival.
  ///   - answer: the instant at which the reply left, if the receiving thread has already replied.
  ///   - isAuthentic: whether the receiving thread has found the datagram authentic (``ProtocolExtension/mark``).
  public func receive(
    _ datagram: Span<UInt8>, from address: SocketAddress, to local: SocketAddress? = nil, port: Port,
    at instant: Instant, answeredAt answer: Instant? = nil, isAuthentic: Bool = false
  ) {
    (arrivalAddress, self.isAuthentic, latest) = (local, isAuthentic, max(latest, instant))
    let outcome: DatagramOutcome
    if ControlPacket.isControl(datagram) {
      do {
        switch try ControlPacket(datagram) {
        case .session(let command): outcome = receive(command, from: address, port: port, at: instant)
        case .clock(let packet):
          outcome = receive(packet, from: address, port: port, at: instant, answeredAt: answer)
        case .feedback(let feedback): outcome = receive(feedback, from: address, port: port, at: instant)
        }
      } catch {
        outcome =
          error == .unknownCommand
          ? receiveUnknown(datagram, from: address, port: port, at: instant, isAnswered: answer != nil) : .malformed
      }
    } else {
      outcome = receiveRTP(datagram, from: address, port: port, at: instant)
    }
    counters.count(outcome)
    if outcome == .implausibleClock, let session = currentSession { report(.implausibleStamp, of: session) }
    if let session = currentSession { update(session, at: instant) }
    (currentSession, arrivalAddress, self.isAuthentic) = (nil, nil, false)
  }

  /// Receives a datagram in an array.
  public func receive(
    _ datagram: [UInt8], from address: SocketAddress, to local: SocketAddress? = nil, port: Port, at instant: Instant,
    answeredAt answer: Instant? = nil, isAuthentic: Bool = false
  ) {
    receive(
      datagram.span, from: address, to: local, port: port, at: instant, answeredAt: answer, isAuthentic: isAuthentic)
  }

  /// Finds the established session of a datagram; nil if there is none, or if it may not receive the datagram
  /// (``mayReceive(_:)``). ``receive(_:from:to:port:at:answeredAt:isAuthentic:)`` updates the deadline of the session after
  /// the datagram has been evaluated.
  func session(of source: SessionTable.Source, at now: Instant) -> Session? {
    currentSession = table[source].flatMap { mayReceive($0) ? $0 : nil }
    // An invited peer that has accepted on the control port may send packets already. Its answer on the data port may then
    // have been lost, so the peer is invited again soon.
    if currentSession == nil, let invited = table.session(awaitedFrom: source) {
      invited.retrySoon(at: now)
      table.schedule(invited)
    }
    return currentSession
  }

  /// Whether a session may receive the datagram being processed: it is authentic, or the session is not protected.
  func mayReceive(_ session: Session) -> Bool { isAuthentic || !session.isProtected }

  /// Receives RS, the receiver feedback.
  private func receive(
    _ feedback: ReceiverFeedback, from address: SocketAddress, port: Port, at instant: Instant
  ) -> DatagramOutcome {
    currentSession = session(of: .init(ssrc: feedback.ssrc, address: address, port: port), at: instant)
    if currentSession == nil {
      // raveloxmidi puts the SSRC of the acknowledged stream into the packet, not its own SSRC. It sends RS from its data port.
      currentSession = table.all.first {
        $0.localSSRC == feedback.ssrc && $0.phase == .established && ($0.data == address || $0.control == address)
          && !$0.isProtected
      }
    }
    guard let session = currentSession else { return .unknownSource }
    session.lastHeard = instant
    outputs.append(.feedback(session.id, sequence: feedback.sequence))
    return .accepted
  }
}
