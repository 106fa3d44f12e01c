import Engine
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Answers the HTTP requests of one connection. It serves the files of the page, the sounds, the parts of scores, the information about HTTPS
/// (``SecureAccess``), the certificate of the group's authority and the code that invites another phone (`/code.svg`), and checks join
/// tokens (`/join`). A valid request for a WebSocket
/// turns the connection into that of a page: a ``PageHandler`` replaces this handler.
///
/// Every request that is not accepted gets a response, also if it is malformed or incomplete. Each response is written completely before
/// the next request is processed.
final class HTTPHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = ByteBuffer
  typealias OutboundOut = HTTPServerResponsePart

  private let codec: HTTPCodec
  private let admission: Admission
  private let address: PageAddress
  private let files: PageFiles
  private let sounds: SoundStore
  private let scores: ScoreStore
  private let pages: Pages
  private let timeout: RequestTimeout
  /// Whether this connection uses TLS.
  private let security: ConnectionSecurity
  /// What the server tells pages about HTTPS.
  private let secureAccess: SecureAccess
  /// The request whose head has arrived, but whose end has not arrived yet.
  private var request: HTTPRequestHead?
  /// Whether the connection accepts no further request: it closes after the newest response, or becomes a WebSocket.
  private var isFinished = false
  /// Whether the connection becomes a WebSocket.
  private var isOpening = false
  /// The octets after the request for a WebSocket that arrived together with it.
  private var following: ByteBuffer?

  init(
    codec: HTTPCodec, admission: Admission, address: PageAddress, files: PageFiles, sounds: SoundStore,
    scores: ScoreStore, pages: Pages, timeout: RequestTimeout, security: ConnectionSecurity, secureAccess: SecureAccess
  ) {
    (self.codec, self.admission, self.address, self.files, self.sounds) = (codec, admission, address, files, sounds)
    (self.scores, self.pages, self.timeout) = (scores, pages, timeout)
    (self.security, self.secureAccess) = (security, secureAccess)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = Self.unwrapInboundIn(data)
    guard !isFinished else { return }
    switch part {
    case .head(let head) where head.announcesBody:
      // The response does not wait for the body, because a client with the header `Expect` sends the body only later.
      send(.payloadTooLarge, "requests with a body are not supported", head, context)
    case .head(let head): request = head
    case .body: break
    case .end:
      guard let request else { return }
      self.request = nil
      timeout.restart(for: RequestTimeout.response)
      answer(request, context)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case ByteToMessageDecoderError.leftoverDataWhenDone(let octets): following = octets
    case is ByteToMessageDecoderError.PayloadTooLargeError where isOpening:
      isOpening = false
      send(.payloadTooLarge, "too many octets follow the request for a WebSocket", nil, context)
    // Octets after a request that was refused.
    case is ByteToMessageDecoderError.PayloadTooLargeError, is ByteToMessageDecoderError: break
    case is HTTPParserError where isFinished: break
    case HTTPParserError.headerOverflow:
      send(.requestHeaderFieldsTooLarge, "the header of the request is too large", nil, context)
    case HTTPParserError.invalidVersion: send(.httpVersionNotSupported, "use HTTP/1.1", nil, context)
    case is HTTPParserError: send(.badRequest, "malformed request", nil, context)
    case is RequestTimeout.Expired: send(.requestTimeout, "the request is incomplete", nil, context)
    default: context.close(promise: nil)
    }
  }

  private func answer(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
    // Only `/code.svg` has a query.
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
      let form = file.form(for: request.headers)
      guard !form.isKnown(to: request.headers) else {
        return send(.notModified, ByteBuffer(), type: nil, form.headers, request, context)
      }
      return send(.ok, form.octets, type: file.type, form.headers, request, context)
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
    let prefixes = [SoundStore.pathPrefix, ScoreStore.pathPrefix]
    guard ["/join", "/socket", Admission.codePath].contains(path) || prefixes.contains(where: path.hasPrefix) else {
      return send(.notFound, "no such page", request, context)
    }
    switch admission.decide(request.headers, from: context.remoteAddress?.ipAddress ?? "") {
    case .limited: send(.tooManyRequests, "too many wrong tokens; wait half a minute", request, context)
    case .wrongToken:
      send(.unauthorized, "wrong token; open the complete address that the peer has printed", request, context)
    case .admitted where path == "/join":
      send(.noContent, ByteBuffer(), type: nil, ["Cache-Control": "no-store"], request, context)
    case .admitted(let access) where path == "/socket":
      if let refusal = WebSocketHandshake.refusal(of: request) {
        send(refusal.status, refusal.reason, request, context, adding: refusal.headers)
      } else {
        open(request, access, context)
      }
    case .admitted(let access) where path == Admission.codePath: sendCode(request, access, context)
    case .admitted where path.hasPrefix(ScoreStore.pathPrefix): sendScore(request, path, context)
    case .admitted:
      guard let file = sounds[path] else { return send(.notFound, "no such sound", request, context) }
      var headers = sharedHeaders(for: request)
      // The path contains the hash of the samples, so a browser may cache the sound for ever.
      headers.add(name: "Cache-Control", value: "private, max-age=31536000, immutable")
      send(.ok, file.octets, type: file.type, headers, request, context)
    }
  }

  /// Sends a part of a score. While the part is being engraved, the status is 202, and the page asks again.
  private func sendScore(_ request: HTTPRequestHead, _ path: String, _ context: ChannelHandlerContext) {
    guard let answer = scores.answer(to: path) else { return send(.notFound, "no such part", request, context) }
    var headers = sharedHeaders(for: request)
    switch answer {
    case .file(let file):
      let form = file.form(for: request.headers)
      for (name, value) in form.headers where name != "Vary" { headers.replaceOrAdd(name: name, value: value) }
      headers.add(name: "Vary", value: "Accept-Encoding")
      headers.replaceOrAdd(name: "Cache-Control", value: "private, max-age=31536000, immutable")
      send(.ok, form.octets, type: file.type, headers, request, context)
    case .waits: send(.accepted, "the part is being engraved; ask again", request, context, adding: headers)
    case .refused(let reason): send(.unprocessableEntity, reason, request, context, adding: headers)
    case .unknown: send(.notFound, "this peer does not have the score", request, context, adding: headers)
    case .busy: send(.serviceUnavailable, "too many parts wait; ask again", request, context, adding: headers)
    }
  }

  /// Sends a QR code of the address that another phone opens. The parameter `access` of the query selects the address. A page with the
  /// access `play` gets only the address with this access.
  private func sendCode(_ request: HTTPRequestHead, _ access: Access, _ context: ChannelHandlerContext) {
    let query = request.uri.drop { $0 != "?" }.dropFirst()
    guard query.hasPrefix("access="), let asked = Access(rawValue: String(query.dropFirst("access=".count))) else {
      return send(.badRequest, "give the parameter access=play or access=lead", request, context)
    }
    guard asked == .play || access == .lead else {
      return send(.unauthorized, "this token does not give the access lead", request, context)
    }
    guard !address.isLocal, let code = QRCode(address[asked]) else {
      return send(.notFound, "only this machine can open the page", request, context)
    }
    var headers = sharedHeaders(for: request)
    // The picture contains a token.
    headers.add(name: "Cache-Control", value: "no-store")
    send(.ok, ByteBuffer(string: code.svg), type: "image/svg+xml", headers, request, context)
  }

  /// The headers of a response that moved pages can read. A page that was loaded from another peer of the group fetches sounds and codes
  /// here after its own peer has disappeared. Such a page has another origin, so the response permits the origin of the request.
  private func sharedHeaders(for request: HTTPRequestHead) -> HTTPHeaders {
    admission.movesPages ? ResponseHeaders.shared(with: request.headers) : [:]
  }

  /// Opens the WebSocket that `request` asks for.
  private func open(_ request: HTTPRequestHead, _ access: Access, _ context: ChannelHandlerContext) {
    (isFinished, isOpening) = (true, true)
    // The decoder leaves the pipeline in a later task, because it is still decoding. Until then, ``errorCaught(context:error:)`` gets the
    // octets that follow the request.
    WebSocketHandshake.responseHeaders(for: request, on: context.channel)
      .and(codec.removeDecoder(from: context.pipeline.syncOperations))
      .assumeIsolated()
      .whenComplete { result in
        // The client may have closed the connection in the meantime.
        guard self.isOpening, context.channel.isActive else { return }
        do { try self.becomePage(with: result.get().0, access, context) } catch { context.close(promise: nil) }
      }
  }

  /// Sends the response that opens the WebSocket, and replaces the handlers of HTTP by those of a page.
  private func becomePage(with headers: HTTPHeaders, _ access: Access, _ context: ChannelHandlerContext) throws {
    let head = HTTPResponseHead(version: .http1_1, status: .switchingProtocols, headers: headers)
    context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
    context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
    timeout.end()
    let pipeline = context.pipeline.syncOperations
    codec.removeEncoder(from: pipeline)
    try pipeline.addHandlers([
      WebSocketFrameEncoder(), ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: Frame.maximumLength)),
      PageHandler(access: access, pages: pages),
    ])
    if let following {
      context.fireChannelRead(Self.wrapInboundOut(following))
      context.fireChannelReadComplete()
    }
    pipeline.removeHandler(self, promise: nil)
  }

  private func send(
    _ status: HTTPResponseStatus, _ text: String, _ request: HTTPRequestHead?, _ context: ChannelHandlerContext,
    adding additional: HTTPHeaders = [:]
  ) {
    var headers = additional
    headers.add(name: "Cache-Control", value: "no-store")
    send(
      status, ByteBuffer(string: text + "\n"), type: "text/plain; charset=utf-8", headers, request, context)
  }

  /// Sends a response. `request` is nil if the request could not be decoded.
  private func send(
    _ status: HTTPResponseStatus, _ body: ByteBuffer, type: String?, _ additional: HTTPHeaders,
    _ request: HTTPRequestHead?, _ context: ChannelHandlerContext
  ) {
    var headers = ResponseHeaders.security(
      host: request?.headers.first(name: "host") ?? "", scheme: security.scheme, movesPages: admission.movesPages)
    for (name, value) in additional { headers.replaceOrAdd(name: name, value: value) }
    if let type { headers.add(name: "Content-Type", value: type) }
    if status != .noContent, status != .notModified {
      headers.add(name: "Content-Length", value: "\(body.readableBytes)")
    }
    // If the client sends a request while earlier responses are unread, the connection closes after the response to this request.
    // Otherwise, responses could accumulate. The connection also closes after a request with the header `Upgrade`, because the decoder
    // does not decode the octets after such a request.
    let keepsAlive =
      request.map { $0.isKeepAlive && !$0.headers.contains(name: "upgrade") } ?? false && status.code < 400
      && context.channel.isWritable
    isFinished = !keepsAlive
    if !keepsAlive { headers.add(name: "Connection", value: "close") }
    context.write(
      Self.wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))), promise: nil)
    if request?.method != .HEAD, body.readableBytes > 0 {
      context.write(Self.wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    }
    let (channel, timeout) = (context.channel, NIOLoopBound(timeout, eventLoop: context.eventLoop))
    context.writeAndFlush(Self.wrapOutboundOut(.end(nil))).whenComplete { _ in
      guard !keepsAlive else { return timeout.value.restart() }
      // If octets of the client were unread, a complete close would make the kernel reset the connection, and the client could lose the
      // response. The client therefore gets time to close the connection (RFC 9112, section 9.6).
      timeout.value.restart(for: RequestTimeout.closing)
      channel.close(mode: .output).whenFailure { _ in channel.close(promise: nil) }
    }
  }
}

extension HTTPRequestHead {
  /// Whether a body follows the head (RFC 9112, section 6.3).
  fileprivate var announcesBody: Bool {
    headers.contains(name: "transfer-encoding") || headers["content-length"].contains { $0 != "0" }
  }
}
