import Glibc
public import RTPMIDI

/// An address as people write it, an IPv4 address as a.b.c.d.
extension SocketAddress: CustomStringConvertible {
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
