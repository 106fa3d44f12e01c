import CRealtime
import Glibc
public import MusicalTime
import Realtime

/// A UDP socket of IPv4 whose arrivals carry the kernel's time stamps. Several threads may send at once; one receives.
/// It is a plain descriptor, so that real-time threads hold it without reference counting: whoever opened it closes it.
public struct UDPSocket: Sendable, BitwiseCopyable {
  /// What arrived.
  public struct Arrival: Sendable, BitwiseCopyable {
    /// The datagram's length, which exceeds the room given when its end was cut off.
    public var length: Int
    public var from: SocketAddress
    /// When the kernel took it from the network, in CLOCK_MONOTONIC.
    public var at: Instant
  }

  let descriptor: Int32
  public let port: UInt16

  /// Binds `port` on all interfaces; 0 takes any free one.
  ///
  /// - Throws: ``TransportError`` when the port is taken or not allowed.
  ///
  /// Real-time: not safe.
  public init(port: UInt16) throws(TransportError) {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else {
      throw TransportError("UDP socket: not to be had (\(String(cString: strerror(errno)))); close other programs")
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { sockaddr in
        bind(descriptor, sockaddr, length) == 0 && getsockname(descriptor, sockaddr, &length) == 0 ? 0 : errno
      }
    }
    guard code == 0 else {
      Glibc.close(descriptor)
      let remedy = "\(code == EACCES ? "ports below 1024 need the right to them; " : "")choose another with --port"
      throw TransportError("UDP port \(port): \(String(cString: strerror(code))); \(remedy)")
    }
    self.descriptor = descriptor
    self.port = UInt16(bigEndian: address.sin_port)
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, &on, socklen_t(MemoryLayout<Int32>.size))
    // Ticks go before other traffic where the network looks at it: DSCP EF, as RFC 4594 has it for real-time media.
    var expedited: Int32 = 46 << 2
    setsockopt(descriptor, Int32(IPPROTO_IP), IP_TOS, &expedited, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Gives the port back. Nobody may use the socket any more.
  ///
  /// Real-time: not safe.
  public func close() { Glibc.close(descriptor) }

  /// Sends one datagram, never waiting; false when the kernel would not take it.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func send(_ bytes: UnsafeRawPointer, count: Int, to address: SocketAddress) -> Bool {
    realtime_send(descriptor, bytes, count, address.host, address.port) == 0
  }

  /// Sends one datagram, never waiting; false when the kernel would not take it.
  ///
  /// Real-time: not safe.
  public func send(_ bytes: [UInt8], to address: SocketAddress) -> Bool {
    // Invariant: the pointer is used within the call alone.
    bytes.withUnsafeBytes { $0.baseAddress.map { send($0, count: bytes.count, to: address) } ?? false }
  }

  /// Takes one datagram if one is there, its first `room` octets.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func receive(into bytes: UnsafeMutableRawPointer, room: Int) -> Arrival? {
    var host: UInt32 = 0
    var port: UInt16 = 0
    var stamp: Int64 = 0
    let length = realtime_receive(descriptor, bytes, room, &host, &port, &stamp)
    guard length >= 0 else { return nil }
    return Arrival(
      length: Int(length), from: SocketAddress(host: host, port: port), at: MonotonicClock.instant(ofRealtime: stamp))
  }
}
