import RTPMIDI

/// On the network of the tests addresses are numbers: an even one is a control port and the next one its data port. Below a
/// million these two are a host; from there on, each million is one.
extension SocketAddress {
  static func at(_ number: Int) -> SocketAddress {
    let first = number < 1_000_000 ? number & ~1 : number / 1_000_000 * 1_000_000
    return SocketAddress(host: UInt32(first), port: UInt16(number - first))
  }

  var number: Int { Int(low & 0xFFFF_FFFF) + Int(port) }
}
