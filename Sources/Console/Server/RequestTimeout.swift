import NIOCore

/// Ends a connection whose client sends no complete request in time, or does not read the response in time.
final class RequestTimeout: ChannelInboundHandler {
  typealias InboundIn = NIOAny

  /// The error that is passed on if a request has begun but is not complete in time.
  struct Expired: Error {}

  /// The time in which a complete request must arrive: after the connection was opened, and after each response.
  static let request = TimeAmount.seconds(15)
  /// The time in which the client must read a response.
  static let response = TimeAmount.seconds(120)
  /// The time in which the client must close the connection after the last response.
  static let closing = TimeAmount.seconds(1)

  private var timer: Scheduled<Void>?
  /// Nil after ``end()``.
  private var context: ChannelHandlerContext?
  /// Whether octets have arrived since the last call of ``restart(for:)``.
  private var hasRequestBegun = false

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    restart()
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    hasRequestBegun = true
    context.fireChannelRead(data)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  /// Restarts the timer. `limit` is the time for the next request (``request``), for the client to read a response, or for the client to
  /// close the connection.
  func restart(for limit: TimeAmount = request) {
    timer?.cancel()
    guard let context else { return }
    hasRequestBegun = false
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: limit) {
      if limit == Self.request, self.hasRequestBegun {
        context.fireErrorCaught(Expired())
      } else {
        context.close(promise: nil)
      }
    }
  }

  /// Stops the timer. Called when the connection has become a WebSocket, or is closed.
  func end() {
    timer?.cancel()
    (timer, context) = (nil, nil)
  }
}

/// Answers a connection above the limits of the server with the status 503, and closes it at once, so that it takes no resources.
final class OverloadHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private static let response = ByteBuffer(
    string: "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 15\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

  func channelActive(context: ChannelHandlerContext) {
    let channel = context.channel
    context.writeAndFlush(Self.wrapOutboundOut(Self.response)).whenComplete { _ in channel.close(promise: nil) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
