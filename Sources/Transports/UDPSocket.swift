import CRealtime
import Glibc
public import MusicalTime
public import RTPMIDI
import Realtime

/// A UDP socket of IPv4 and IPv6 whose arrivals carry the kernel's time stamps. Several threads may send at once; one
/// receives. It is a plain descriptor, so that real-time threads hold it without reference counting: whoever opened it
/// closes it.
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
  /// Whether it takes both families; IPv4 alone where the kernel has no IPv6.
  public let isDualStack: Bool

  init(descriptor: Int32, port: UInt16, isDualStack: Bool) {
    self.descriptor = descriptor
    self.port = port
    self.isDualStack = isDualStack
  }

  /// Gives the port back. Nobody may use the socket any more.
  ///
  /// Real-time: not safe.
  public func close() { Glibc.close(descriptor) }

  /// How many datagrams the kernel has thrown away so far, modulo 2^32, because nobody took them in time and the socket
  /// had no room for more.
  ///
  /// Real-time: safe.
  public var dropped: UInt32 {
    @_noLocks @_noAllocation get { realtime_dropped(descriptor) }
  }

  /// Sends one datagram, never waiting; false when the kernel would not take it, or the address is of a family that the
  /// socket has not.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func send(_ bytes: UnsafeRawPointer, count: Int, to address: SocketAddress) -> Bool {
    let to = realtime_address(high: address.high, low: address.low, scope: address.scope, port: address.port)
    return realtime_send(descriptor, isDualStack ? 1 : 0, bytes, count, to) == 0
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
    var from = realtime_address(high: 0, low: 0, scope: 0, port: 0)
    var stamp: Int64 = 0
    let length = realtime_receive(descriptor, bytes, room, &from, &stamp)
    guard length >= 0 else { return nil }
    return Arrival(
      length: Int(length),
      from: SocketAddress(high: from.high, low: from.low, scope: from.scope, port: from.port),
      at: MonotonicClock.instant(ofRealtime: stamp))
  }
}
