import Foundation
import Glibc
import NIOCore

/// The addresses of this machine.
public enum LocalAddresses {
  /// An IPv4 address of a network interface.
  struct Candidate: Equatable {
    var address: String
    /// Whether the interface is a device with a link, such as a connected Wi-Fi adapter. A bridge, a tunnel, and the interface of a
    /// container are not devices.
    var isDevice: Bool
    /// Whether the interface has a broadcast address. Tunnels have none.
    var broadcasts: Bool
  }

  /// The IPv4 addresses that other machines may reach, in the order of the operating system.
  static func all() -> [String] { candidates().map(\.address).filter { !ListenAddress.isLoopback($0) } }

  /// The IPv4 address that phones and other machines in the same network can most likely reach; nil if there is none. Takes less than a
  /// millisecond.
  ///
  /// Real-time: not safe.
  public static func preferred() -> String? { preferred(of: candidates(), routed: routedAddress()) }

  /// The IPv4 addresses of all interfaces.
  private static func candidates() -> [Candidate] {
    ((try? System.enumerateDevices()) ?? []).compactMap { device in
      guard let address = device.address, address.protocol == .inet, let text = address.ipAddress else { return nil }
      // The files are described in Documentation/ABI/testing/sysfs-class-net of Linux. Only interfaces of hardware have `device`.
      let folder = "/sys/class/net/\(device.name)"
      let state = try? String(contentsOfFile: "\(folder)/operstate", encoding: .utf8)
      return Candidate(
        address: text,
        isDevice: FileManager.default.fileExists(atPath: "\(folder)/device") && ["up\n", "unknown\n"].contains(state),
        broadcasts: device.broadcastAddress != nil)
    }
  }

  /// Selects the best of `candidates`. Devices precede the other interfaces. Among equals, interfaces with a broadcast address precede the
  /// others. Among equals again, the interface of the default route precedes the others.
  ///
  /// - Parameter routed: the address of this machine on the interface of the default route; nil if it is unknown.
  static func preferred(of candidates: [Candidate], routed: String?) -> String? {
    func rank(_ candidate: Candidate) -> Int {
      (candidate.isDevice ? 4 : 0) + (candidate.broadcasts ? 2 : 0) + (candidate.address == routed ? 1 : 0)
    }
    // 169.254.0.0/16 is link-local (RFC 3927).
    let usable = candidates.filter {
      !ListenAddress.isLoopback($0.address) && !$0.address.hasPrefix("169.254.")
    }
    guard let highest = usable.map(rank).max() else { return nil }
    return usable.first { rank($0) == highest }?.address
  }

  /// The address of this machine on the interface of the default route; nil if there is none. For this look-up, a UDP socket is connected
  /// to an address in another network, and its source address is read. No datagram is sent.
  private static func routedAddress() -> String? {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    address.sin_family = sa_family_t(AF_INET)
    // 192.0.2.0/24 is reserved for documentation (RFC 5737), so this address is never in the local network. Any port will do.
    address.sin_addr.s_addr = inet_addr("192.0.2.1")
    address.sin_port = in_port_t(9).bigEndian
    let isKnown = withUnsafeMutableBytes(of: &address) { octets in
      guard let generic = octets.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
      return connect(descriptor, generic, length) == 0 && getsockname(descriptor, generic, &length) == 0
    }
    return isKnown ? SocketAddress(address).ipAddress : nil
  }
}
