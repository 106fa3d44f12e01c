import MIDI
public import MusicalTime

/// RTP packets.
///
/// A program with one thread passes all datagrams to ``Endpoint/receive(_:from:to:port:at:answeredAt:isAuthentic:)``, which also
/// decodes the RTP packets. If another thread decodes them, the owner of the endpoint passes the results of that thread to the
/// functions `received`, in the order of the packets: the report of a packet, then its messages.
extension Endpoint {
  /// Receives the report of a packet that another thread has decoded. Records that the peer was heard, and schedules
  /// receiver feedback.
  public func received(_ report: PacketReport, on id: SessionID) {
    counters.count(.accepted)
    guard let session = table[id], session.phase == .established else { return }
    evaluate(report, of: session)
    update(session, at: report.arrival)
  }

  /// Receives a message that another thread has decoded.
  ///
  /// - Parameters:
  ///   - stamp: when the message takes effect, by the remote clock. Only the lower 32 bits of the number of 100 us count.
  ///   - arrival: the arrival of the packet.
  ///   - isRecovered: whether the message comes from a recovery journal.
  public func received(
    _ message: Message, stamped stamp: Instant, at arrival: Instant, isRecovered: Bool, on id: SessionID
  ) {
    guard let session = table[id], session.phase == .established else { return }
    let instant = session.complete(stamp, arrivedAt: arrival)
    outputs.append(.message(id, message, at: instant, arrival: arrival, isRecovered: isRecovered))
    // A peer that sends journals waits for feedback after a message other than Timing Clock: see
    // `Session.scheduleFeedback(at:isAwaited:)`.
    guard message != .clock, !isRecovered, session.journalLength != nil else { return }
    session.scheduleFeedback(at: arrival, isAwaited: true)
    update(session, at: arrival)
  }

  /// Receives a System Exclusive that another thread has decoded.
  ///
  /// - Parameters:
  ///   - octets: the data octets, without F0 and F7.
  ///   - stamp: see ``received(_:stamped:at:isRecovered:on:)``.
  ///   - arrival: the arrival of the packet.
  public func received(systemExclusive octets: [UInt8], stamped stamp: Instant, at arrival: Instant, on id: SessionID) {
    guard let session = table[id], session.phase == .established else { return }
    outputs.append(
      .systemExclusive(id, octets, at: session.complete(stamp, arrivedAt: arrival), arrival: arrival))
  }

  /// Records that a packet arrived at the data port from a source that the decoding thread does not know. If the source is a
  /// peer that the local peer is inviting, the next invitation follows soon (``session(of:at:)``).
  public func receivedPacket(ofUnknownSource ssrc: UInt32, from address: SocketAddress, at arrival: Instant) {
    counters.count(.unknownSource)
    _ = session(of: .init(ssrc: ssrc, address: address, port: .data), at: arrival)
    currentSession = nil
  }

  /// Counts a packet that the decoding thread has dropped because of `error`.
  public func dropped(_ error: PacketError) { counters.count(DatagramOutcome(error)) }

  /// Receives an RTP packet: decodes it, and evaluates its report and its commands.
  func receiveRTP(
    _ datagram: Span<UInt8>, from address: SocketAddress, port: Port, at instant: Instant
  ) -> DatagramOutcome {
    do {
      let (header, _) = try RTPHeader.decode(datagram)
      guard port == .data,
        let session = session(of: .init(ssrc: header.ssrc, address: address, port: port), at: instant)
      else { return .unknownSource }
      let receiver = session.receiver ?? StreamReceiver(ssrc: session.ssrc)
      session.receiver = receiver
      // The upper bits of the time stamps are determined later, by `Session.complete(_:arrivedAt:)`.
      try receiver.packets.open(datagram, near: Instant(nanoseconds: 0))
      evaluate(PacketReport(of: header, in: &receiver.packets, arrivedAt: instant), of: session)
      if let headerExtension = header.headerExtension, let sessionExtension = session.extension {
        sessionExtension.receive(
          headerExtension, of: datagram, at: instant, in: SessionContext(endpoint: self, session: session))
      }
      while let event = receiver.packets.next(in: datagram) {
        switch event {
        case .message(let message, let stamp):
          received(message, stamped: stamp, at: instant, isRecovered: false, on: session.id)
        case .recovered(let message, let stamp):
          received(message, stamped: stamp, at: instant, isRecovered: true, on: session.id)
        case .systemExclusive(let stamp):
          let octets = receiver.packets.systemExclusiveOctets()
          received(systemExclusive: octets, stamped: stamp, at: instant, on: session.id)
        }
      }
      return .accepted
    } catch {
      return DatagramOutcome(error)
    }
  }

  /// Evaluates the report of a packet. The first packet sets the anchor of the remote clock if no reading of the clock has set
  /// the anchor before (``SessionContext/accept(reading:at:)``). The upper bits of its time stamp are unknown, so they are taken
  /// as 0 until a reading sets the anchor again.
  private func evaluate(_ report: PacketReport, of session: Session) {
    session.lastHeard = report.arrival
    if session.anchor == nil {
      session.anchor = (local: report.arrival, remote: Instant(hundredMicroseconds: Int64(report.timestamp)))
    }
    (session.highestSequence, session.journalLength) = (report.highestSequence, report.journalLength)
    session.lost = report.lost
    if report.journalLength != nil, !session.hasReportedJournals {
      session.hasReportedJournals = true
      outputs.append(.peerSendsJournals(session.id))
    }
    // A packet without commands is a guard packet.
    session.scheduleFeedback(at: report.arrival, isAwaited: report.commandCount == 0 && report.journalLength != nil)
  }
}

extension DatagramOutcome {
  /// The outcome of an RTP packet with an error.
  fileprivate init(_ error: PacketError) {
    switch error {
    case .duplicate, .outOfWindow: self = .replayed
    default: self = .malformed
    }
  }
}

/// The receiver of the RTP stream of a session, if the endpoint itself decodes the packets.
final class StreamReceiver {
  var packets: PacketReceiver

  init(ssrc: UInt32) {
    packets = PacketReceiver(ssrc: ssrc, systemExclusiveCapacity: Endpoint.systemExclusiveCapacity)
  }
}
