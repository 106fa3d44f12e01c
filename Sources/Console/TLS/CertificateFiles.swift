/// The files of a TLS certificate for a domain that the group owns (`--certificate`, `--certificate-key`).
public struct CertificateFiles: Sendable {
  /// The path of a PEM file with the certificate chain. The certificate of the server is the first one.
  public var certificate: String
  /// The path of a PEM file with the private key of the server, without a passphrase.
  public var key: String

  public init(certificate: String, key: String) { (self.certificate, self.key) = (certificate, key) }
}
