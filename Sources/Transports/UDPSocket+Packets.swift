public import BasicContainers
public import MusicalTime
public import RTPMIDI
import Realtime

extension UDPSocket {
  /// Sends a packet of at most ``Datagram/room`` octets, never waiting; false when it is longer or the kernel would not
  /// take it.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func send(_ packet: borrowing RigidArray<UInt8>, to address: SocketAddress) -> Bool {
    // A copy, because the array lends its octets only as a Span, which real-time code may not own. Nearly all packets
    // are short, and are not to pay for the room of the longest.
    let count = packet.count
    if count <= 256 {
      var octets = InlineArray<256, UInt8>(repeating: 0)
      for index in 0..<count { octets[index] = packet[index] }
      // Invariant: the pointer covers the inline array and is used within the call alone.
      return withUnsafePointer(to: &octets) { send(UnsafeRawPointer($0), count: count, to: address) }
    }
    guard count <= Datagram.room else { return false }
    var octets = InlineArray<1472, UInt8>(repeating: 0)
    for index in 0..<count { octets[index] = packet[index] }
    // Invariant: as above.
    return withUnsafePointer(to: &octets) { send(UnsafeRawPointer($0), count: count, to: address) }
  }

  /// Sends such a packet that says when it leaves: in the 64 bits at `offset`, nanoseconds of CLOCK_MONOTONIC,
  /// big-endian. Between the look at the clock and the kernel there is nothing else, whatever the packet, so that what
  /// it costs to send is the same in both directions and cancels out.
  ///
  /// - Parameter offset: eight octets of the packet at least lie behind it.
  /// - Returns: the instant; nil when the packet is longer, ends before it, or the kernel would not take it.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func send(
    _ packet: borrowing RigidArray<UInt8>, stampedAt offset: Int, to address: SocketAddress
  ) -> Instant? {
    let count = packet.count
    guard offset >= 0, offset <= count - 8 else { return nil }
    if count <= 256 {
      var octets = InlineArray<256, UInt8>(repeating: 0)
      for index in 0..<count { octets[index] = packet[index] }
      // Invariant: the pointer covers the inline array and is used within the call alone.
      return withUnsafeMutablePointer(to: &octets) {
        send(UnsafeMutableRawPointer($0), count: count, stampedAt: offset, to: address)
      }
    }
    guard count <= Datagram.room else { return nil }
    var octets = InlineArray<1472, UInt8>(repeating: 0)
    for index in 0..<count { octets[index] = packet[index] }
    // Invariant: as above.
    return withUnsafeMutablePointer(to: &octets) {
      send(UnsafeMutableRawPointer($0), count: count, stampedAt: offset, to: address)
    }
  }

  // Invariant: `offset` and the eight octets behind it are within `count`, and these within what `octets` points to.
  @_noLocks @_noAllocation
  private func send(
    _ octets: UnsafeMutableRawPointer, count: Int, stampedAt offset: Int, to address: SocketAddress
  ) -> Instant? {
    let now = MonotonicClock.now
    octets.storeBytes(of: now.nanoseconds.bigEndian, toByteOffset: offset, as: Int64.self)
    return send(octets, count: count, to: address) ? now : nil
  }
}
