import NIOCore
import NIOHTTP1

/// Answers the HTTP requests of one connection that is not a WebSocket. It serves the files of the page, the sounds, the information
/// about HTTPS (``SecureAccess``) and the certificate of the group's authority, and checks join tokens (`/join`).
final class HTTPHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let admission: Admission
  private let files: PageFiles
  private let sounds: SoundStore
  private let timeout: RequestTimeout
  /// Whether this connection uses TLS.
  private let security: ConnectionSecurity
  /// What the server tells pages about HTTPS.
  private let secureAccess: SecureAccess
  /// The request whose head has arrived, but whose end has not arrived yet.
  private var request: HTTPRequestHead?
  /// Whether the connection closes after the newest response.
  private var isClosing = false

  init(
    admission: Admission, files: PageFiles, sounds: SoundStore, timeout: RequestTimeout, security: ConnectionSecurity,
    secureAccess: SecureAccess
  ) {
    (self.admission, self.files, self.sounds, self.timeout) = (admission, files, sounds, timeout)
    (self.security, self.secureAccess) = (security, secureAccess)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch Self.unwrapInboundIn(data) {
    case .head(let head): request = head
    case .body:
      // Requests with a body are not supported.
      context.close(promise: nil)
    case .end:
      guard let request, !isClosing else { return }
      self.request = nil
      timeout.restart(for: RequestTimeout.response)
      answer(request, context)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private func answer(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
    // The query of the URL is ignored.
    let path = String(request.uri.prefix { $0 != "?" })
    if request.method == .OPTIONS, admission.admitsPreflight(request.headers, path: path, scheme: security.scheme) {
      return send(.noContent, ByteBuffer(), type: nil, ResponseHeaders.preflight(request.headers), request, context)
    }
    guard admission.admitsSource(of: request.headers, path: path, scheme: security.scheme) else {
      return send(
        .misdirectedRequest, "unknown host or origin; use the address that the peer has printed", request, context)
    }
    guard request.method == .GET || request.method == .HEAD else {
      return send(.methodNotAllowed, "only GET and HEAD are supported", request, context)
    }
    if let file = files[path] {
      return send(
        .ok, file.octets, type: file.type, ["Cache-Control": "no-cache"], request, context)
    }
    if path == SecureAccess.path {
      // A page that was loaded over HTTP also requests this file over HTTPS, to test whether the device trusts the certificate. For a
      // browser, HTTPS is another origin.
      return send(
        .ok, secureAccess.json, type: "application/json",
        ["Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "cross-origin"], request, context)
    }
    if path == SecureAccess.authorityPath, let certificate = secureAccess.authority {
      return send(
        .ok, certificate, type: "application/x-x509-ca-cert", ["Cache-Control": "no-store"], request, context)
    }
    guard path == "/join" || path == "/socket" || path.hasPrefix(SoundStore.pathPrefix) else {
      return send(.notFound, "no such page", request, context)
    }
    switch admission.decide(request.headers, from: context.remoteAddress?.ipAddress ?? "") {
    case .limited: send(.tooManyRequests, "too many wrong tokens; wait half a minute", request, context)
    case .wrongToken:
      send(.unauthorized, "wrong token; open the complete address that the peer has printed", request, context)
    case .admitted where path == "/join":
      send(.noContent, ByteBuffer(), type: nil, ["Cache-Control": "no-store"], request, context)
    case .admitted where path == "/socket":
      send(.upgradeRequired, "only for WebSocket connections", request, context)
    case .admitted:
      guard let file = sounds[path] else { return send(.notFound, "no such sound", request, context) }
      // A page that was loaded from another peer of the group fetches sounds here after its own peer has disappeared. Such a page has
      // another origin. The response therefore permits the origin of the request.
      var headers = admission.movesPages ? ResponseHeaders.shared(with: request.headers) : [:]
      // The path contains the hash of the samples, so a browser may cache the sound for ever.
      headers.add(name: "Cache-Control", value: "private, max-age=31536000, immutable")
      send(.ok, file.octets, type: file.type, headers, request, context)
    }
  }

  private func send(
    _ status: HTTPResponseStatus, _ text: String, _ request: HTTPRequestHead, _ context: ChannelHandlerContext
  ) {
    send(
      status, ByteBuffer(string: text + "\n"), type: "text/plain; charset=utf-8", ["Cache-Control": "no-store"],
      request,
      context)
  }

  private func send(
    _ status: HTTPResponseStatus, _ body: ByteBuffer, type: String?, _ additional: HTTPHeaders,
    _ request: HTTPRequestHead, _ context: ChannelHandlerContext
  ) {
    var headers = ResponseHeaders.security(
      host: request.headers.first(name: "host") ?? "", scheme: security.scheme, movesPages: admission.movesPages)
    for (name, value) in additional { headers.replaceOrAdd(name: name, value: value) }
    if let type { headers.add(name: "Content-Type", value: type) }
    if status != .noContent { headers.add(name: "Content-Length", value: "\(body.readableBytes)") }
    // If the client sends a request while earlier responses are unread, the connection closes after the response to this request.
    // Otherwise, responses could accumulate.
    let keepsAlive = request.isKeepAlive && status.code < 400 && context.channel.isWritable
    isClosing = !keepsAlive
    if !keepsAlive { headers.add(name: "Connection", value: "close") }
    context.write(
      Self.wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))), promise: nil)
    if request.method == .GET, body.readableBytes > 0 {
      context.write(Self.wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    }
    let (channel, timeout) = (context.channel, NIOLoopBound(timeout, eventLoop: context.eventLoop))
    context.writeAndFlush(Self.wrapOutboundOut(.end(nil))).whenComplete { _ in
      if keepsAlive { timeout.value.restart() } else { channel.close(promise: nil) }
    }
  }
}
