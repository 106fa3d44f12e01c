import Glibc

extension UDPSocket {
  /// Binds `port` on all interfaces, for IPv6 and IPv4 by one socket (RFC 3493, section 5.3), for IPv4 alone where the
  /// kernel has no IPv6. 0 takes any free port.
  ///
  /// - Throws: ``TransportError`` when the port is taken or not allowed.
  ///
  /// Real-time: not safe.
  public init(port: UInt16) throws(TransportError) {
    var (socket, code) = Self.open(port, isDualStack: true)
    // What a kernel says that was built or started without IPv6.
    if socket == nil, [EAFNOSUPPORT, EADDRNOTAVAIL].contains(code) {
      (socket, code) = Self.open(port, isDualStack: false)
    }
    guard let socket else { throw Self.error(code, port: port) }
    self = socket
  }

  /// Binds `port` for both families or for IPv4 alone; the errno when that fails.
  static func open(_ port: UInt16, isDualStack: Bool) -> (socket: UDPSocket?, code: Int32) {
    let family = isDualStack ? AF_INET6 : AF_INET
    let descriptor = socket(family, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return (nil, errno) }
    if isDualStack { set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0) }
    guard let port = bind(descriptor, family, port) else {
      let code = errno
      Glibc.close(descriptor)
      return (nil, code)
    }
    set(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, 1)
    // Ticks go before other traffic where the network looks at it: DSCP EF, as RFC 4594 has it for real-time media.
    set(descriptor, Int32(IPPROTO_IP), IP_TOS, 46 << 2)
    if isDualStack { set(descriptor, Int32(IPPROTO_IPV6), IPV6_TCLASS, 46 << 2) }
    // A thousand peers may send within the same millisecond, and so may this one to all of them. The kernel grants
    // as much only to who may administer the network, else as much as net.core.rmem_max and wmem_max.
    if !set(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, 1 << 20) { set(descriptor, SOL_SOCKET, SO_RCVBUF, 1 << 20) }
    if !set(descriptor, SOL_SOCKET, SO_SNDBUFFORCE, 1 << 20) { set(descriptor, SOL_SOCKET, SO_SNDBUF, 1 << 20) }
    return (UDPSocket(descriptor: descriptor, port: port, isDualStack: isDualStack), 0)
  }

  /// Binds `port`, on all interfaces, and gives the port bound; nil, with errno, when that fails.
  private static func bind(_ descriptor: Int32, _ family: Int32, _ port: UInt16) -> UInt16? {
    // Both families begin with family and port; the rest is zero, which means all interfaces.
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(family)
    address.sin6_port = port.bigEndian
    var length = socklen_t(family == AF_INET6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
    // Invariant: `length` octets of the address are there, and no more are read or written.
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    return isBound ? UInt16(bigEndian: address.sin6_port) : nil
  }

  /// Sets a socket option that is a number: whether the kernel took it.
  @discardableResult
  private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) -> Bool {
    withUnsafePointer(to: value) {
      setsockopt(descriptor, level, option, $0, socklen_t(MemoryLayout<Int32>.size)) == 0
    }
  }

  private static func error(_ code: Int32, port: UInt16) -> TransportError {
    let reason = String(cString: strerror(code))
    switch code {
    case EMFILE, ENFILE, ENOBUFS, ENOMEM:
      return TransportError("UDP socket: not to be had (\(reason)); close other programs")
    case EACCES:
      return TransportError(
        "UDP port \(port): \(reason); ports below 1024 need the right to them; choose another with --port")
    default: return TransportError("UDP port \(port): \(reason); choose another with --port")
    }
  }
}
