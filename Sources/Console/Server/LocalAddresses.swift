import NIOCore

/// The addresses of this machine.
enum LocalAddresses {
  /// The IPv4 addresses that other machines may reach, in the order of the operating system.
  static func all() -> [String] {
    ((try? System.enumerateDevices()) ?? []).compactMap { device in
      device.address.flatMap { $0.protocol == .inet ? $0.ipAddress : nil }
    }.filter { !ListenAddress.isLoopback($0) }
  }

  /// The IPv4 address that other machines most likely reach; nil if there is none.
  static func preferred() -> String? {
    let addresses = all()
    // Virtual bridges of containers usually have addresses from 172.16.0.0/12.
    return addresses.first { !$0.hasPrefix("172.") } ?? addresses.first
  }
}
