#if HTTPS
  import Crypto
  import Foundation
  import PeerProtocol
  import SwiftASN1
  import X509

  /// The certificate authority of a group with a passkey. Each device trusts the authority after its owner has installed the
  /// certificate of the authority once. The device then trusts the pages of all peers of the group.
  ///
  /// The key of the authority is derived from the key of the group, so all peers have the same authority without exchanging any data.
  /// Anyone who knows the passkey can issue certificates that the devices of the players trust. The authority is therefore limited. Name
  /// constraints (RFC 5280, section 4.2.1.10) allow only host names under `.local` and private IPv4 addresses (RFC 1918, RFC 3927). The
  /// extended key usage allows only certificates of servers.
  struct GroupAuthority: Sendable {
    /// The private IPv4 networks: four octets of address, then four octets of mask (RFC 5280, section 4.2.1.10).
    private static let networks: [[UInt8]] = [
      [10, 0, 0, 0, 255, 0, 0, 0], [172, 16, 0, 0, 255, 240, 0, 0], [192, 168, 0, 0, 255, 255, 0, 0],
      [169, 254, 0, 0, 255, 255, 0, 0],
    ]
    /// The validity of the certificate of the authority: from 2026-01-01 to 2046-01-01, UTC. Each peer creates this certificate itself.
    /// The dates are fixed, so that the certificates of all peers differ only in the serial number and the signature.
    private static let validity = (
      first: Date(timeIntervalSince1970: 1_767_225_600), last: Date(timeIntervalSince1970: 2_398_377_600)
    )
    /// The number of days from the issue of a server certificate to its expiry. The certificate is also valid for one day before its
    /// issue. iOS and macOS accept a validity of at most 398 days.
    private static let daysOfServer = 397.0
    /// The length of a day in seconds.
    private static let day: TimeInterval = 86_400

    private let key: Certificate.PrivateKey
    private let name: DistinguishedName
    /// The certificate of the authority, which devices install.
    let certificate: Certificate

    /// Derives the key of the authority from the key of the group, and creates the certificate of the authority.
    ///
    /// - Throws: an error of the cryptographic libraries, which is not expected for any key.
    init(group: GroupKey) throws {
      let signingKey = try Self.signingKey(of: group)
      // A device may trust the authorities of several groups, so each authority needs its own name.
      let hash = SHA256.hash(data: signingKey.publicKey.derRepresentation).prefix(4)
      let label = hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      let name = try DistinguishedName { CommonName("Tutti ensemble \(label)") }
      let key = Certificate.PrivateKey(signingKey)
      (self.key, self.name) = (key, name)
      certificate = try Certificate(
        // An ECDSA signature contains a random number, so two peers create different certificates of the authority. Firefox rejects
        // two different certificates of one issuer with the same serial number. Therefore the serial number is random.
        version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
        notValidBefore: Self.validity.first, notValidAfter: Self.validity.last, issuer: name, subject: name,
        signatureAlgorithm: .ecdsaWithSHA256,
        extensions: try Certificate.Extensions {
          Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
          Critical(KeyUsage(keyCertSign: true))
          try ExtendedKeyUsage([.serverAuth])
          Critical(
            NameConstraints(
              permittedDNSDomains: ["local"],
              permittedIPRanges: Self.networks.map { ASN1OctetString(contentBytes: $0[...]) }))
          SubjectKeyIdentifier(hash: key.publicKey)
        }, issuerPrivateKey: key)
    }

    /// Derives the private key of the authority from 32 octets. With a probability of 2^-32, these octets are not a valid private key of
    /// P-256. In this case, the function derives 32 other octets and tries again.
    private static func signingKey(of group: GroupKey) throws -> P256.Signing.PrivateKey {
      for attempt in 1... {
        let octets = group.derived(for: "Tutti certificate authority 1.\(attempt)")
        if let key = try? P256.Signing.PrivateKey(rawRepresentation: octets) { return key }
      }
      throw CryptoKitError.incorrectParameterSize
    }

    /// Issues the certificate of a server.
    ///
    /// - Parameters:
    ///   - machine: the host name under `.local`.
    ///   - addresses: IPv4 addresses. Public addresses are left out, because the authority may not certify them.
    ///   - key: the private key of the server.
    ///   - now: the present time.
    /// - Throws: an error of the cryptographic libraries.
    func issue(machine: String, addresses: [String], key: P256.Signing.PrivateKey, at now: Date) throws -> Certificate {
      let octets = addresses.compactMap(Self.octets).filter(Self.isPrivate)
      let names =
        [GeneralName.dnsName(machine)] + octets.map { .ipAddress(ASN1OctetString(contentBytes: $0[...])) }
      return try Certificate(
        version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(key.publicKey),
        // The clock of a device may be slow by up to a day.
        notValidBefore: now - Self.day, notValidAfter: now + Self.daysOfServer * Self.day, issuer: name,
        subject: try DistinguishedName { CommonName(machine) }, signatureAlgorithm: .ecdsaWithSHA256,
        extensions: try Certificate.Extensions {
          Critical(BasicConstraints.notCertificateAuthority)
          Critical(KeyUsage(digitalSignature: true))
          try ExtendedKeyUsage([.serverAuth])
          SubjectAlternativeNames(names)
          AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: self.key.publicKey).keyIdentifier)
        }, issuerPrivateKey: self.key)
    }

    /// The four octets of an IPv4 address; nil for other texts.
    private static func octets(_ address: String) -> [UInt8]? {
      let parts = address.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
      let octets = parts.compactMap(\.self)
      return parts.count == 4 && octets.count == 4 ? octets : nil
    }

    /// Whether an IPv4 address is in one of ``networks``.
    private static func isPrivate(_ address: [UInt8]) -> Bool {
      networks.contains { network in (0..<4).allSatisfy { address[$0] & network[4 + $0] == network[$0] } }
    }

    /// The fingerprint of the authority: the first eight octets of the SHA-256 hash of its public key, in hexadecimal with colons. All
    /// peers of the group show the same fingerprint.
    var fingerprint: String {
      SHA256.hash(data: Array(certificate.publicKey.subjectPublicKeyInfoBytes)).prefix(8).map {
        ($0 < 16 ? "0" : "") + String($0, radix: 16).uppercased()
      }.joined(separator: ":")
    }
  }
#endif
