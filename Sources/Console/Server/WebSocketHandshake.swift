import Foundation
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// The opening handshake of a WebSocket, as a server checks and answers it (RFC 6455, section 4.2).
enum WebSocketHandshake {
  /// The answer to a request that cannot open a WebSocket.
  struct Refusal: Equatable {
    var status: HTTPResponseStatus
    var reason: String
    /// Additional headers of the response.
    var headers: HTTPHeaders = [:]
  }

  /// The version of the protocol in the header `Sec-WebSocket-Version`.
  private static let version = "13"
  /// The length of the decoded header `Sec-WebSocket-Key` in octets.
  private static let keyLength = 16

  /// Computes the headers of the response. It is not added to a pipeline.
  private static let upgrader = NIOWebSocketServerUpgrader(
    shouldUpgrade: { channel, _ in
      channel.eventLoop.makeSucceededFuture(["Sec-WebSocket-Protocol": Admission.subprotocol])
    },
    upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() })

  /// Why `request` cannot open a WebSocket (RFC 6455, section 4.2.1); nil if it can.
  static func refusal(of request: HTTPRequestHead) -> Refusal? {
    let headers = request.headers
    guard request.method == .GET else { return Refusal(status: .methodNotAllowed, reason: "only GET is supported") }
    guard contains("websocket", in: headers[canonicalForm: "upgrade"]) else {
      // RFC 9110, sections 15.5.22 and 7.8.
      return Refusal(
        status: .upgradeRequired, reason: "only for WebSocket connections",
        headers: ["Upgrade": "websocket", "Connection": "upgrade"])
    }
    guard request.version == .http1_1, contains("upgrade", in: headers[canonicalForm: "connection"]) else {
      return Refusal(status: .badRequest, reason: "a WebSocket needs HTTP/1.1 and the header Connection: Upgrade")
    }
    guard headers["sec-websocket-version"] == [version] else {
      // RFC 6455, section 4.4.
      return Refusal(
        status: .upgradeRequired, reason: "unknown version of the WebSocket protocol; use version \(version)",
        headers: ["Upgrade": "websocket", "Connection": "upgrade", "Sec-WebSocket-Version": version])
    }
    let keys = headers["sec-websocket-key"]
    guard keys.count == 1, let key = Data(base64Encoded: keys[0]), key.count == keyLength else {
      return Refusal(
        status: .badRequest, reason: "the header Sec-WebSocket-Key must contain \(keyLength) octets in base64")
    }
    guard headers[canonicalForm: "sec-websocket-protocol"].contains(Substring(Admission.subprotocol)) else {
      return Refusal(status: .badRequest, reason: "unknown subprotocol; use \(Admission.subprotocol)")
    }
    return nil
  }

  /// The headers of the response that opens a WebSocket (RFC 6455, section 4.2.2). The future has its result at once.
  static func responseHeaders(for request: HTTPRequestHead, on channel: any Channel) -> EventLoopFuture<HTTPHeaders> {
    upgrader.buildUpgradeResponse(channel: channel, upgradeRequest: request, initialResponseHeaders: [:])
  }

  /// Whether the list `values` contains `token`, which is in lower case. The case of the values is ignored.
  private static func contains(_ token: String, in values: [Substring]) -> Bool {
    values.contains { $0.lowercased() == token }
  }
}
