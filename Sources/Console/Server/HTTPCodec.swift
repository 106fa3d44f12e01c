import NIOCore
import NIOHTTP1

/// The handlers between the octets of a connection and its ``HTTPHandler``. They are in the pipeline until the connection becomes a
/// WebSocket.
///
/// The pipeline contains no `HTTPServerPipelineHandler` of NIO, because ``HTTPHandler`` answers each request completely before it
/// returns. It contains no upgrade handler of NIO either: that handler removes the decoder although the decoder may still decode
/// requests, and a request then ends the program (`NIOAny: tried to decode as type ByteBuffer`).
struct HTTPCodec {
  /// The limits of the header of a request: the octets of one field, the octets of all fields, and the number of fields.
  private static let (maximumFieldSize, maximumHeaderSize, maximumFields) = (4096, 16_384, 64)
  /// The maximum number of octets that the decoder keeps. After a request with the header `Upgrade`, the decoder does not decode the
  /// octets that follow, but keeps them.
  private static let maximumBacklog = 32_768

  private let encoder = HTTPResponseEncoder()
  private let decoder: ByteToMessageHandler<HTTPRequestDecoder>
  private let validator = NIOHTTPResponseHeadersValidator()

  init() {
    var limits = NIOHTTPDecoderLimitConfiguration()
    (limits.maxHeaderFieldSize, limits.maxHeaderListSize) = (Self.maximumFieldSize, Self.maximumHeaderSize)
    limits.maxHeaderFieldCount = Self.maximumFields
    decoder = ByteToMessageHandler(
      HTTPRequestDecoder(leftOverBytesStrategy: .fireError, limitConfiguration: limits),
      maximumBufferSize: Self.maximumBacklog)
  }

  /// Adds the handlers at the end of `pipeline`.
  func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
    try pipeline.addHandlers([encoder, decoder, validator])
  }

  /// Removes the decoder. The future succeeds in a later task of the event loop. Before, the decoder passes on what it has not decoded:
  /// octets as the error `ByteToMessageDecoderError.leftoverDataWhenDone`, if the last request was one for a WebSocket; otherwise the
  /// requests in these octets.
  func removeDecoder(from pipeline: ChannelPipeline.SynchronousOperations) -> EventLoopFuture<Void> {
    pipeline.removeHandler(decoder)
  }

  /// Removes the remaining handlers, at once.
  func removeEncoder(from pipeline: ChannelPipeline.SynchronousOperations) {
    pipeline.removeHandler(validator, promise: nil)
    pipeline.removeHandler(encoder, promise: nil)
  }
}
