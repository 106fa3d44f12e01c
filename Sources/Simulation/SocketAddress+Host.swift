import RTPMIDI

/// Where simulated peers are: the number of a host is its IPv4 address.
extension SocketAddress {
  init(host: Int, _ port: Port) { self.init(host: UInt32(host), port: port == .control ? 5004 : 5005) }

  var host: Int { Int(low & 0xFFFF_FFFF) }
  /// Which of its host's two ports it is.
  var end: Port { port == 5004 ? .control : .data }
}
