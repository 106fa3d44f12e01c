/// The certificate of a domain that the group owns.
public struct CertificateFiles: Sendable {
  /// The path of the chain of certificates in PEM, that of the server first.
  public var certificate: String
  /// The path of the private key in PEM, without a passphrase.
  public var key: String

  public init(certificate: String, key: String) { (self.certificate, self.key) = (certificate, key) }
}
