import RTPMIDI

/// The addresses of simulated hosts: the number of a host is its IPv4 address.
extension SocketAddress {
  init(host: Int, _ port: Port) { self.init(host: UInt32(host), port: port == .control ? 5004 : 5005) }

  var host: Int { Int(low & 0xFFFF_FFFF) }
  /// The control port or the data port.
  var end: Port { port == 5004 ? .control : .data }
}
