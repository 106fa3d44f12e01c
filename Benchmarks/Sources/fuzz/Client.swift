import Glibc

/// A TCP connection to a port of this machine.
final class Client {
  struct Failure: Error, CustomStringConvertible { let description: String }

  /// The time in which the server must answer in seconds. An answer at once takes less than a second on a busy machine.
  private static let patience = 5

  private let descriptor: Int32

  init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var enabled: Int32 = 1
    // Thousands of connections stay in the state TIME_WAIT for a minute. A server may listen at their ports in the meantime.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &enabled, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw Failure(description: "port \(port): \(String(cString: strerror(errno)))") }
    var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    // Each segment is sent at once.
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &enabled, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit { close(descriptor) }

  /// Sends octets. If the server has closed the connection, they are lost.
  func send(_ octets: [UInt8]) { _ = Glibc.send(descriptor, octets, octets.count, Int32(MSG_NOSIGNAL)) }

  /// Sends the end of the octets.
  func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Receives some octets; empty if the server has closed the connection.
  func receive() -> [UInt8] {
    var octets = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &octets, octets.count, 0)
    return count > 0 ? Array(octets.prefix(count)) : []
  }

  /// Receives until the server closes the connection.
  ///
  /// - Throws: ``Failure`` if the server does not close the connection in time, or resets it.
  func receiveAll() throws -> [UInt8] {
    var all: [UInt8] = []
    var octets = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &octets, octets.count, 0)
      guard count >= 0 else { throw Failure(description: "answer: \(String(cString: strerror(errno)))") }
      guard count > 0 else { return all }
      all += octets[..<count]
    }
  }
}
