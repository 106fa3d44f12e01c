import NIOHTTP1

/// The headers of all responses.
enum ResponseHeaders {
  /// The security headers for a request to `host`, the value of its `Host` header.
  ///
  /// The content security policy permits only resources of this server. `connect-src` also contains two other addresses of this server:
  ///
  /// - the WebSocket, because older versions of Safari do not include it in `'self'`,
  /// - the address with HTTPS, because a page over plain HTTP tests whether HTTPS works.
  ///
  /// With the headers `Cross-Origin-Opener-Policy` and `Cross-Origin-Embedder-Policy`, browsers give the page a clock with a resolution
  /// of 5 us instead of 100 us (High Resolution Time, section 4). Browsers ignore these two headers over plain HTTP, except for a page
  /// of the same machine.
  static func security(host: String, scheme: String) -> HTTPHeaders {
    let isSecure = scheme == "https"
    let sources = [
      "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "worker-src 'self'",
      "connect-src 'self' \(isSecure ? "wss" : "ws")://\(host) https://\(host)", "base-uri 'none'",
      "form-action 'none'", "frame-ancestors 'none'",
    ]
    var headers: HTTPHeaders = [
      "Content-Security-Policy": sources.joined(separator: "; "), "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
    ]
    let name = HostCheck.split(host, scheme: scheme)?.name ?? ""
    if isSecure || name == "localhost" || ListenAddress.isLoopback(name) {
      headers.add(name: "Cross-Origin-Opener-Policy", value: "same-origin")
      headers.add(name: "Cross-Origin-Embedder-Policy", value: "require-corp")
    }
    return headers
  }
}
