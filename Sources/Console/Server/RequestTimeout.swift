import NIOCore

/// Closes a connection whose client sends no complete request in time, or does not read the response in time.
final class RequestTimeout: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  /// The time for one request, and between two requests.
  static let request = TimeAmount.seconds(15)
  /// The time for the transmission of one response.
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

  /// Begins the time for the next request, or for a response.
  func restart(for limit: TimeAmount = request) {
    timer?.cancel()
    guard let channel else { return }
    timer = channel.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
  }

  /// Ends the supervision: the connection has become a page or is closed.
  func end() {
    timer?.cancel()
    (timer, channel) = (nil, nil)
  }
}
