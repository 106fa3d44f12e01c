import CRealtime
import Glibc
public import MusicalTime
public import RTPMIDI
import Realtime

/// A UDP socket for IPv4 and IPv6 with kernel time stamps for received datagrams.
///
/// Several threads may send at the same time; only one may receive. The socket is a plain descriptor, so that real-time
/// threads can hold it without reference counting. Its owner closes it.
public struct UDPSocket: Sendable, BitwiseCopyable {
  /// The properties of a received datagram.
  public struct Arrival: Sendable, BitwiseCopyable {
    /// The length of the datagram in octets. If it exceeds the capacity of the buffer, the datagram was truncated.
    public var length: Int
    /// The sender.
    public var from: SocketAddress
    /// The local address to which the datagram was sent.
    public var to: SocketAddress
    /// The arrival instant by the kernel's time stamp, converted to CLOCK_MONOTONIC.
    public var at: Instant
  }

  let descriptor: Int32
  /// The local port.
  public let port: UInt16
  /// Whether the socket accepts IPv6 and IPv4. If false, the kernel has no IPv6, and the socket accepts only IPv4.
  public let isDualStack: Bool

  init(descriptor: Int32, port: UInt16, isDualStack: Bool) {
    self.descriptor = descriptor
    self.port = port
    self.isDualStack = isDualStack
  }

  /// Closes the socket. It must not be used afterwards.
  ///
  /// Real-time: not safe.
  public func close() { Glibc.close(descriptor) }

  /// The number of datagrams that the kernel dropped because the receive buffer was full, or because of
  /// ``PortPair/dropForeignDatagrams()``, modulo 2^32.
  ///
  /// Real-time: safe.
  public var dropped: UInt32 {
    @_noLocks @_noAllocation get { realtime_dropped(descriptor) }
  }

  /// Sends one datagram of `count` octets without blocking.
  ///
  /// - Parameter local: the source address; its port is not used. If nil, the kernel chooses the address.
  /// - Returns: false if the kernel does not accept the datagram, if the socket does not support the address family, or if
  ///   this host no longer has the address `local`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func send(
    _ bytes: UnsafeRawPointer, count: Int, to address: SocketAddress, from local: SocketAddress? = nil
  ) -> Bool {
    let to = realtime_address(high: address.high, low: address.low, scope: address.scope, port: address.port)
    var from = realtime_address(high: 0, low: 0, scope: 0, port: 0)
    if let local { from = realtime_address(high: local.high, low: local.low, scope: local.scope, port: 0) }
    return realtime_send(descriptor, isDualStack ? 1 : 0, bytes, count, to, from) == 0
  }

  /// Sends one datagram without blocking.
  ///
  /// - Parameter local: the source address; its port is not used. If nil, the kernel chooses the address.
  /// - Returns: false if the kernel does not accept the datagram.
  ///
  /// Real-time: not safe.
  public func send(_ bytes: [UInt8], to address: SocketAddress, from local: SocketAddress? = nil) -> Bool {
    // Invariant: the pointer is used only during the call. Only an empty array can have no base address.
    bytes.withUnsafeBytes { $0.baseAddress.map { send($0, count: bytes.count, to: address, from: local) } ?? false }
  }

  /// Receives one datagram without blocking, and stores its first `room` octets in `bytes`.
  ///
  /// - Returns: nil if there is no datagram, or if the kernel reports an error.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func receive(into bytes: UnsafeMutableRawPointer, room: Int) -> Arrival? {
    var from = realtime_address(high: 0, low: 0, scope: 0, port: 0)
    var to = from
    var stamp: Int64 = 0
    let length = realtime_receive(descriptor, bytes, room, &from, &to, &stamp)
    guard length >= 0 else { return nil }
    return Arrival(
      length: Int(length),
      from: SocketAddress(high: from.high, low: from.low, scope: from.scope, port: from.port),
      to: SocketAddress(high: to.high, low: to.low, scope: to.scope, port: port),
      at: MonotonicClock.instant(ofRealtime: stamp))
  }
}
