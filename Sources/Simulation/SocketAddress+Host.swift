import RTPMIDI

/// The addresses of simulated hosts: the number of a host is its IPv4 address.
extension SocketAddress {
  /// The control port of `host`, 5004, or its data port, 5005.
  init(host: Int, _ port: Port) { self.init(host: UInt32(host), port: port == .control ? 5004 : 5005) }

  /// The number of the host: the last four octets of the address, which contain an IPv4 address.
  var host: Int { Int(low & 0xFFFF_FFFF) }
  /// The kind of the port: control or data.
  var sessionPort: Port { port == 5004 ? .control : .data }
}
