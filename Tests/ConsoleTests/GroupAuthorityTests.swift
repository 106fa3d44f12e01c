#if HTTPS
  import Crypto
  import Foundation
  import PeerProtocol
  import Testing
  import X509

  @testable import Console

  /// Tests of ``GroupAuthority``, the certificate authority of a group. Its key is derived from the passkey of the group. It is limited to
  /// host names under `.local` and to private addresses.
  @Suite struct GroupAuthorityTests {
    private static let group = GroupKey([UInt8](repeating: 7, count: 32))
    private let authority: GroupAuthority
    private let key = P256.Signing.PrivateKey()
    private let now = Date()

    init() throws { authority = try GroupAuthority(group: Self.group) }

    /// Whether a device that trusts only the authority accepts `certificate` for a host name or an IPv4 address.
    private func accepts(_ certificate: Certificate, host: String? = nil, address: String? = nil) async -> Bool {
      var verifier = Verifier(rootCertificates: CertificateStore([authority.certificate])) {
        RFC5280Policy()
        ServerIdentityPolicy(serverHostname: host, serverIP: address)
      }
      if case .validCertificate = await verifier.validate(
        leaf: certificate, intermediates: CertificateStore())
      {
        return true
      }
      return false
    }

    @Test func peersOfAGroupHaveOneAuthority() throws {
      let other = try GroupAuthority(group: Self.group)
      #expect(other.certificate.publicKey == authority.certificate.publicKey)
      #expect(other.certificate.subject == authority.certificate.subject)
      #expect(other.fingerprint == authority.fingerprint)
      let stranger = try GroupAuthority(group: GroupKey([UInt8](repeating: 8, count: 32)))
      #expect(stranger.certificate.publicKey != authority.certificate.publicKey)
      #expect(stranger.certificate.subject != authority.certificate.subject)
      #expect(stranger.fingerprint != authority.fingerprint)
    }

    @Test func certificateIsValidForTheNameAndThePrivateAddresses() async throws {
      let certificate = try authority.issue(
        machine: "studio.local", addresses: ["192.168.1.20", "10.0.0.7", "203.0.113.5"], key: key, at: now)
      #expect(await accepts(certificate, host: "studio.local"))
      #expect(await accepts(certificate, address: "192.168.1.20"))
      #expect(await accepts(certificate, address: "10.0.0.7"))
      #expect(await !accepts(certificate, host: "other.local"))
      #expect(await !accepts(certificate, address: "203.0.113.5"), "a public address")
    }

    @Test func certificateOfAnotherGroupIsNotAccepted() async throws {
      let stranger = try GroupAuthority(group: GroupKey([UInt8](repeating: 8, count: 32)))
      let certificate = try stranger.issue(machine: "studio.local", addresses: [], key: key, at: now)
      #expect(await !accepts(certificate, host: "studio.local"))
    }

    /// Anyone who knows the passkey can issue certificates. Devices reject such a certificate for a public name.
    @Test func authorityCannotCertifyAPublicName() async throws {
      let certificate = try authority.issue(machine: "bank.example", addresses: [], key: key, at: now)
      #expect(await !accepts(certificate, host: "bank.example"))
    }

    /// A certificate is valid for 397 days after its issue, and for one day before. iOS and macOS accept at most 398 days.
    @Test func certificateExpiresAfterAYear() async throws {
      let old = try authority.issue(
        machine: "studio.local", addresses: [], key: key, at: now - 398 * 86_400)
      #expect(await !accepts(old, host: "studio.local"))
      let recent = try authority.issue(
        machine: "studio.local", addresses: [], key: key, at: now - 396 * 86_400)
      #expect(await accepts(recent, host: "studio.local"))
    }
  }
#endif
