import NIOCore

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
