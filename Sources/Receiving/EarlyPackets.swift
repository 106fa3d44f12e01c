public import MusicalTime
public import RTPMIDI

/// A packet whose session the ``Receiver`` did not know when the packet arrived.
public struct EarlyPacket: Sendable, BitwiseCopyable {
  /// The octets. Only the first ``count`` are valid.
  public fileprivate(set) var octets = InlineArray<512, UInt8>(repeating: 0)
  /// The number of octets.
  public internal(set) var count = 0
  /// The SSRC in the packet.
  fileprivate var ssrc: UInt32 = 0
  /// The sender.
  public fileprivate(set) var source = SocketAddress(host: 0, port: 0)
  /// The arrival by the local clock.
  public fileprivate(set) var arrival = Instant(nanoseconds: 0)
}

/// The newest packets of unknown sources.
///
/// A peer that has accepted an invitation sends packets at once. The local session begins a moment later, when the control thread
/// has evaluated the acceptance. The packets that arrive in between are kept for the session.
struct EarlyPackets: ~Copyable {
  /// How long a packet is kept.
  private static var lifetime: Nanoseconds { @_noLocks @_noAllocation get { .milliseconds(500) } }

  /// The packets, as a ring. A packet that was taken has the count 0.
  private var packets = InlineArray<8, EarlyPacket>(repeating: EarlyPacket())
  /// The index of the oldest packet, which the next packet replaces.
  private var oldest = 0

  /// Keeps a packet. A packet of more than 512 octets is not kept.
  @_noLocks @_noAllocation
  mutating func keep(_ packet: Span<UInt8>, of ssrc: UInt32, from source: SocketAddress, at arrival: Instant) {
    guard packet.count <= 512 else { return }
    for index in 0..<packet.count { packets[oldest].octets[index] = packet[index] }
    packets[oldest].count = packet.count
    (packets[oldest].ssrc, packets[oldest].source, packets[oldest].arrival) = (ssrc, source, arrival)
    oldest = (oldest + 1) % packets.count
  }

  /// Removes and returns the oldest packet of a source that was kept for at most ``lifetime``; nil if there is none. Also removes
  /// the packets of this source that were kept longer.
  @_noLocks @_noAllocation
  mutating func take(of ssrc: UInt32, from source: SocketAddress, at now: Instant) -> EarlyPacket? {
    var offset = 0
    while offset < packets.count {
      let index = (oldest + offset) % packets.count
      offset += 1
      guard packets[index].count > 0, packets[index].ssrc == ssrc, packets[index].source == source else { continue }
      let isRecent = now - packets[index].arrival <= Self.lifetime
      let packet = packets[index]
      packets[index].count = 0
      if isRecent { return packet }
    }
    return nil
  }
}
