#if HTTPS
  import Crypto
  import Engine
  import Foundation
  import NIOSSL
  import PeerProtocol
  import X509

  /// The certificate with which the server proves its name to browsers: that of files, or one of the authority of the group. Used on the
  /// event loop only, after its creation.
  final class TLSIdentity {
    /// The configuration of the next connection.
    private(set) var context: NIOSSLContext
    /// The names in the certificate of files, which are accepted in addresses of the page.
    let names: [String]
    /// The authority of the group; nil with a certificate of files.
    let authority: GroupAuthority?
    private let machine: String
    private let key = P256.Signing.PrivateKey()
    /// The addresses in ``context``, and when its certificate was created.
    private var (addresses, created): ([String], Date) = ([], Date())
    /// A certificate is replaced after half a year. It is valid for longer (``GroupAuthority``).
    private static let lifetime: TimeInterval = 180 * 86_400

    /// The identity for a configuration; nil if the page is served without HTTPS: there is neither a certificate nor a passkey, or the
    /// passkey can be guessed. With a guessed passkey, anyone could issue certificates that the devices of the players trust.
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
          "--certificate \(files.certificate): has no full host name; give a certificate with one as a subject alternative name"
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

    /// Creates another certificate if the addresses of this machine have changed, if the certificate is old, or if the clock of this
    /// machine was set back.
    func renew() {
      guard let authority else { return }
      let current = LocalAddresses.all()
      let now = Date()
      guard current != addresses || !(0...Self.lifetime).contains(now.timeIntervalSince(created)),
        let renewed = try? Self.context(of: authority, machine: machine, addresses: current, key: key)
      else { return }
      (addresses, created, context) = (current, now, renewed)
    }

    private static func context(
      of authority: GroupAuthority, machine: String, addresses: [String], key: P256.Signing.PrivateKey
    ) throws -> NIOSSLContext {
      let leaf = try authority.issue(machine: machine, addresses: addresses, key: key, at: Date())
      return try context(
        // Devices have the certificate of the authority.
        chain: [try NIOSSLCertificate(bytes: leaf.serializeAsPEM().derBytes, format: .der)],
        key: NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem))
    }

    private static func context(chain: [NIOSSLCertificate], key: NIOSSLPrivateKey) throws -> NIOSSLContext {
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
      configuration.minimumTLSVersion = .tlsv12
      configuration.applicationProtocols = ["http/1.1"]
      return try NIOSSLContext(configuration: configuration)
    }

    /// The certificates of a PEM file, and the first one again, in the form of `X509`.
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
