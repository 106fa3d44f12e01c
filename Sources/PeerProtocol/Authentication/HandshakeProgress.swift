import MusicalTime

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
