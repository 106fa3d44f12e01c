import Cryptography

/// The computations of the handshake of one session with a passkey.
///
/// The two peers prove to each other that they know the key of the group, without sending it, and derive keys for the
/// tags of their datagrams. H1 and H2 are the first two packets of the handshake (``HandshakePacket``). K0 is the key
/// of the group. (Mutual authentication with a pre-shared key, as in the PSK mode of TLS 1.3, RFC 8446, section 4.2.11.
/// HKDF is RFC 5869, HMAC is RFC 2104.)
///
///     transcript T = "Tutti handshake 1", fields of H1, fields of H2, token of the invitation
///     Km = HKDF-SHA-256(K0, salt = both nonces, info = T)
///     proof = HMAC-SHA-256(HKDF-Expand(Km, "proof"), role of the sender, T)
///     key of a direction = HKDF-Expand(Km, name of the direction), the first 16 octets
///
/// The nonces make the keys of each session new. Therefore no datagram that was recorded in one session is accepted in
/// another session.
struct Handshake {
  /// The key material Km, from which the proofs and the keys are derived.
  private let keyMaterial: [UInt8]
  private let transcript: [UInt8]

  /// The role of a peer in the handshake.
  enum Role: String { case initiator, answerer }

  /// Creates the computations of one session. Returns nil if both peers have the same SSRC or identity, for example because a
  /// packet was sent back to its sender.
  ///
  /// - Parameters:
  ///   - initiator: H1, or H3, which has the same fields.
  ///   - answerer: H2.
  ///   - token: the initiator token of the invitation (AppleMIDI).
  init?(_ group: GroupKey, initiator: HandshakePacket, answerer: HandshakePacket, token: UInt32) {
    guard initiator.ssrc != answerer.ssrc, initiator.identity != answerer.identity else { return nil }
    // H3 has another kind than H1, so H1 is created again from the other fields.
    let hello = HandshakePacket(
      .hello, ssrc: initiator.ssrc, identity: initiator.identity, nonce: initiator.nonce)
    let answer = HandshakePacket(.answer, ssrc: answerer.ssrc, identity: answerer.identity, nonce: answerer.nonce)
    transcript =
      Array("Tutti handshake 1".utf8) + hello.fields + answer.fields
      + stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: token >> UInt32($0)) }
    // The nonces are the last 16 octets of the fields.
    let salt = Array(hello.fields.suffix(16) + answer.fields.suffix(16))
    keyMaterial = HKDF.expand(HKDF.extract(group.octets, salt: salt), info: transcript)
  }

  /// The proof of a peer that it knows the key of the group: 32 octets.
  func proof(of role: Role) -> [UInt8] {
    HMAC.code(of: proven(by: role), key: proofKey)
  }

  /// Whether `proof` is the proof of a peer. The comparison takes the same time for every wrong proof.
  func isValid(_ proof: [UInt8], of role: Role) -> Bool {
    HMAC.isValid(proof, of: proven(by: role), key: proofKey)
  }

  /// The keys of the session for a peer.
  func keys(of role: Role) -> SessionKeys {
    let ofInitiator = TagKey(derive("from the initiator"))
    let ofAnswerer = TagKey(derive("from the answerer"))
    return role == .initiator
      ? SessionKeys(sending: ofInitiator, receiving: ofAnswerer)
      : SessionKeys(sending: ofAnswerer, receiving: ofInitiator)
  }

  /// The data that the proof of a peer authenticates: its role and the transcript.
  private func proven(by role: Role) -> [UInt8] { Array(role.rawValue.utf8) + transcript }

  private var proofKey: [UInt8] { derive("proof") }

  /// Derives 32 octets from the key material.
  private func derive(_ purpose: String) -> [UInt8] { HKDF.expand(keyMaterial, info: Array(purpose.utf8)) }
}
