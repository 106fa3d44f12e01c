import RTPMIDI

/// A packet that a hostile device has recorded.
struct RecordedPacket {
  var octets: [UInt8]
  let source: SocketAddress
  let target: SocketAddress
}
