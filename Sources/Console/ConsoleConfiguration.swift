public import PeerProtocol

/// The configuration of a ``WebConsole``.
public struct ConsoleConfiguration: Sendable {
  /// The IP address and the port at which the page is served.
  public var address: ListenAddress
  /// The key of the group; nil without a passkey.
  public var key: GroupKey?
  /// Whether the passkey is so long that it cannot be guessed. Otherwise the group has no certificate authority, because anyone who
  /// guesses the passkey could issue certificates that the devices of the players trust.
  public var isKeyStrong: Bool
  /// Whether every page may control the peer, without a join token (`--http-open`).
  public var isOpen: Bool
  /// The certificate of a domain that the group owns. If it is nil, the authority of a group with a strong passkey issues a certificate.
  public var certificate: CertificateFiles?
  /// The host name of this machine. The header `Host` of a request may contain it.
  public var machine: String
  /// The path of the SoundFont from which the sounds of the pages are rendered.
  public var soundFont: String
  /// The microphone for calibrations.
  public var microphone: Microphone

  /// Whether a page may move between this peer and the other peers of the group when its peer disappears. This requires a passkey, so
  /// that the join token of the page is valid at all these peers. With `--http-open`, pages need no token. A page of any other server
  /// could then pretend to be a page of the group.
  var movesPages: Bool { key != nil && !isOpen }

  public init(
    address: ListenAddress, key: GroupKey?, isKeyStrong: Bool, isOpen: Bool, certificate: CertificateFiles?,
    machine: String, soundFont: String, microphone: Microphone = Microphone(device: "default", latency: nil)
  ) {
    self.address = address
    self.key = key
    self.isKeyStrong = isKeyStrong
    self.isOpen = isOpen
    self.certificate = certificate
    self.machine = machine
    self.soundFont = soundFont
    self.microphone = microphone
  }
}

/// The files of a TLS certificate for a domain that the group owns (`--certificate`, `--certificate-key`).
public struct CertificateFiles: Sendable {
  /// The path of a PEM file with the certificate chain. The certificate of the server is the first one.
  public var certificate: String
  /// The path of a PEM file with the private key of the server, without a passphrase.
  public var key: String

  public init(certificate: String, key: String) { (self.certificate, self.key) = (certificate, key) }
}
