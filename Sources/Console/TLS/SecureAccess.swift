import NIOCore

/// What a page without HTTPS may know: whether the server also speaks HTTPS, and the certificate that a device has to install first.
struct SecureAccess: Sendable {
  static let path = "/secure.json"
  static let authorityPath = "/authority.crt"

  /// Whether the server speaks HTTPS on the port of the page.
  private(set) var isOffered = false
  /// The names in the certificate of the group's domain, in lower case.
  private(set) var names: [String] = []
  /// The certificate of the group's authority in DER; nil without an authority.
  private(set) var authority: ByteBuffer?
  /// The fingerprint of the authority; nil without an authority.
  private(set) var fingerprint: String?

  /// A name that every browser accepts: the first one in the certificate of the group's domain that is not a pattern; nil without such
  /// a certificate.
  var certifiedName: String? { names.first { !$0.hasPrefix("*") } }

  /// A server without HTTPS.
  init() {}

  #if HTTPS
    init(_ identity: TLSIdentity?) {
      guard let identity else { return }
      isOffered = true
      names = identity.names
      authority = (try? identity.authority?.certificate.serializeAsPEM().derBytes).map { ByteBuffer(bytes: $0) }
      fingerprint = identity.authority?.fingerprint
    }
  #endif

  /// The answer to a request of ``path``.
  var json: ByteBuffer {
    // The texts contain no characters that JSON escapes: host names and hexadecimal digits.
    let name = certifiedName.map { "\"\($0)\"" } ?? "null"
    let print = fingerprint.map { "\"\($0)\"" } ?? "null"
    return ByteBuffer(string: "{\"https\":\(isOffered),\"name\":\(name),\"authority\":\(print)}\n")
  }
}
