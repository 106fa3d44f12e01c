import Glibc

/// An IPv4 host and a UDP port.
public struct SocketAddress: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// In host order.
  public var host: UInt32
  public var port: UInt16

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(host: UInt32, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Looks up `text`, `HOST:PORT` or `HOST` alone with `defaultPort`. It may ask a name server, so it may take seconds.
  ///
  /// - Throws: ``TransportError`` when the text is no address or the host is not known.
  ///
  /// Real-time: not safe.
  public init(resolving text: String, defaultPort: UInt16 = 5004) throws(TransportError) {
    let (name, port) = try Self.parts(of: text, defaultPort: defaultPort)
    var hints = addrinfo()
    hints.ai_family = AF_INET
    hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(name, nil, &hints, &list)
    defer { if let list { freeaddrinfo(list) } }
    // Invariant: the first entry of a successful look-up of AF_INET holds a sockaddr_in.
    guard code == 0, let raw = UnsafeRawPointer(list?.pointee.ai_addr) else {
      throw TransportError(
        "host \(name): not found (\(String(cString: gai_strerror(code)))); check the name, or give its address")
    }
    host = UInt32(bigEndian: raw.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr)
    self.port = port
  }

  /// Takes `HOST:PORT`, or `HOST` alone with `defaultPort`, apart without looking anything up.
  ///
  /// - Throws: ``TransportError`` when the text is neither.
  ///
  /// Real-time: not safe.
  @discardableResult
  public static func parts(
    of text: String, defaultPort: UInt16 = 5004
  ) throws(TransportError) -> (host: String, port: UInt16) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2, let name = parts.first, !name.isEmpty,
      let port = parts.count == 2 ? UInt16(parts[1]) : defaultPort, (1...65534).contains(port)
    else {
      throw TransportError(
        "address \(text): not HOST:PORT with a port from 1 to 65534; write for example 192.168.1.20:5004")
    }
    return (String(name), port)
  }

  public var description: String {
    "\(host >> 24).\(host >> 16 & 255).\(host >> 8 & 255).\(host & 255):\(port)"
  }
}
