import NIOHTTP1

/// The headers of all responses.
enum ResponseHeaders {
  /// The security headers for a request to `host`, the value of its `Host` header.
  ///
  /// The content security policy permits only resources of this server. Besides `'self'`, `connect-src` contains two more addresses of
  /// this server:
  ///
  /// - the WebSocket, because older versions of Safari do not include it in `'self'`,
  /// - the address with HTTPS, because a page over plain HTTP tests whether HTTPS works.
  ///
  /// With `movesPages`, a page may move to another peer. The addresses of the other peers are not known when the page is loaded, so
  /// `connect-src` permits all addresses. For a page over HTTPS, it permits all addresses with encryption. Scripts, images and styles
  /// still come from this server only.
  ///
  /// With the headers `Cross-Origin-Opener-Policy` and `Cross-Origin-Embedder-Policy`, browsers give the page a clock with a resolution
  /// of 5 us instead of 100 us (High Resolution Time, section 4). Over plain HTTP, browsers ignore these two headers, unless the server
  /// is on the same machine.
  static func security(host: String, scheme: String, movesPages: Bool) -> HTTPHeaders {
    let isSecure = scheme == "https"
    let connections =
      switch (movesPages, isSecure) {
      // The schemes `ws` and `http` include `wss` and `https` (Content Security Policy Level 3, section 6.7.2.8).
      case (true, false): "ws: http:"
      case (true, true): "wss: https:"
      case (false, _): "\(isSecure ? "wss" : "ws")://\(host) https://\(host)"
      }
    let sources = [
      "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "worker-src 'self'",
      "connect-src 'self' \(connections)", "base-uri 'none'",
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

  /// The headers that permit pages of the request's origin to read the response (CORS, Fetch Standard, section 3.3.3). `Vary` keeps a
  /// browser from using a stored response for another origin.
  static func shared(with request: HTTPHeaders) -> HTTPHeaders {
    var headers: HTTPHeaders = ["Vary": "Origin"]
    if let origin = request.first(name: "origin") { headers.add(name: "Access-Control-Allow-Origin", value: origin) }
    return headers
  }

  /// The headers of the response to a preflight request. They permit the page to send requests with a join token.
  static func preflight(_ request: HTTPHeaders) -> HTTPHeaders {
    var headers = shared(with: request)
    headers.add(name: "Access-Control-Allow-Headers", value: "Authorization")
    headers.add(name: "Access-Control-Max-Age", value: "7200")
    return headers
  }
}
