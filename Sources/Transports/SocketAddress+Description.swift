import Glibc
public import RTPMIDI

/// The text form of an address. IPv4 addresses have the form a.b.c.d.
extension SocketAddress: CustomStringConvertible {
  /// The address with the port: `192.168.1.20:5004`, `[fe80::1%eth0]:5004`.
  ///
  /// Real-time: not safe.
  public var description: String { isIPv6 ? "[\(hostDescription)]:\(port)" : "\(hostDescription):\(port)" }

  /// The address without the port: `192.168.1.20`, `fe80::1%eth0`.
  ///
  /// Real-time: not safe.
  public var hostDescription: String {
    // The last four octets are the IPv4 address.
    guard isIPv6 else { return "\(low >> 24 & 255).\(low >> 16 & 255).\(low >> 8 & 255).\(low & 255)" }
    var address = in6_addr()
    // Invariant: an in6_addr has 16 octets.
    withUnsafeMutableBytes(of: &address) {
      $0.storeBytes(of: high.bigEndian, as: UInt64.self)
      $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    // Not nil, because the buffer has space for every address.
    let text = Self.text(capacity: Int(INET6_ADDRSTRLEN)) {
      inet_ntop(AF_INET6, &address, $0, socklen_t(INET6_ADDRSTRLEN))
    }
    guard scope != 0 else { return text ?? "" }
    // Nil if the interface does not exist any longer. Its index then stands for its name.
    let interface = Self.text(capacity: Int(IF_NAMESIZE)) { if_indextoname(scope, $0) }
    return "\(text ?? "")%\(interface ?? "\(scope)")"
  }

  /// Returns the text that `write` stores in a buffer of `capacity` octets, or nil if `write` returns nil.
  private static func text<Result>(capacity: Int, _ write: (UnsafeMutablePointer<CChar>) -> Result?) -> String? {
    // Invariant: `write` writes at most `capacity` octets, including a terminating NUL. The pointer is used only during
    // the call.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
      guard let start = buffer.baseAddress, write(start) != nil else { return nil }
      return String(cString: start)
    }
  }
}
