package import RTPMIDI

/// Addresses of the virtual network are numbers. An even number is a control port, and the next number is its data port. Below
/// a million, each such pair belongs to a host of its own. From a million on, a million addresses belong to one host, for tests
/// with many ports on one host. The number of a host is its first address. The port number is the address minus the number of the
/// host, so at most the first 65 536 addresses of a host can be used.
extension SocketAddress {
  /// The address with this number.
  package static func at(_ number: Int) -> SocketAddress {
    let first = number < 1_000_000 ? number & ~1 : number / 1_000_000 * 1_000_000
    return SocketAddress(host: UInt32(first), port: UInt16(number - first))
  }

  /// The number of this address: the number of the host plus the port.
  package var number: Int { Int(low & 0xFFFF_FFFF) + Int(port) }

  /// The next port of the same host, which is the data port if this is the control port.
  var dataPort: SocketAddress { SocketAddress(high: high, low: low, scope: scope, port: port + 1) }
}
