import CEpoll
import Glibc
import RTPMIDI

extension SocketAddress {
  /// Creates the address of `port` on 127.0.0.1 (0x7F00_0001).
  init(loopback port: UInt16) { self.init(host: 0x7F00_0001, port: port) }

  /// The address for the kernel: the port on 127.0.0.1. The host is ignored, because all sockets of this benchmark are local.
  fileprivate var sockaddr: sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}

/// A UDP socket on 127.0.0.1 with kernel receive time stamps.
struct LoopbackSocket {
  let descriptor: Int32

  /// - Throws: ``FollowersError`` if the port is in use or no descriptor is left.
  init(port: UInt16) throws(FollowersError) {
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else {
      throw FollowersError("socket: cannot be opened (\(String(cString: strerror(errno)))); raise `ulimit -n`")
    }
    var address = SocketAddress(loopback: port).sockaddr
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: Glibc.sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else {
      let reason = String(cString: strerror(errno))
      close(descriptor)
      throw FollowersError("port \(port): \(reason); choose other ports with --port")
    }
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Sends one datagram without waiting. Returns false if the kernel does not accept it.
  func send(_ bytes: [UInt8], to address: SocketAddress) -> Bool {
    var to = address.sockaddr
    return withUnsafePointer(to: &to) { pointer in
      pointer.withMemoryRebound(to: Glibc.sockaddr.self, capacity: 1) {
        sendto(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT), $0, socklen_t(MemoryLayout<sockaddr_in>.size))
          == bytes.count
      }
    }
  }
}
