import NIOCore

/// Closes a connection whose client sends no complete request in time, or does not read the response in time.
final class RequestTimeout: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  /// The time in which a complete request must arrive: after the connection was opened, and after each response.
  static let request = TimeAmount.seconds(15)
  /// The time in which the client must read a response.
  static let response = TimeAmount.seconds(120)

  private var timer: Scheduled<Void>?
  private var channel: (any Channel)?

  func handlerAdded(context: ChannelHandlerContext) {
    channel = context.channel
    restart()
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  /// Restarts the timer. `limit` is the time for the next request, or for the client to read a response.
  func restart(for limit: TimeAmount = request) {
    timer?.cancel()
    guard let channel else { return }
    timer = channel.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
  }

  /// Stops the timer. Called when the connection has become a WebSocket, or is closed.
  func end() {
    timer?.cancel()
    (timer, channel) = (nil, nil)
  }
}
