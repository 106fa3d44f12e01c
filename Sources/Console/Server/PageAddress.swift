import Engine

/// The addresses of the page, one for each access.
struct PageAddress: Sendable {
  let configuration: ConsoleConfiguration
  let tokens: JoinTokens
  /// A host name in the certificate of the group's domain (``SecureAccess/certifiedName``); nil without such a certificate.
  let certifiedName: String?
  /// The port in use.
  let port: Int

  /// Whether only this machine can open the page.
  var isLocal: Bool { configuration.address.isLoopback }

  /// The URL of the page for an access, with the join token in the fragment. Browsers do not send the fragment to servers.
  subscript(access: Access) -> String {
    let host = configuration.address.host
    // With the certificate of the group's domain, the URL has HTTPS and a name of the certificate, because every browser trusts the
    // certificate for this name. Without the certificate, the URL has HTTP, because only some devices trust the authority of the group.
    // The page itself then tests HTTPS.
    let name =
      switch host {
      case _ where certifiedName != nil: certifiedName ?? host
      case "0.0.0.0", "::": LocalAddresses.preferred() ?? configuration.machine
      default: host
      }
    let base = "\(certifiedName == nil ? "http" : "https")://\(name.contains(":") ? "[\(name)]" : name):\(port)/"
    return configuration.isOpen ? base : "\(base)#token=\(tokens[access])"
  }
}
