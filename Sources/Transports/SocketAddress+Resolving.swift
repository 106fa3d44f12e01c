import Glibc

// Addresses as people write them.
extension SocketAddress {
  /// Looks up `text`: `HOST:PORT`, `[IPV6]:PORT`, or either without a port, with `defaultPort`; an IPv6 address alone needs
  /// no brackets. Of a name's addresses it takes the one that the C library puts first (RFC 6724). It may ask a name
  /// server, so it may take seconds.
  ///
  /// - Throws: ``TransportError`` when the text is no address or the host is not known.
  ///
  /// Real-time: not safe.
  public init(resolving text: String, defaultPort: UInt16 = 5004) throws(TransportError) {
    let (name, port) = try Self.parts(of: text, defaultPort: defaultPort)
    if let interface = name.interface, if_nametoindex(interface) == 0, UInt32(interface) == nil {
      throw TransportError("interface \(interface) of \(name): not there; `ip link` lists those that are")
    }
    // An address means itself. Of a name's addresses only those are of use whose family this machine has.
    var (address, code) = Self.lookUp(name, AI_NUMERICHOST)
    if address == nil { (address, code) = Self.lookUp(name, AI_ADDRCONFIG) }
    guard let address else {
      throw TransportError(
        "host \(name): not found (\(String(cString: gai_strerror(code)))); check the name, or give its address")
    }
    self = address
    self.port = port
  }

  /// Takes `HOST:PORT`, `[IPV6]:PORT`, or either without a port, apart without looking anything up.
  ///
  /// - Throws: ``TransportError`` when the text is none of them, or a link-local address without its interface.
  ///
  /// Real-time: not safe.
  @discardableResult
  public static func parts(
    of text: String, defaultPort: UInt16 = 5004
  ) throws(TransportError) -> (host: String, port: UInt16) {
    let (name, portText) = split(text)
    guard let name, let port = portText.map({ UInt16($0) }) ?? defaultPort, (1...65534).contains(port) else {
      throw TransportError(
        "address \(text): not HOST:PORT with a port from 1 to 65534; write for example 192.168.1.20:5004, or "
          + "[fd00::20]:5004")
    }
    if name.isIPv6Literal, name.interface == nil, let address = lookUp(name, AI_NUMERICHOST).address,
      address.isLinkLocal
    {
      throw TransportError(
        "address \(text): a link-local address, which needs its interface; write for example fe80::1%eth0")
    }
    return (name, port)
  }

  /// The host, nil when there is none, and the port if one is written.
  private static func split(_ text: String) -> (host: String?, port: Substring?) {
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return (nil, nil) }
      let (name, rest) = (String(text[..<end].dropFirst()), text[end...].dropFirst())
      guard name.isIPv6Literal, rest.isEmpty || rest.hasPrefix(":") else { return (nil, nil) }
      return (name, rest.isEmpty ? nil : rest.dropFirst())
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    if parts.count > 2 { return (text.isIPv6Literal ? text : nil, nil) }
    return (parts[0].isEmpty ? nil : String(parts[0]), parts.count == 2 ? parts[1] : nil)
  }

  /// The first address of `name`, with port 0, or getaddrinfo's reason why there is none.
  private static func lookUp(_ name: String, _ flags: Int32) -> (address: SocketAddress?, code: Int32) {
    var hints = addrinfo()
    hints.ai_flags = flags
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(name, nil, &hints, &list)
    defer { if let list { freeaddrinfo(list) } }
    guard code == 0, let raw = UnsafeRawPointer(list?.pointee.ai_addr) else { return (nil, code) }
    // Invariant: an entry of a successful look-up holds the address of the family it names.
    switch list?.pointee.ai_family {
    case AF_INET:
      let host = UInt32(bigEndian: raw.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr)
      return (SocketAddress(host: host, port: 0), 0)
    case AF_INET6:
      let address = raw.loadUnaligned(as: sockaddr_in6.self)
      // Invariant: an in6_addr is sixteen octets, lent for the call.
      return withUnsafeBytes(of: address.sin6_addr) {
        (SocketAddress(ipv6: $0, scope: address.sin6_scope_id, port: 0), 0)
      }
    default: return (nil, EAI_FAMILY)
    }
  }

  /// An IPv6 address as C libraries hold it.
  ///
  /// Invariant: there are sixteen octets.
  init(ipv6 octets: UnsafeRawBufferPointer, scope: UInt32, port: UInt16) {
    self.init(
      high: UInt64(bigEndian: octets.loadUnaligned(as: UInt64.self)),
      low: UInt64(bigEndian: octets.loadUnaligned(fromByteOffset: 8, as: UInt64.self)), scope: scope, port: port)
  }
}

extension String {
  /// What follows the "%" of an IPv6 address with a zone (RFC 4007, section 11).
  fileprivate var interface: String? {
    guard isIPv6Literal, let mark = firstIndex(of: "%") else { return nil }
    return String(self[mark...].dropFirst())
  }

  /// Whether it is an IPv6 address, with or without a zone.
  fileprivate var isIPv6Literal: Bool {
    let parts = split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    var address = in6_addr()
    return parts.last?.isEmpty == false && inet_pton(AF_INET6, String(parts[0]), &address) == 1
  }
}
