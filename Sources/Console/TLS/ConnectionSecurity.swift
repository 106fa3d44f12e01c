/// What the handlers of one connection know of its security.
final class ConnectionSecurity {
  /// Whether the connection uses TLS.
  var isEncrypted = false
  /// The scheme of the page's address.
  var scheme: String { isEncrypted ? "https" : "http" }
}
