import NIOCore

/// What the server tells pages about HTTPS: whether it supports HTTPS, and which certificate a device must install before it trusts the
/// server. Pages over plain HTTP get the same information.
struct SecureAccess: Sendable {
  /// The URL path of ``json``.
  static let path = "/secure.json"
  /// The URL path of ``authority``.
  static let authorityPath = "/authority.crt"

  /// Whether the server supports HTTPS, on the same port as HTTP.
  private(set) var isOffered = false
  /// The host names in the certificate of the group's domain, in lower case; empty without such a certificate.
  private(set) var names: [String] = []
  /// The certificate of the group's authority in DER; nil without an authority.
  private(set) var authority: ByteBuffer?
  /// The fingerprint of the authority; nil without an authority.
  private(set) var fingerprint: String?

  /// The first host name in the certificate of the group's domain that has no wildcard; nil without such a certificate. Every browser
  /// trusts this certificate.
  var certifiedName: String? { names.first { !$0.hasPrefix("*") } }

  /// Describes a server without HTTPS.
  init() {}

  #if HTTPS
    /// Describes a server with the certificate of `identity`. If `identity` is nil, the server has no HTTPS.
    init(_ identity: TLSIdentity?) {
      guard let identity else { return }
      isOffered = true
      names = identity.names
      authority = (try? identity.authority?.certificate.serializeAsPEM().derBytes).map { ByteBuffer(bytes: $0) }
      fingerprint = identity.authority?.fingerprint
    }
  #endif

  /// The JSON text that the server sends for ``path``.
  var json: ByteBuffer {
    // Host names and fingerprints contain no characters that must be escaped in JSON.
    let name = certifiedName.map { "\"\($0)\"" } ?? "null"
    let print = fingerprint.map { "\"\($0)\"" } ?? "null"
    return ByteBuffer(string: "{\"https\":\(isOffered),\"name\":\(name),\"authority\":\(print)}\n")
  }
}

/// Whether one connection uses TLS. The handlers of the connection share this object: the handler that detects TLS sets it, and the
/// others read it. Used on the event loop only.
final class ConnectionSecurity {
  /// Whether the connection uses TLS.
  var isEncrypted = false
  /// The scheme of the URLs that this connection serves.
  var scheme: String { isEncrypted ? "https" : "http" }
}
