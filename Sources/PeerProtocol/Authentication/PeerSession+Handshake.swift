import MusicalTime
import RTPMIDI

// The handshake in a session of an endpoint with a passkey. <doc:Passkey> describes it.
extension PeerSession {
  /// Begins the handshake when it is due (``handshakeStart``), and sends the packet of the handshake that is due.
  func advanceHandshake(to now: Instant, in context: SessionContext) {
    // Before the handshake has begun, its start must be due. Later, a packet must be scheduled; `HandshakeProgress.advance`
    // checks whether the packet is due.
    guard handshakeStart.map({ $0 <= now }) ?? (handshake?.due != nil) else { return }
    if handshakeStart != nil {
      handshakeStart = nil
      let nonce = HandshakePacket.Nonce(high: context.randomNumber(), low: context.randomNumber())
      var progress = HandshakeProgress(nonce: nonce)
      if context.isInitiator { progress.begin(local(.hello, nonce, in: context), at: now) }
      handshake = progress
    }
    guard var progress = handshake else { return }
    let packet = progress.advance(to: now)
    handshake = progress
    if let packet { send(packet, in: context) }
  }

  /// Receives a packet of the handshake. A packet with a wrong proof is counted and has no other effect: anybody can send
  /// one. Each check costs time, so the number of checks is limited (``HandshakeProgress/countCheck()``).
  func receive(handshake packet: HandshakePacket, _ key: GroupKey, at now: Instant, in context: SessionContext)
    -> DatagramOutcome
  {
    guard let handshake, keys == nil else { return .notAuthentic }
    let answer = local(.answer, handshake.nonce, in: context)
    switch packet.kind {
    case .hello where !context.isInitiator:
      guard self.handshake!.countCheck(), let exchange = exchange(key, initiator: packet, answerer: answer, in: context)
      else { return .notAuthentic }
      var answer = answer
      answer.proof = exchange.proof(of: .answerer)
      send(answer, in: context)
      return .accepted
    case .answer where context.isInitiator:
      let hello = local(.hello, handshake.nonce, in: context)
      guard self.handshake!.countCheck(), let exchange = exchange(key, initiator: hello, answerer: packet, in: context),
        accept(packet, from: .answerer, exchange, at: now, in: context)
      else { return .notAuthentic }
      var proof = local(.proof, handshake.nonce, in: context)
      proof.proof = exchange.proof(of: .initiator)
      self.handshake!.begin(proof, at: now)
      // Sends the proof at once.
      _ = advance(to: now, in: context)
      return .accepted
    case .proof where !context.isInitiator:
      guard self.handshake!.countCheck(),
        let exchange = exchange(key, initiator: packet, answerer: answer, in: context),
        accept(packet, from: .initiator, exchange, at: now, in: context)
      else { return .notAuthentic }
      return .accepted
    case .hello, .answer, .proof: return .notAuthentic
    }
  }

  /// Checks the proof of the peer. If the proof is valid and the endpoint accepts the session, establishes the session with the
  /// keys of `exchange`.
  ///
  /// - Returns: whether the session is established.
  private func accept(
    _ packet: HandshakePacket, from role: Handshake.Role, _ exchange: Handshake, at now: Instant,
    in context: SessionContext
  ) -> Bool {
    guard exchange.isValid(packet.proof, of: role) else {
      owner.rejectedProofs += 1
      return false
    }
    let keys = exchange.keys(of: role == .initiator ? .answerer : .initiator)
    (self.keys, sealer, provenIdentity) = (keys, DatagramSealer(keys, thread: .control), packet.identity)
    // The peers can have invited each other at the same time. Of the two sessions, both peers prefer the session that the peer with the
    // lower identity has begun.
    let isOfLower = (owner.identity < packet.identity) == context.isInitiator
    guard context.verifyPeer(as: packet.identity, isPreferred: isOfLower, at: now) else {
      // The keys are discarded, so that a repeated proof is checked again. If the endpoint has kept an established session with
      // this peer instead, the new session can thus still replace the kept session later.
      (self.keys, sealer, provenIdentity) = (nil, nil, nil)
      return false
    }
    beginRecognition(at: now)
    return true
  }

  /// The proofs and the keys that follow from the packets of both peers; nil if both have the same SSRC or identity.
  private func exchange(
    _ key: GroupKey, initiator: HandshakePacket, answerer: HandshakePacket, in context: SessionContext
  ) -> Handshake? {
    Handshake(key, initiator: initiator, answerer: answerer, token: context.invitationToken)
  }

  /// A packet with the fields of the local peer.
  private func local(_ kind: HandshakePacket.Kind, _ nonce: HandshakePacket.Nonce, in context: SessionContext)
    -> HandshakePacket
  {
    HandshakePacket(kind, ssrc: context.localSSRC, identity: owner.identity, nonce: nonce)
  }

  private func send(_ packet: HandshakePacket, in context: SessionContext) {
    context.send(to: context.dataAddress, .data, isSealed: false) { packet.append(to: &$0) }
  }
}

/// The progress of the handshake of one session: the packet that the local peer sends next, and the number of received
/// packets that the local peer has evaluated.
struct HandshakeProgress {
  /// The interval at which a packet is repeated until the peer replies.
  static var interval: Nanoseconds { .milliseconds(250) }
  /// The maximum number of packets of the handshake that are evaluated. The evaluation needs several hashes, and
  /// anybody can send wrong packets.
  private static var checkLimit: Int { 64 }
  /// The maximum number of proofs (H3) that are sent without a reply. At ``interval``, they take five seconds. For this time, the
  /// peer treats the local peer as a candidate (<doc:Passkey>).
  private static var proofLimit: Int { 20 }

  /// The nonce of the local peer: 16 random octets.
  let nonce: HandshakePacket.Nonce
  /// The packet that the initiator sends until the peer replies: H1, then H3. Nil in the answerer, and after an authentic packet
  /// has shown that H3 has arrived.
  private(set) var repeated: HandshakePacket?
  /// The instant at which ``repeated`` is due.
  private(set) var due: Instant?
  private var checks = 0
  private var proofs = 0

  init(nonce: HandshakePacket.Nonce) { self.nonce = nonce }

  /// Starts to repeat `packet`. It is due at once.
  mutating func begin(_ packet: HandshakePacket, at now: Instant) { (repeated, due) = (packet, now) }

  /// Ends the repetition, because an authentic packet of the peer has arrived.
  mutating func end() { (repeated, due) = (nil, nil) }

  /// Returns the packet that is due, if any, and schedules its repetition.
  mutating func advance(to now: Instant) -> HandshakePacket? {
    guard let due, due <= now, let packet = repeated else { return nil }
    if packet.kind == .proof { proofs += 1 }
    self.due = proofs < Self.proofLimit ? now + Self.interval : nil
    return packet
  }

  /// Counts the evaluation of a packet. Returns whether it may be evaluated.
  mutating func countCheck() -> Bool {
    checks += 1
    return checks <= Self.checkLimit
  }
}
