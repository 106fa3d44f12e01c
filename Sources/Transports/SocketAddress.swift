import Glibc

/// A host, by its IPv4 or IPv6 address, and a UDP port. A trivial value.
public struct SocketAddress: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// The address's first eight octets, the first the highest.
  let high: UInt64
  /// Its last eight octets. An IPv4 address a.b.c.d is held as ::ffff:a.b.c.d (RFC 4291, section 2.5.5.2), the form in
  /// which a socket of both families meets it, and shown as a.b.c.d.
  let low: UInt64
  /// The interface on which a link-local IPv6 address (fe80::/10) means this host; 0 for all other addresses.
  public let scope: UInt32
  public var port: UInt16

  /// An IPv4 address, in host order.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(host: UInt32, port: UInt16) {
    self.init(high: 0, low: 0xFFFF << 32 | UInt64(host), scope: 0, port: port)
  }

  /// An IPv6 address by its first and its last eight octets, the first octet the highest, with the index of its interface
  /// where it is link-local.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(high: UInt64, low: UInt64, scope: UInt32 = 0, port: UInt16) {
    self.high = high
    self.low = low
    // Kernel and look-up tell the interface of link-local addresses alone. Equal hosts are to be equal.
    self.scope = high >> 54 == 0xFE80 >> 6 ? scope : 0
    self.port = port
  }

  /// Real-time: safe.
  public var isIPv6: Bool {
    @_noLocks @_noAllocation get { high != 0 || low >> 32 != 0xFFFF }
  }

  /// Whether it means only what is on the same wire, so that it needs a ``scope``: fe80::/10.
  ///
  /// Real-time: safe.
  public var isLinkLocal: Bool {
    @_noLocks @_noAllocation get { high >> 54 == 0xFE80 >> 6 }
  }

  /// Whether both are addresses of the same host, whatever their ports. A host may have several addresses.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func isSameHost(as other: SocketAddress) -> Bool {
    high == other.high && low == other.low && scope == other.scope
  }

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func == (a: SocketAddress, b: SocketAddress) -> Bool { a.isSameHost(as: b) && a.port == b.port }

  /// `192.168.1.20:5004`, `[fe80::1%eth0]:5004`.
  public var description: String { isIPv6 ? "[\(hostDescription)]:\(port)" : "\(hostDescription):\(port)" }

  /// The address without the port: `192.168.1.20`, `fe80::1%eth0`.
  public var hostDescription: String {
    guard isIPv6 else { return "\(low >> 24 & 255).\(low >> 16 & 255).\(low >> 8 & 255).\(low & 255)" }
    var address = in6_addr()
    // Invariant: an in6_addr is sixteen octets.
    withUnsafeMutableBytes(of: &address) {
      $0.storeBytes(of: high.bigEndian, as: UInt64.self)
      $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    let text = Self.text(room: Int(INET6_ADDRSTRLEN)) { inet_ntop(AF_INET6, &address, $0, socklen_t(INET6_ADDRSTRLEN)) }
    guard scope != 0 else { return text ?? "" }
    let interface = Self.text(room: Int(IF_NAMESIZE)) { if_indextoname(scope, $0) }
    return "\(text ?? "")%\(interface ?? "\(scope)")"
  }

  /// What `write` leaves in a buffer of `room` octets, nil when it fails.
  private static func text<Result>(room: Int, _ write: (UnsafeMutablePointer<CChar>) -> Result?) -> String? {
    // Invariant: `write` stays within the room and ends what it writes with NUL; the pointer is used in the call alone.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: room) { buffer in
      guard let start = buffer.baseAddress, write(start) != nil else { return nil }
      return String(cString: start)
    }
  }
}
