import RTPMIDI

/// The addresses of simulated hosts: host n has the IPv4 address 10.0.0.0 + n.
extension SocketAddress {
  /// The control port of `host`, 5004, or its data port, 5005.
  init(host: Int, _ port: Port) { self.init(host: 10 << 24 + UInt32(host), port: port == .control ? 5004 : 5005) }

  /// The number of the host: the last three octets of the address.
  var host: Int { Int(low & 0xFF_FFFF) }
  /// The kind of the port: control or data.
  var sessionPort: Port { port == 5004 ? .control : .data }
}
