import CEpoll
import Glibc
import RTPMIDI

/// A buffer for one datagram and its ancillary data. The memory is allocated once, so receiving allocates nothing.
final class DatagramBuffer {
  private static let size = 2048
  // Invariant: the four blocks are allocated in init and freed in deinit. `message` points only into these blocks. The octets of the
  // datagram are the first `count` octets of `octets`.
  private let octets = UnsafeMutablePointer<UInt8>.allocate(capacity: DatagramBuffer.size)
  private let from = UnsafeMutablePointer<sockaddr_in>.allocate(capacity: 1)
  private let part = UnsafeMutablePointer<iovec>.allocate(capacity: 1)
  private let control = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 16)
  private var message = msghdr()
  /// The number of octets of the datagram; negative if none was received.
  private(set) var count = 0
  /// The kernel receive time stamp in nanoseconds of CLOCK_REALTIME; 0 if there is none.
  private(set) var stamp: Int64 = 0

  init() {
    octets.initialize(repeating: 0, count: Self.size)
    from.initialize(to: sockaddr_in())
    part.initialize(to: iovec(iov_base: octets, iov_len: Self.size))
    message.msg_name = UnsafeMutableRawPointer(from)
    message.msg_iov = part
    message.msg_iovlen = 1
    message.msg_control = control
  }

  deinit {
    octets.deallocate()
    from.deallocate()
    part.deallocate()
    control.deallocate()
  }

  /// Receives the oldest datagram in the queue of `socket`. Returns false if the queue is empty.
  func receive(from socket: LoopbackSocket) -> Bool {
    message.msg_namelen = socklen_t(MemoryLayout<sockaddr_in>.size)
    message.msg_controllen = 256
    count = recvmsg(socket.descriptor, &message, Int32(MSG_DONTWAIT))
    guard count >= 0 else { return false }
    stamp = arrival_stamp(&message)
    return true
  }

  /// The port on 127.0.0.1 that sent the datagram.
  var sender: SocketAddress { SocketAddress(loopback: UInt16(bigEndian: from.pointee.sin_port)) }

  /// The octets of the datagram, valid until the next datagram is received.
  var datagram: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: octets, count: count) }
}
