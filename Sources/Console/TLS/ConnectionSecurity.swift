/// Whether one connection uses TLS. The handlers of the connection share this object: the handler that detects TLS sets it, and the
/// others read it. Used on the event loop only.
final class ConnectionSecurity {
  /// Whether the connection uses TLS.
  var isEncrypted = false
  /// The scheme of the URLs that this connection serves.
  var scheme: String { isEncrypted ? "https" : "http" }
}
