/// The IPv4 or IPv6 address of a host, and a UDP port. A trivial value.
public struct SocketAddress: Hashable, Sendable, BitwiseCopyable {
  /// The first eight octets of the address, big-endian.
  public let high: UInt64
  /// The last eight octets of the address, big-endian. An IPv4 address a.b.c.d is stored as ::ffff:a.b.c.d (RFC 4291,
  /// section 2.5.5.2), the form that a dual-stack socket reports.
  public let low: UInt64
  /// The index of the interface of a link-local IPv6 address (fe80::/10); 0 for all other addresses.
  public let scope: UInt32
  /// The UDP port.
  public var port: UInt16

  /// Creates an IPv4 address.
  ///
  /// - Parameter host: the address in host byte order.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(host: UInt32, port: UInt16) {
    self.init(high: 0, low: 0xFFFF << 32 | UInt64(host), scope: 0, port: port)
  }

  /// Creates an IPv6 address from its first and last eight octets, big-endian.
  ///
  /// - Parameter scope: the index of the interface of a link-local address; ignored for other addresses.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(high: UInt64, low: UInt64, scope: UInt32 = 0, port: UInt16) {
    self.high = high
    self.low = low
    // The kernel and the resolver report the interface of link-local addresses (fe80::/10) only. Two values for one
    // host must be equal, so the scope of other addresses is 0.
    self.scope = high >> 54 == 0xFE80 >> 6 ? scope : 0
    self.port = port
  }

  /// Whether this is an IPv6 address, not an IPv4 address.
  ///
  /// Real-time: safe.
  public var isIPv6: Bool {
    @_noLocks @_noAllocation get { high != 0 || low >> 32 != 0xFFFF }
  }

  /// Whether the address is link-local (fe80::/10), that is, unique only together with ``scope``.
  ///
  /// Real-time: safe.
  public var isLinkLocal: Bool {
    // The first ten bits of fe80::/10.
    @_noLocks @_noAllocation get { high >> 54 == 0xFE80 >> 6 }
  }

  /// Whether this is a loopback address (127.0.0.0/8 or ::1).
  ///
  /// Real-time: safe.
  public var isLoopback: Bool {
    @_noLocks @_noAllocation get { high == 0 && (low == 1 || !isIPv6 && low >> 24 & 0xFF == 127) }
  }

  /// Returns whether both addresses are equal apart from the port. A host with several addresses counts as several hosts.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func isSameHost(as other: SocketAddress) -> Bool {
    high == other.high && low == other.low && scope == other.scope
  }

  // Written out, because an operator that the compiler derives lacks the annotations for real-time code.
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func == (a: SocketAddress, b: SocketAddress) -> Bool { a.isSameHost(as: b) && a.port == b.port }
}
