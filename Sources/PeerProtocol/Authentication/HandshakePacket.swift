import BasicContainers
import RTPMIDI

/// A packet of the handshake by which two peers prove to each other that they know the passkey.
///
///     FF FF | TH | version 1, 8 bits | kind 8 | 0, 16 bits | ssrc 32 | identity 64 | nonce 128 | proof 256
///
/// TH are the letters 54 48. The lengths of the fields are in bits. SSRC and identity are those of the sender. The first packet
/// (kind 1) has no proof. <doc:Passkey> describes the exchange.
struct HandshakePacket: Hashable {
  enum Kind: UInt8 {
    /// H1, from the initiator of the session.
    case hello = 1
    /// H2, the answer, with the proof of the answerer.
    case answer = 2
    /// H3, the proof of the initiator. It repeats the fields of H1, so that the answerer need not remember them.
    case proof = 3
  }

  let kind: Kind
  let ssrc: UInt32
  let identity: UInt64
  /// 16 random octets.
  let nonce: Nonce
  /// 32 octets; empty in a hello.
  var proof: [UInt8] = []

  struct Nonce: Hashable {
    let high: UInt64
    let low: UInt64
  }

  /// The first four octets: FF FF and the letters TH.
  static var marker: UInt32 { 0xFFFF_5448 }
  /// The length without the proof.
  private static let fieldsLength = 36
  private static let proofLength = 32

  init(_ kind: Kind, ssrc: UInt32, identity: UInt64, nonce: Nonce, proof: [UInt8] = []) {
    (self.kind, self.ssrc, self.identity, self.nonce, self.proof) = (kind, ssrc, identity, nonce, proof)
  }

  /// Reads a datagram. Returns nil if it is not a complete packet of version 1.
  init?(_ packet: borrowing Span<UInt8>) {
    guard packet.count >= Self.fieldsLength, packet.uint32(at: 0) == Self.marker, packet[4] == 1,
      let kind = Kind(rawValue: packet[5])
    else { return nil }
    let nonce = Nonce(high: packet.uint64(at: 20), low: packet.uint64(at: 28))
    self.init(kind, ssrc: packet.uint32(at: 8), identity: packet.uint64(at: 12), nonce: nonce)
    guard kind != .hello else { return }
    guard packet.count >= Self.fieldsLength + Self.proofLength else { return nil }
    proof = (0..<Self.proofLength).map { packet[Self.fieldsLength + $0] }
  }

  /// Appends the packet. Returns false and appends nothing if there is not enough room.
  func append(to packet: inout RigidArray<UInt8>) -> Bool {
    let octets = fields + proof
    guard packet.freeCapacity >= octets.count else { return false }
    for octet in octets { packet.append(octet) }
    return true
  }

  /// The packet without the proof. The transcript contains these octets.
  var fields: [UInt8] {
    var octets: [UInt8] = []
    func append(_ value: some FixedWidthInteger) {
      for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
        octets.append(UInt8(truncatingIfNeeded: value >> shift))
      }
    }
    append(Self.marker)
    append(UInt8(1))
    append(kind.rawValue)
    append(UInt16(0))
    append(ssrc)
    append(identity)
    append(nonce.high)
    append(nonce.low)
    return octets
  }
}
