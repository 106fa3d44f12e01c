/// The newest eight packets of one direction, including those that were rejected.
struct PacketHistory: Sendable {
  struct Packet: Sendable, BitwiseCopyable {
    /// The local instant, in seconds since the estimator's origin.
    var moment = 0.0
    /// Remote instant minus local instant, relative to the estimator's origin, in nanoseconds.
    var difference = 0.0
  }

  private var packets = InlineArray<8, Packet>(repeating: Packet())
  private var count = 0
  /// The number of consecutive implausible packets.
  var contradictions = 0

  var newest: Packet? { count > 0 ? packets[(count - 1) % 8] : nil }

  mutating func add(_ difference: Double, at moment: Double) {
    packets[count % 8] = Packet(moment: moment, difference: difference)
    count += 1
  }

  /// The longest time that the packets may span, seconds: eight CK exchanges take a minute and a half.
  static let maximumSpan = 100.0

  /// The packet with the least delay of each direction, if the last eight packets of both directions are consistent
  /// with two clocks that run side by side.
  ///
  /// The packets are consistent if no difference out lies below a difference back by more than two clocks can diverge
  /// in the time that the packets span, and if this time is at most ``maximumSpan``. Otherwise the result is nil.
  static func consistentExtremes(of out: PacketHistory, and back: PacketHistory) -> (out: Packet, back: Packet)? {
    guard out.count >= 8, back.count >= 8, let newest = out.newest, let other = back.newest else { return nil }
    let now = max(newest.moment, other.moment)
    var (lowestOut, highestBack, oldest) = (newest, other, now)
    for n in 0..<8 {
      let (a, b) = (out.packets[n], back.packets[n])
      oldest = min(oldest, a.moment, b.moment)
      if a.difference < lowestOut.difference { lowestOut = a }
      if b.difference > highestBack.difference { highestBack = b }
    }
    // Packets of different clocks, or of a clock that stands still, would include one that arrived before it left.
    let divergence = (now - oldest) * RemoteClock.maximumDivergence
    guard now - oldest <= Self.maximumSpan,
      (-divergence...RemoteClock.maximumDelay).contains(lowestOut.difference - highestBack.difference)
    else { return nil }
    return (lowestOut, highestBack)
  }
}
