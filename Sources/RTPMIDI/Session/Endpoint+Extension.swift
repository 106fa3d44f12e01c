public import MusicalTime

/// Control packets of the ``ProtocolExtension``.
extension Endpoint {
  /// The extension of an established session; nil if the session has ended or the endpoint has no extension.
  public func sessionExtension(of id: SessionID) -> (any SessionExtension)? {
    table[id].flatMap { $0.phase == .established ? $0.extension : nil }
  }

  /// Passes the extension of an established session to `body`, together with its context. The owner of the endpoint
  /// uses this function to let the extension evaluate what another thread has decoded. Does nothing if there is no such
  /// extension.
  ///
  /// - Parameter instant: the arrival of the packet that the other thread has decoded.
  public func withExtension(
    of id: SessionID, at instant: Instant, _ body: (any SessionExtension, SessionContext) -> Void
  ) {
    guard let session = table[id], let sessionExtension = sessionExtension(of: id) else { return }
    body(sessionExtension, SessionContext(endpoint: self, session: session))
    update(session, at: instant)
  }

  /// Receives a control packet that AppleMIDI does not define, and passes it to the extension of its session.
  ///
  /// - Parameter isAnswered: whether the receiving thread has already replied to the packet.
  func receiveUnknown(
    _ datagram: Span<UInt8>, from address: SocketAddress, port: Port, at instant: Instant, isAnswered: Bool
  ) -> DatagramOutcome {
    guard let protocolExtension else { return .unknownCommand }
    do {
      guard let ssrc = try protocolExtension.ssrc(ofControlPacket: datagram) else { return .unknownCommand }
      let source = SessionTable.Source(ssrc: ssrc, address: address, port: port)
      let arrival = ControlPacketArrival(
        address: address, port: port, instant: instant, isAnswered: isAnswered, isAuthentic: isAuthentic)
      var outcome = DatagramOutcome.unknownSource
      // `session(of:at:)` returns a protected session only if the packet is authentic.
      if let session = session(of: source, at: instant) {
        outcome = receive(datagram, arrival, on: session)
      } else if table[source] != nil {
        outcome = .notAuthentic
      }
      // A peer may use the same SSRC for another session that it begins (``Candidacy``). If the established session does not take the
      // packet, the candidate gets it.
      guard [.unknownSource, .rejectedExtensionPacket, .notAuthentic].contains(outcome),
        let candidate = table.candidate(from: source)
      else { return outcome }
      currentSession = candidate
      return receive(datagram, arrival, on: candidate)
    } catch {
      return .malformed
    }
  }

  /// Passes a control packet to the extension of its session.
  private func receive(
    _ datagram: Span<UInt8>, _ arrival: ControlPacketArrival, on session: Session
  ) -> DatagramOutcome {
    guard let sessionExtension = session.extension else { return .rejectedExtensionPacket }
    return sessionExtension.receive(
      controlPacket: datagram, arrival, in: SessionContext(endpoint: self, session: session))
  }
}
