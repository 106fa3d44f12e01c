import Glibc
public import RTPMIDI

// Conversion of text to addresses.
extension SocketAddress {
  /// Resolves `text` to an address. If a name has several addresses, uses the first one of `getaddrinfo` (RFC 6724).
  /// Can query a name server and take seconds.
  ///
  /// - Parameters:
  ///   - text: `HOST:PORT` or `[IPV6]:PORT`. The port can be omitted; an IPv6 address then needs no brackets.
  ///   - defaultPort: the port if `text` contains none.
  /// - Throws: ``TransportError`` if the text is not an address or the host is unknown.
  ///
  /// Real-time: not safe.
  public init(resolving text: String, defaultPort: UInt16 = 5004) throws(TransportError) {
    self = try Self.all(resolving: text, defaultPort: defaultPort)[0]
  }

  /// Resolves `text` as ``init(resolving:defaultPort:)`` does, and returns all addresses, at least one, in the order of
  /// `getaddrinfo` (RFC 6724).
  ///
  /// - Parameter form: what the user writes before an address in this place, such as `--connect `, for the error.
  /// - Throws: ``TransportError`` if the text is not an address or the host is unknown.
  ///
  /// Real-time: not safe.
  public static func all(
    resolving text: String, defaultPort: UInt16 = 5004, form: String = ""
  ) throws(TransportError) -> [SocketAddress] {
    let (name, port) = try parts(of: text, defaultPort: defaultPort)
    // An interface is given by its name or its index. An index is not checked.
    if let interface = name.interface, if_nametoindex(interface) == 0, UInt32(interface) == nil {
      throw TransportError("interface \(interface) of \(name): not found; give an interface that `ip link` lists")
    }
    // A numeric address needs no look-up. For a name, ask only for address families that this machine has.
    var (found, code) = lookUp(name, AI_NUMERICHOST)
    if found.isEmpty { (found, code) = lookUp(name, AI_ADDRCONFIG) }
    guard !found.isEmpty else {
      throw .unknownHost(text, String(cString: gai_strerror(code)), form: form, isTemporary: code == EAI_AGAIN)
    }
    // A link-local address is usable only with its interface.
    let addresses = found.filter { !$0.isLinkLocal || $0.scope != 0 }
    guard !addresses.isEmpty else {
      throw TransportError(
        "host \(name): its link-local address requires an interface; write for example [fe80::1%eth0]:5004")
    }
    return addresses.map { SocketAddress(high: $0.high, low: $0.low, scope: $0.scope, port: port) }
  }

  /// Whether `text` is a numeric address as `HOST:PORT` or `[IPV6]:PORT`. Resolves no names, and checks no interface.
  ///
  /// Real-time: not safe.
  public static func isNumeric(_ text: String) -> Bool {
    guard let (name, _) = try? parts(of: text) else { return false }
    return name.isIPv6Literal || !lookUp(name, AI_NUMERICHOST).addresses.isEmpty
  }

  /// Splits `HOST:PORT` or `[IPV6]:PORT`, each with or without a port, into host and port. Does not resolve the host.
  ///
  /// - Throws: ``TransportError`` if the text has another form or is a link-local address without an interface.
  ///
  /// Real-time: not safe.
  @discardableResult
  public static func parts(
    of text: String, defaultPort: UInt16 = 5004
  ) throws(TransportError) -> (host: String, port: UInt16) {
    let (name, portText) = split(text)
    // Only a missing port is replaced by `defaultPort`: a text that is not a number gives nil. The maximum is 65534,
    // because the data port is the next port.
    guard let name, let port = portText.map({ UInt16($0) }) ?? defaultPort, (1...65534).contains(port) else {
      throw TransportError(
        "address \(text): neither HOST nor HOST:PORT with a port from 1 to 65534; write for example 192.168.1.20:5004, "
          + "or [fd00::20]:5004")
    }
    if name.isIPv6Literal, name.interface == nil, let address = lookUp(name, AI_NUMERICHOST).addresses.first,
      address.isLinkLocal
    {
      throw TransportError(
        "address \(text): a link-local address requires an interface; write for example [fe80::1%eth0]:5004")
    }
    return (name, port)
  }

  /// Splits `text` into the host and the text of the port. The host is nil if `text` is invalid. The port is nil if `text`
  /// contains none.
  private static func split(_ text: String) -> (host: String?, port: Substring?) {
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return (nil, nil) }
      let (name, rest) = (String(text[..<end].dropFirst()), text[end...].dropFirst())
      guard name.isIPv6Literal, rest.isEmpty || rest.hasPrefix(":") else { return (nil, nil) }
      return (name, rest.isEmpty ? nil : rest.dropFirst())
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    // With several colons, only an IPv6 address without brackets and without a port is valid.
    if parts.count > 2 { return (text.isIPv6Literal ? text : nil, nil) }
    return (parts[0].isEmpty ? nil : String(parts[0]), parts.count == 2 ? parts[1] : nil)
  }

  /// Calls `getaddrinfo` with `flags`. Returns the addresses of `name` with port 0. If there are none, `code` is the error
  /// code of `getaddrinfo`, or EAI_FAMILY if it found only other address families.
  private static func lookUp(_ name: String, _ flags: Int32) -> (addresses: [SocketAddress], code: Int32) {
    var hints = addrinfo()
    hints.ai_flags = flags
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(name, nil, &hints, &list)
    defer { if let list { freeaddrinfo(list) } }
    guard code == 0 else { return ([], code) }
    var addresses: [SocketAddress] = []
    var entry = list
    while let current = entry?.pointee {
      if let address = SocketAddress(current) { addresses.append(address) }
      entry = current.ai_next
    }
    return (addresses, EAI_FAMILY)
  }

  /// Creates the address of `entry` with port 0. Returns nil for a family other than IPv4 and IPv6.
  ///
  /// Invariant: in a successful look-up, the address of each entry has the family of the entry.
  private init?(_ entry: addrinfo) {
    guard let raw = UnsafeRawPointer(entry.ai_addr) else { return nil }
    switch entry.ai_family {
    case AF_INET:
      self.init(host: UInt32(bigEndian: raw.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr), port: 0)
    case AF_INET6:
      let address = raw.loadUnaligned(as: sockaddr_in6.self)
      // Invariant: an in6_addr has 16 octets. The pointer is used only during the call.
      self = withUnsafeBytes(of: address.sin6_addr) {
        SocketAddress(ipv6: $0, scope: address.sin6_scope_id, port: 0)
      }
    default: return nil
    }
  }

  /// Returns the canonical form of an IPv6 address: the form of ``description`` if `text` contains a port, otherwise the form of
  /// ``hostDescription``. Returns any other text unchanged. Resolves no names.
  ///
  /// Real-time: not safe.
  public static func canonical(_ text: String) -> String {
    let (name, port) = split(text)
    guard let name, name.isIPv6Literal, var address = lookUp(name, AI_NUMERICHOST).addresses.first else { return text }
    guard let port else { return address.hostDescription }
    guard let number = UInt16(port) else { return text }
    address.port = number
    return address.description
  }

  /// Creates the address from the octets of an `in6_addr`.
  ///
  /// Invariant: `octets` has at least 16 octets.
  init(ipv6 octets: UnsafeRawBufferPointer, scope: UInt32, port: UInt16) {
    self.init(
      high: UInt64(bigEndian: octets.loadUnaligned(as: UInt64.self)),
      low: UInt64(bigEndian: octets.loadUnaligned(fromByteOffset: 8, as: UInt64.self)), scope: scope, port: port)
  }
}

extension TransportError {
  /// The error for a host whose name is not found, or not yet.
  ///
  /// - Parameters:
  ///   - text: `HOST` or `HOST:PORT`.
  ///   - form: what the user writes before an address in this place, such as `--connect `.
  ///
  /// Real-time: not safe.
  public static func unknownHost(
    _ text: String, _ reason: String, form: String = "", isTemporary: Bool = true
  ) -> TransportError {
    let (host, port) = (try? SocketAddress.parts(of: text)) ?? (text, 5004)
    return TransportError(
      "\(host): no machine of this name was found (\(reason)); give its address, for example \(form)192.168.1.21:\(port)",
      isTemporary: isTemporary)
  }
}

extension String {
  /// The interface of an IPv6 address with a zone: the text after "%" (RFC 4007, section 11).
  fileprivate var interface: String? {
    guard isIPv6Literal, let mark = firstIndex(of: "%") else { return nil }
    return String(self[mark...].dropFirst())
  }

  /// Whether the text is an IPv6 address, with or without a zone.
  fileprivate var isIPv6Literal: Bool {
    let parts = split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    var address = in6_addr()
    // The last part is the zone, if there is one. An empty zone (`fe80::1%`) is invalid.
    return parts.last?.isEmpty == false && inet_pton(AF_INET6, String(parts[0]), &address) == 1
  }
}
