public import BasicContainers
public import MusicalTime
public import RTPMIDI
import Realtime

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
    // The packet is copied, because the array provides its octets only as a Span. The compiler rejects a local Span in real-time code.
    // Nearly all packets are short, so they use a smaller copy than the longest packets.
    let count = packet.count
    if count <= 256 {
      var octets = InlineArray<256, UInt8>(repeating: 0)
      for index in 0..<count { octets[index] = packet[index] }
      // Invariant: the pointer covers the inline array and is used only during the call.
      return withUnsafePointer(to: &octets) { send(UnsafeRawPointer($0), count: count, to: address, from: local) }
    }
    guard count <= Datagram.capacity else { return false }
    // 1472 is `Datagram.capacity`. The size of an InlineArray must be a literal.
    var octets = InlineArray<1472, UInt8>(repeating: 0)
    for index in 0..<count { octets[index] = packet[index] }
    // Invariant: the pointer covers the inline array and is used only during the call.
    return withUnsafePointer(to: &octets) { send(UnsafeRawPointer($0), count: count, to: address, from: local) }
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
    let count = packet.count
    guard offset >= 0, offset <= count - 8 else { return nil }
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

  /// Stores the send instant at `offset` and sends `count` octets. Returns the send instant, or nil if the kernel does not
  /// accept the packet.
  ///
  /// Invariant: `octets` points to at least `count` octets, and `offset + 8 <= count`.
  @_noLocks @_noAllocation
  private func send(
    _ octets: UnsafeMutableRawPointer, count: Int, stampedAt offset: Int, to address: SocketAddress,
    from local: SocketAddress?
  ) -> Instant? {
    let now = MonotonicClock.now
    octets.storeBytes(of: now.nanoseconds.bigEndian, toByteOffset: offset, as: Int64.self)
    return send(octets, count: count, to: address, from: local) ? now : nil
  }
}
