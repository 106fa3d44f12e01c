/// The newest eight packets of one direction, including the packets that contradict the current estimate of
/// ``RemoteClock``, which drops them. The packets show whether the remote clock has been set.
struct PacketHistory: Sendable {
  struct Packet: Sendable, BitwiseCopyable {
    /// The local instant, in seconds since the estimator's origin.
    var moment = 0.0
    /// Remote instant minus local instant, relative to the estimator's origin, in nanoseconds.
    var difference = 0.0
  }

  /// A ring buffer: packet number n is at index n % 8.
  private var packets = InlineArray<8, Packet>(repeating: Packet())
  /// The number of packets added so far.
  private var count = 0
  /// The number of consecutive packets that contradict the current estimate; counted by ``RemoteClock``.
  var contradictions = 0

  /// The packet added last; nil if there is none.
  var newest: Packet? { count > 0 ? packets[(count - 1) % 8] : nil }

  mutating func add(_ difference: Double, at moment: Double) {
    packets[count % 8] = Packet(moment: moment, difference: difference)
    count += 1
  }

  /// The longest time that the packets may span, seconds. Eight AppleMIDI clock exchanges (CK commands), one every 10 s,
  /// span 70 to 75 s.
  static let maximumSpan = 100.0

  /// Returns the packet with the least delay of each direction; nil if a direction has had fewer than eight packets, or if
  /// the last eight packets of both directions are not consistent with two clocks that run at nearly the same rate.
  ///
  /// A difference is the clock offset plus the delay for an outbound packet, and the offset minus the delay for a
  /// returning packet. Therefore each outbound difference exceeds each returning difference, unless the clocks diverge.
  /// Let x be the lowest outbound difference minus the highest returning difference, and t the time that the packets
  /// span. The packets are consistent if three conditions hold:
  ///
  /// - x is at most ``RemoteClock/maximumDelay``.
  /// - x is at least zero, or below zero by at most the divergence of two clocks in the time t
  ///   (``RemoteClock/maximumDivergence``).
  /// - t is at most ``maximumSpan``.
  static func consistentExtremes(of out: PacketHistory, and back: PacketHistory) -> (out: Packet, back: Packet)? {
    guard out.count >= 8, back.count >= 8, let newestOut = out.newest, let newestBack = back.newest else { return nil }
    let now = max(newestOut.moment, newestBack.moment)
    var (lowestOut, highestBack, oldest) = (newestOut, newestBack, now)
    for n in 0..<8 {
      let (outbound, returning) = (out.packets[n], back.packets[n])
      oldest = min(oldest, outbound.moment, returning.moment)
      if outbound.difference < lowestOut.difference { lowestOut = outbound }
      if returning.difference > highestBack.difference { highestBack = returning }
    }
    // If the remote clock was set between the packets, or stands still, at least one packet seems to have arrived before
    // it left, or to have taken too long.
    let divergence = (now - oldest) * RemoteClock.maximumDivergence
    guard now - oldest <= Self.maximumSpan,
      (-divergence...RemoteClock.maximumDelay).contains(lowestOut.difference - highestBack.difference)
    else { return nil }
    return (lowestOut, highestBack)
  }
}
