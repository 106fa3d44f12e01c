#if HTTPS
  import NIOCore
  import NIOSSL

  /// Serves HTTP and HTTPS on one port: adds a TLS handler to a connection that begins with a TLS handshake. The first octet of a TLS
  /// record with a handshake is 22 (RFC 8446, section 5.1). No HTTP request begins with this octet.
  final class TLSDetector: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The content type of a TLS record with a handshake.
    private static let handshake: UInt8 = 22

    private let context: NIOSSLContext
    private let security: ConnectionSecurity

    init(context: NIOSSLContext, security: ConnectionSecurity) { (self.context, self.security) = (context, security) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let octets = Self.unwrapInboundIn(data)
      guard let first = octets.getInteger(at: octets.readerIndex, as: UInt8.self) else { return }
      let pipeline = context.pipeline.syncOperations
      if first == Self.handshake {
        security.isEncrypted = true
        do { try pipeline.addHandler(NIOSSLServerHandler(context: self.context), position: .after(self)) } catch {
          return context.close(promise: nil)
        }
      }
      context.fireChannelRead(data)
      pipeline.removeHandler(self, promise: nil)
    }
  }
#endif
