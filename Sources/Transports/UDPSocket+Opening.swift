import Glibc

// Opening and binding of sockets.
extension UDPSocket {
  /// Opens a socket for IPv6 and IPv4 (RFC 3493, section 5.3), or only for IPv4 if the kernel has no IPv6, and binds
  /// `port` on all interfaces.
  ///
  /// - Parameters:
  ///   - port: the UDP port; 0 binds any free port.
  ///   - role: what the port is for, in the text of an error.
  /// - Throws: ``TransportError`` if the port is in use or not permitted.
  ///
  /// Real-time: not safe.
  public init(port: UInt16, role: String? = nil) throws(TransportError) {
    var (socket, code) = Self.open(port, isDualStack: true)
    // EAFNOSUPPORT and EADDRNOTAVAIL are the errors of a kernel that was built or started without IPv6.
    if socket == nil, [EAFNOSUPPORT, EADDRNOTAVAIL].contains(code) {
      (socket, code) = Self.open(port, isDualStack: false)
    }
    guard let socket else { throw Self.error(code, port: port, role: role) }
    self = socket
  }

  /// Opens a socket for IPv6 and IPv4, or only for IPv4. Returns nil and the errno on failure.
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
    // The kernel reports the local address to which each datagram was sent.
    set(descriptor, Int32(IPPROTO_IP), IP_PKTINFO, 1)
    if isDualStack { set(descriptor, Int32(IPPROTO_IPV6), IPV6_RECVPKTINFO, 1) }
    // Networks that honour DSCP give the ticks priority. The DSCP is 46 (class EF), which RFC 4594 recommends for telephony: traffic
    // that needs low delay and jitter. The DSCP is in the upper six bits of the octet.
    set(descriptor, Int32(IPPROTO_IP), IP_TOS, 46 << 2)
    if isDualStack { set(descriptor, Int32(IPPROTO_IPV6), IPV6_TCLASS, 46 << 2) }
    // The buffers have 1 MiB, because a thousand peers can send within the same millisecond, and the local peer can send to all
    // of them. With the options ending in FORCE, a process with CAP_NET_ADMIN always gets this size. Other processes get at most
    // net.core.rmem_max and net.core.wmem_max.
    if !set(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, 1 << 20) { set(descriptor, SOL_SOCKET, SO_RCVBUF, 1 << 20) }
    if !set(descriptor, SOL_SOCKET, SO_SNDBUFFORCE, 1 << 20) { set(descriptor, SOL_SOCKET, SO_SNDBUF, 1 << 20) }
    return (UDPSocket(descriptor: descriptor, port: port, isDualStack: isDualStack), 0)
  }

  /// Binds `port` on all interfaces. Returns the bound port, or nil and sets errno on failure.
  private static func bind(_ descriptor: Int32, _ family: Int32, _ port: UInt16) -> UInt16? {
    // Both address structures begin with family and port. The rest is zero, which means all interfaces.
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(family)
    address.sin6_port = port.bigEndian
    var length = socklen_t(family == AF_INET6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
    // Invariant: the structure has at least `length` octets, and no more are read or written.
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    return isBound ? UInt16(bigEndian: address.sin6_port) : nil
  }

  /// Sets a socket option of integer type. Returns whether the kernel accepted it.
  @discardableResult
  private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) -> Bool {
    withUnsafePointer(to: value) {
      setsockopt(descriptor, level, option, $0, socklen_t(MemoryLayout<Int32>.size)) == 0
    }
  }

  /// Returns the error for errno `code`.
  private static func error(_ code: Int32, port: UInt16, role: String?) -> TransportError {
    let reason = String(cString: strerror(code))
    let subject = "UDP port \(port)" + (role.map { " (\($0))" } ?? "")
    switch code {
    case EMFILE, ENFILE, ENOBUFS, ENOMEM:
      return TransportError("UDP socket: cannot be created (\(reason)); close other programs")
    case EACCES:
      return TransportError(
        "\(subject): \(reason) (ports below 1024 require CAP_NET_BIND_SERVICE); choose another with --port")
    default:
      return TransportError("\(subject): \(reason); choose another with --port N (a peer uses N and N + 1)")
    }
  }
}
