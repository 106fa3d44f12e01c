import Foundation
import _TestSupport

/// A TCP connection on which a test sends and receives octets.
final class RawConnection {
  private let descriptor: Int32

  /// Connects to a port of this machine. Sending and receiving give up after ``Child/patience``.
  init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
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
    var limit = timeval(tv_sec: Int(Child.patience.components.seconds), tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  struct Failure: Error, CustomStringConvertible { let description: String }

  /// Sends octets. Returns false if the connection is closed.
  @discardableResult
  func send(_ octets: [UInt8]) -> Bool {
    Foundation.send(descriptor, octets, octets.count, Int32(MSG_NOSIGNAL)) == octets.count
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Receives some octets; empty if the connection is closed, or if nothing arrives for ``Child/patience``.
  func receive(_ maximum: Int = 65_536) -> [UInt8] {
    var octets = [UInt8](repeating: 0, count: maximum)
    let count = recv(descriptor, &octets, maximum, 0)
    return count > 0 ? Array(octets.prefix(count)) : []
  }

  /// Receives until the connection is closed.
  func receiveAll() -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let octets = receive()
      if octets.isEmpty { return all }
      all += octets
    }
  }
}
