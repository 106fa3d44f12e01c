public import BasicContainers
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

/// The error for a socket, port, address or service that cannot be used.
///
/// Real-time: not safe.
public struct TransportError: Error, CustomStringConvertible {
  /// The thing, the reason and the remedy in one line.
  public let description: String
  /// Whether the cause is a temporary failure of the name resolution, so that the same attempt can succeed later.
  public let isTemporary: Bool
  /// Creates an error with the given description.
  public init(_ description: String, isTemporary: Bool = false) {
    (self.description, self.isTemporary) = (description, isTemporary)
  }
}

extension UDPSocket {
  /// Sends a packet without blocking.
  ///
  /// - Parameter local: the source address; its port is not used. If nil, the kernel chooses the address.
  /// - Returns: false if the packet is longer than ``Datagram/capacity`` or the kernel does not accept it.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func send(
    _ packet: borrowing RigidArray<UInt8>, to address: SocketAddress, from local: SocketAddress? = nil
  ) -> Bool {
    sendCopy(of: packet, stampedAt: nil, to: address, from: local) != nil
  }

  /// Stores the send instant in a packet and sends the packet without blocking.
  ///
  /// The send instant is a 64-bit big-endian number of nanoseconds of CLOCK_MONOTONIC. The packet is copied before the
  /// clock is read, so that the work between the clock reading and the system call does not depend on the packet. The
  /// delay from the clock reading to the kernel is then equal for packets in both directions, and cancels out in the
  /// measurement of the offset of two clocks.
  ///
  /// - Parameters:
  ///   - offset: the position of the eight octets of the send instant in the packet.
  ///   - local: the source address; its port is not used. If nil, the kernel chooses the address.
  /// - Returns: the send instant; nil if the packet is longer than ``Datagram/capacity``, too short for `offset`, or not
  ///   accepted by the kernel.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func send(
    _ packet: borrowing RigidArray<UInt8>, stampedAt offset: Int, to address: SocketAddress,
    from local: SocketAddress? = nil
  ) -> Instant? {
    guard offset >= 0, offset <= packet.count - 8 else { return nil }
    return sendCopy(of: packet, stampedAt: offset, to: address, from: local)
  }

  /// Sends a copy of a packet. If `offset` is not nil, stores the send instant at `offset` of the copy.
  ///
  /// The packet is copied, because the array provides its octets only as a Span. The compiler rejects a local Span in
  /// real-time code. Nearly all packets are short, so they use a smaller copy than the longest packets.
  ///
  /// - Returns: the send instant, or an arbitrary instant if `offset` is nil; nil if the packet was not sent.
  @_noLocks @_noAllocation
  private func sendCopy(
    of packet: borrowing RigidArray<UInt8>, stampedAt offset: Int?, to address: SocketAddress,
    from local: SocketAddress?
  ) -> Instant? {
    let count = packet.count
    if count <= 256 {
      var octets = InlineArray<256, UInt8>(repeating: 0)
      for index in 0..<count { octets[index] = packet[index] }
      // Invariant: the pointer covers the inline array and is used only during the call.
      return withUnsafeMutablePointer(to: &octets) {
        send(UnsafeMutableRawPointer($0), count: count, stampedAt: offset, to: address, from: local)
      }
    }
    guard count <= Datagram.capacity else { return nil }
    // 1472 is `Datagram.capacity`. The size of an InlineArray must be a literal.
    var octets = InlineArray<1472, UInt8>(repeating: 0)
    for index in 0..<count { octets[index] = packet[index] }
    // Invariant: the pointer covers the inline array and is used only during the call.
    return withUnsafeMutablePointer(to: &octets) {
      send(UnsafeMutableRawPointer($0), count: count, stampedAt: offset, to: address, from: local)
    }
  }

  /// Sends `count` octets. If `offset` is not nil, stores the send instant there.
  ///
  /// Invariant: `octets` points to at least `count` octets, and `offset + 8 <= count`.
  ///
  /// - Returns: the send instant, or an arbitrary instant if `offset` is nil; nil if the kernel does not accept the packet.
  @_noLocks @_noAllocation
  private func send(
    _ octets: UnsafeMutableRawPointer, count: Int, stampedAt offset: Int?, to address: SocketAddress,
    from local: SocketAddress?
  ) -> Instant? {
    var now = Instant(nanoseconds: 0)
    if let offset {
      now = MonotonicClock.now
      octets.storeBytes(of: now.nanoseconds.bigEndian, toByteOffset: offset, as: Int64.self)
    }
    return send(octets, count: count, to: address, from: local) ? now : nil
  }
}
