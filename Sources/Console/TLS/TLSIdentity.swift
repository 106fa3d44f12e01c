#if HTTPS
  import Crypto
  import Engine
  import Foundation
  import NIOSSL
  import PeerProtocol
  import X509

  /// The certificate with which the server proves its host name to browsers. The certificate is read from files, or issued by the
  /// authority of the group. After its creation, the object is used on the event loop only.
  final class TLSIdentity {
    /// The TLS configuration for new connections.
    private(set) var context: NIOSSLContext
    /// The host names in the certificate from files, in lower case. The header `Host` of a request may contain them. Empty without files.
    let names: [String]
    /// The authority of the group; nil with a certificate from files.
    let authority: GroupAuthority?
    /// The host name of this machine under `.local`; empty with a certificate from files.
    private let machine: String
    /// The private key of the certificates that ``authority`` issues.
    private let key = P256.Signing.PrivateKey()
    /// The IPv4 addresses of this machine when the certificate was issued, and the time of the issue. Not used with a certificate from
    /// files.
    private var (addresses, created): ([String], Date) = ([], Date())
    /// The age at which an issued certificate is replaced, in seconds: half a year. The certificate is valid for longer
    /// (``GroupAuthority``).
    private static let lifetime: TimeInterval = 180 * 86_400

    /// Creates the identity for a configuration. Without a certificate from files, the group needs a passkey that is too long to be
    /// guessed, because anyone who guesses the passkey could issue certificates that the devices of the players trust. Without such a
    /// passkey, the result is nil, and the server has no HTTPS.
    ///
    /// - Throws: ``EngineError`` if the certificate cannot be used.
    convenience init?(_ configuration: ConsoleConfiguration) throws(EngineError) {
      if let files = configuration.certificate {
        try self.init(files: files)
      } else if let key = configuration.key, configuration.isKeyStrong {
        try self.init(group: key, machine: configuration.machine)
      } else {
        return nil
      }
    }

    /// Reads a chain of certificates and a private key in PEM.
    ///
    /// - Throws: ``EngineError`` if a file cannot be read, or if the key does not belong to the first certificate.
    init(files: CertificateFiles) throws(EngineError) {
      let (chain, leaf) = try Self.chain(in: files.certificate)
      let key: NIOSSLPrivateKey
      do { key = try NIOSSLPrivateKey(file: files.key, format: .pem) } catch {
        throw EngineError(
          "--certificate-key \(files.key): not a readable private key (\(error)); give a PEM file without a passphrase")
      }
      do { context = try Self.context(chain: chain, key: key) } catch {
        throw EngineError(
          "--certificate \(files.certificate): does not belong to the key in \(files.key) (\(error)); give the pair that was issued "
            + "together")
      }
      let alternatives = (try? leaf.extensions.subjectAlternativeNames).flatMap { $0 }
      names = (alternatives.map(Array.init) ?? []).compactMap {
        if case .dnsName(let name) = $0 { name.lowercased() } else { nil }
      }
      (authority, machine) = (nil, "")
      if names.allSatisfy({ $0.hasPrefix("*") }) {
        throw EngineError(
          "--certificate \(files.certificate): contains no complete host name (names with * do not count); give a certificate with a complete name, such as tutti.example.org, as a subject alternative name"
        )
      }
      if leaf.notValidAfter < Date() {
        throw EngineError("--certificate \(files.certificate): expired on \(leaf.notValidAfter); renew it")
      }
    }

    /// Creates a certificate of the group's authority for this machine.
    ///
    /// - Parameter machine: the host name of this machine.
    /// - Throws: ``EngineError`` if the libraries fail, which is not expected.
    init(group: GroupKey, machine: String) throws(EngineError) {
      let short = machine.lowercased().prefix { $0 != "." }
      (self.machine, names) = (short + ".local", [])
      addresses = LocalAddresses.all()
      do {
        let authority = try GroupAuthority(group: group)
        self.authority = authority
        context = try Self.context(of: authority, machine: self.machine, addresses: addresses, key: key)
      } catch {
        throw EngineError("--http: no certificate can be created (\(error)); give one with --certificate")
      }
    }

    /// Replaces an issued certificate if the addresses of this machine have changed, if the certificate is older than ``lifetime``, or if
    /// the clock of this machine was set back to a time before ``created``. Called once per second.
    func renew() {
      guard let authority else { return }
      let current = LocalAddresses.all()
      let now = Date()
      guard current != addresses || !(0...Self.lifetime).contains(now.timeIntervalSince(created)),
        let renewed = try? Self.context(of: authority, machine: machine, addresses: current, key: key)
      else { return }
      (addresses, created, context) = (current, now, renewed)
    }

    /// Returns a TLS configuration with a certificate that `authority` issues now.
    private static func context(
      of authority: GroupAuthority, machine: String, addresses: [String], key: P256.Signing.PrivateKey
    ) throws -> NIOSSLContext {
      let leaf = try authority.issue(machine: machine, addresses: addresses, key: key, at: Date())
      return try context(
        // The chain contains only the certificate of the server, because the devices have the certificate of the authority.
        chain: [try NIOSSLCertificate(bytes: leaf.serializeAsPEM().derBytes, format: .der)],
        key: NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem))
    }

    /// Returns a TLS configuration with a certificate chain and the private key of its first certificate.
    private static func context(chain: [NIOSSLCertificate], key: NIOSSLPrivateKey) throws -> NIOSSLContext {
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
      configuration.minimumTLSVersion = .tlsv12
      configuration.applicationProtocols = ["http/1.1"]
      return try NIOSSLContext(configuration: configuration)
    }

    /// Reads the certificates of a PEM file. Returns all of them for NIOSSL. Also returns the first one as a value of the module `X509`,
    /// because this module gives access to the fields of a certificate.
    private static func chain(in path: String) throws(EngineError) -> ([NIOSSLCertificate], Certificate) {
      do {
        let chain = try NIOSSLCertificate.fromPEMFile(path)
        guard let first = chain.first else { throw NIOSSLError.failedToLoadCertificate }
        return (chain, try Certificate(derEncoded: try first.toDERBytes()))
      } catch {
        throw EngineError("--certificate \(path): no readable certificate (\(error)); give a PEM file with the chain")
      }
    }
  }
#endif
