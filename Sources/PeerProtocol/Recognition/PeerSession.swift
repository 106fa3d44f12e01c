import BasicContainers
import MusicalTime
import RTPMIDI

/// The state of ``PeerExtension`` in one session: handshake, recognition, probes and send instants.
///
/// A *transit* is one packet with its departure and its arrival, a measurement of the remote clock (``ClockTransit``).
final class PeerSession: SessionExtension {
  let owner: PeerExtension
  private var recognition: Recognition
  /// The newest acknowledgement of the remote peer: its departure by the remote clock and its arrival by the local
  /// clock.
  private var acknowledgement: (sent: Instant, received: Instant)?
  /// The transmit stamp of the newest request of the peer.
  private var lastRequest: Instant?
  /// The departure of the newest reply of the local peer whose arrival the remote peer has reported.
  private var lastReportedReply: Instant?
  /// The departure of the newest acknowledgement of the local peer whose arrival the remote peer has reported.
  private var lastReportedAcknowledgement: Instant?
  private var sendInstants = SendInstantFilter()
  /// Whether the peer was expected to be a Tutti peer when the session was established or became a candidate.
  private var isExpected = false
  /// The version of the peer's probes, if it was reported because it differs from ``ClockProbe/version``.
  private var reportedVersion: UInt8?

  /// The instant at which the handshake begins; nil if it has begun, and in a session without a handshake.
  var handshakeStart: Instant?
  /// The progress of the handshake; nil before the handshake begins, and in a session without a handshake.
  var handshake: HandshakeProgress?
  /// The keys; nil until the peer has proved that it knows the passkey.
  var keys: SessionKeys?
  /// The identity that the peer has proved.
  var provenIdentity: UInt64?
  /// Writes the tags of the datagrams that the control thread sends.
  var sealer: DatagramSealer?

  init(seed: UInt64, owner: PeerExtension) {
    self.owner = owner
    recognition = Recognition(seed: seed)
  }

  var deadline: Instant? {
    let next = handshakeStart ?? handshake?.due
    guard let next, let other = recognition.next else { return next ?? recognition.next }
    return min(next, other)
  }

  /// The silence limit for a Tutti peer is six intervals between probes, which means five missing probes, but at least a second.
  /// A Tutti peer sends about ten probes per second or more, unless the rate is limited. The session is lost after twice the silence
  /// limit, but not before five seconds (``RTPMIDI/Supervision``).
  var supervision: Supervision {
    guard recognition.isTuttiPeer else { return .standard }
    return Supervision(
      silenceLimit: max(.seconds(1), Nanoseconds(6 * recognition.interval.count)), isMutual: true)
  }

  var measuresClock: Bool { recognition.isRecognised }

  func established(at now: Instant, isExpected: Bool, isProtected: Bool) {
    if isProtected {
      (self.isExpected, handshakeStart) = (isExpected, now)
    } else if owner.key == nil, isExpected {
      self.isExpected = true
      recognition.begin(at: now)
    } else {
      // A device that has not announced itself as a Tutti peer, or that is exempt from the passkey of the group, see
      // `admitsProtocol(in:)`.
      recognition.beginStandardDevice(at: now)
    }
  }

  /// Whether the peer may use the peer protocol. A device that is exempt from the passkey of the group
  /// (``RTPMIDI/Endpoint/exempts``) may not, because its packets can be forged. Such a device counts as a standard
  /// device, even if it sends clock probes.
  private func admitsProtocol(in context: SessionContext) -> Bool { owner.key == nil || context.isProtected }

  /// Starts the recognition of a peer that has proved that it knows the passkey.
  func beginRecognition(at now: Instant) {
    recognition.begin(at: now)
    // The handshake proves that the peer is a Tutti peer. The result is true only for a standard device, so it is false here.
    _ = recognition.peerUsedProtocol(at: now)
  }

  func seal(_ datagram: inout RigidArray<UInt8>, port: Port, at instant: Instant) {
    sealer?.seal(&datagram, port: port, at: instant)
  }

  func advance(to now: Instant, in context: SessionContext) -> Bool {
    if owner.key != nil { advanceHandshake(to: now, in: context) }
    let (interval, isCandidate) = (shortestInterval(in: context), context.isCandidate)
    let step = changeRecognition { $0.advance(to: now, shortestInterval: interval, isCandidate: isCandidate) }
    switch step {
    case .request: context.requestPacket()
    case .standardDevice:
      // A Tutti peer would have replied to the probes. A standard device would have sent or answered CK. If a Tutti peer was
      // expected, and nothing was received later than a second after the session began, the peer is out of reach.
      if isExpected, context.lastHeard < context.establishedAt + .seconds(1) { return false }
      context.report(RecognitionEvent.standardDevice.encoded)
    case nil: break
    }
    return true
  }

  /// Calls `body` with a copy of ``recognition``, and stores the copy. The property itself is not accessed during a call. Then the compiler
  /// can prove that no two accesses overlap, and no access is checked at run time. The frequent reads are therefore cheap.
  private func changeRecognition<Result>(_ body: (inout Recognition) -> Result) -> Result {
    var copy = recognition
    let result = body(&copy)
    recognition = copy
    return result
  }

  /// Ends the repetition of the last packet of the handshake, because an authentic packet has arrived.
  private func endHandshake() {
    guard var progress = handshake else { return }
    progress.end()
    handshake = progress
  }

  /// Returns the shortest interval between two requests that the number of sessions permits.
  private func shortestInterval(in context: SessionContext) -> Nanoseconds {
    ProbeRate.shortestInterval(sessions: context.establishedCount)
  }

  /// See ``RTPMIDI/Endpoint/isUnanswered(_:at:)``.
  func isUnanswered(at now: Instant) -> Bool { recognition.isUnanswered(at: now) }

  /// Sends the request that is due. `send` sends the packet and returns the instant at which it left; nil if it was not
  /// sent.
  func sendRequest(
    ssrc: UInt32, rateLimit: UInt16, by send: (ClockProbe, inout DatagramSealer?) -> Instant?
  ) {
    var request = ClockProbe(
      ssrc: ssrc, identity: owner.identity, rateLimit: rateLimit, sentAt: Instant(nanoseconds: 0))
    // The arrival of an acknowledgement that is older than five seconds is of no use to the peer.
    if let newest = acknowledgement, recognition.lastRequest - newest.received < .seconds(5) {
      (request.origin, request.receive) = (newest.sent, newest.received)
    }
    if let instant = send(request, &sealer) { changeRecognition { $0.requestSent(at: instant) } }
  }

  func receive(
    controlPacket packet: Span<UInt8>, _ arrival: ControlPacketArrival, in context: SessionContext
  ) -> DatagramOutcome {
    if let handshake = HandshakePacket(packet) {
      guard let key = owner.key, context.isProtected else { return .rejectedExtensionPacket }
      return receive(handshake: handshake, key, at: arrival.instant, in: context)
    }
    if let version = ClockProbe.otherVersion(of: packet) {
      context.hear(at: arrival.instant)
      if reportedVersion != version { context.report(RecognitionEvent.otherVersion(version).encoded) }
      reportedVersion = version
      recognition.endAsking(at: arrival.instant)
      return .rejectedExtensionPacket
    }
    guard let probe = ClockProbe(packet) else { return .malformed }
    guard admitsProtocol(in: context) else { return .rejectedExtensionPacket }
    if context.isProtected {
      guard arrival.isAuthentic, probe.identity == provenIdentity else { return .notAuthentic }
      // An authentic packet shows that the peer has received the last packet of the handshake, so the packet is not repeated any more.
      endHandshake()
    }
    let outcome =
      switch probe.kind {
      case .request, .acknowledgement: receive(requestOrAcknowledgement: probe, at: arrival.instant, in: context)
      case .reply: receive(reply: probe, at: arrival.instant, in: context)
      }
    // A request always gets a reply. A reply gets an acknowledgement only if it was accepted: an unsolicited reply gets
    // none. No clock is read here, so the transmit stamp of the answer is the arrival of the probe. The owner of the endpoint
    // replaces this stamp by the send instant. If `isAnswered` is true, the receiving thread has already answered. In a protected
    // session, only the receiving thread answers: a tag that is written here would not match the replaced stamp.
    if !arrival.isAnswered, !context.isProtected, probe.kind == .request || outcome == .accepted {
      let answer = probe.answer(
        from: context.localSSRC, identity: owner.identity,
        rateLimit: owner.rateLimit(establishedCount: context.establishedCount), receivedAt: arrival.instant,
        sentAt: arrival.instant)
      if let answer { context.send(to: arrival.address, arrival.port) { answer.append(to: &$0) } }
    }
    return outcome
  }

  /// Receives a request or an acknowledgement. An acknowledgement also reports the transit of the local reply.
  private func receive(
    requestOrAcknowledgement probe: ClockProbe, at instant: Instant, in context: SessionContext
  ) -> DatagramOutcome {
    guard let identity = recognition.identity else {
      // Before the recognition, the packet shows only that the peer is a Tutti peer. Acknowledgements can arrive before the
      // first reply: the local peer replies to each request of the peer at once, and the peer acknowledges these replies.
      if recognition.peerUsedProtocol(at: instant) { context.report(RecognitionEvent.tuttiPeer.encoded) }
      context.hear(at: instant)
      return .accepted
    }
    guard identity == probe.identity else { return .rejectedExtensionPacket }
    context.hear(at: instant)
    if probe.kind == .request { recognition.limitRate(to: probe.rateLimit) }
    guard context.accept(reading: probe.transmit, at: instant) else { return .implausibleClock }
    guard accept(sendInstant: probe.transmit, at: instant, in: context) else { return .accepted }
    if probe.kind == .request {
      guard lastRequest != probe.transmit else { return .replayed }
      lastRequest = probe.transmit
      reportOutwardTransit(echoedBy: probe, last: &lastReportedAcknowledgement, at: instant, in: context)
    } else {
      guard acknowledgement?.sent != probe.transmit else { return .replayed }
      acknowledgement = (probe.transmit, instant)
      reportOutwardTransit(echoedBy: probe, last: &lastReportedReply, at: instant, in: context)
    }
    context.report(ClockTransit(.back, sent: probe.transmit, received: instant))
    return .accepted
  }

  /// Receives a reply: recognises the peer, and reports the transits of the request and of the reply.
  private func receive(reply: ClockProbe, at instant: Instant, in context: SessionContext) -> DatagramOutcome {
    let interval = shortestInterval(in: context)
    let result = changeRecognition { $0.receive(reply, at: instant, shortestInterval: interval) }
    guard result != .ofEarlierSession else { return .unknownSource }
    // Neither the peer nor the network has made a mistake, so nothing is reported.
    guard result != .late else { return .rejectedExtensionPacket }
    guard result != .rejected else {
      context.report(.unsolicitedReply)
      return .rejectedExtensionPacket
    }
    context.hear(at: instant)
    guard context.verifyPeer(at: instant) else { return .refusedInvitation }
    recognition.limitRate(to: reply.rateLimit)
    // Before the recognition, only CK packets give readings of the remote clock. The reply that recognises the peer is accepted
    // even if it deviates from these readings.
    let isPlausible = context.accept(reading: reply.transmit, at: instant)
    if result == .recognisesPeer {
      context.identifyPeer(as: reply.identity, at: instant)
      context.report(RecognitionEvent.recognised(Identity(reply.identity)).encoded)
    }
    guard isPlausible || result == .recognisesPeer else { return .implausibleClock }
    guard accept(sendInstant: reply.transmit, at: instant, in: context) else { return .accepted }
    context.report(ClockTransit(.out, sent: reply.origin, received: reply.receive))
    context.report(ClockTransit(.back, sent: reply.transmit, received: instant))
    return .accepted
  }

  /// Reports the transit of the local packet whose departure and arrival `probe` contains as origin and receive stamp.
  /// Does nothing if the peer has already reported this packet or a later one.
  ///
  /// - Parameter last: the departure of the newest local packet that the peer has reported.
  private func reportOutwardTransit(
    echoedBy probe: ClockProbe, last: inout Instant?, at instant: Instant, in context: SessionContext
  ) {
    // Both stamps are 0 if the probe refers to no packet.
    guard probe.origin.nanoseconds != 0 || probe.receive.nanoseconds != 0 else { return }
    guard probe.isPlausible(at: instant) else { return reject(stampIn: context) }
    if let last, probe.origin - last <= .zero { return }
    last = probe.origin
    context.report(ClockTransit(.out, sent: probe.origin, received: probe.receive))
  }

  func receive(_ header: HeaderExtension, of packet: Span<UInt8>, at instant: Instant, in context: SessionContext) {
    guard let sent = header.sendInstant(in: packet) else { return }
    receive(sendInstant: sent, at: instant, in: context)
  }

  /// Receives the send instant in an RTP packet, and reports the transit of the packet.
  func receive(sendInstant sent: Instant, at instant: Instant, in context: SessionContext) {
    guard admitsProtocol(in: context) else { return }
    endHandshake()
    if recognition.peerUsedProtocol(at: instant) { context.report(RecognitionEvent.tuttiPeer.encoded) }
    guard recognition.isRecognised else { return }
    guard context.accept(reading: sent, at: instant) else { return reject(stampIn: context) }
    guard accept(sendInstant: sent, at: instant, in: context) else { return }
    context.report(ClockTransit(.back, sent: sent, received: instant))
  }

  /// Returns whether a send instant of the peer may be used. Rejects the send instant if not. The rest of its packet is
  /// accepted in any case.
  private func accept(sendInstant sent: Instant, at instant: Instant, in context: SessionContext) -> Bool {
    let isAccepted = sendInstants.accept(sent, at: instant)
    if !isAccepted { reject(stampIn: context) }
    return isAccepted
  }

  /// Counts and reports a rejected stamp of the peer.
  private func reject(stampIn context: SessionContext) {
    owner.rejectedStamps += 1
    context.report(.implausibleStamp)
  }
}
