package import RTPMIDI

/// Addresses of the virtual network are numbers. An even number is a control port, the next one is its data port. Below a
/// million, each pair is a host. From a million on, each million is a host. The number of a host is its first address, and a
/// port is the distance from this address.
extension SocketAddress {
  package static func at(_ number: Int) -> SocketAddress {
    let first = number < 1_000_000 ? number & ~1 : number / 1_000_000 * 1_000_000
    return SocketAddress(host: UInt32(first), port: UInt16(number - first))
  }

  package var number: Int { Int(low & 0xFFFF_FFFF) + Int(port) }
}
