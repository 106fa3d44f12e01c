/// A host, by its IPv4 or IPv6 address, and a UDP port. A trivial value.
public struct SocketAddress: Hashable, Sendable, BitwiseCopyable {
  /// The address's first eight octets, the first the highest.
  public let high: UInt64
  /// Its last eight octets. An IPv4 address a.b.c.d is held as ::ffff:a.b.c.d (RFC 4291, section 2.5.5.2), the form in
  /// which a socket of both families meets it.
  public let low: UInt64
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
}
