public import PeerProtocol

/// The configuration of a ``WebConsole``.
public struct ConsoleConfiguration: Sendable {
  public var address: ListenAddress
  /// The key of the group; nil without a passkey.
  public var key: GroupKey?
  /// Whether the passkey is too long to be guessed. Otherwise the group has no certificate authority.
  public var isKeyStrong: Bool
  /// Whether every page may control the peer, without a token.
  public var isOpen: Bool
  /// The certificate of a domain of the group; nil for a certificate of the group's own authority.
  public var certificate: CertificateFiles?
  /// The host name of this machine, which is accepted in addresses of the page.
  public var machine: String
  /// The path of the SoundFont for the sounds of the pages.
  public var soundFont: String
  /// The microphone for calibrations.
  public var microphone: Microphone

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
