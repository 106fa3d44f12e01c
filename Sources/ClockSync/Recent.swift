/// The newest packets of one direction, believed or not.
struct Recent: Sendable {
  struct Packet: Sendable, BitwiseCopyable {
    /// Seconds.
    var moment = 0.0
    /// Nanoseconds.
    var difference = 0.0
  }

  private var packets = InlineArray<8, Packet>(repeating: Packet())
  private var count = 0
  /// Those in a row that could not be.
  var contradictions = 0

  var newest: Packet? { count > 0 ? packets[(count - 1) % 8] : nil }

  mutating func add(_ difference: Double, at moment: Double) {
    packets[count % 8] = Packet(moment: moment, difference: difference)
    count += 1
  }

  /// Older ones have nothing to say about the newest, seconds: eight comparisons by CK take a minute and a half.
  static let longest = 100.0

  /// The packet of each direction that took least, if the last eight of both belong to two clocks that go on side by side:
  /// none out lies below one back, but for what two clocks may part in the time that the packets span, ``longest`` at most.
  static func agreement(of out: Recent, and back: Recent) -> (out: Packet, back: Packet)? {
    guard out.count >= 8, back.count >= 8, let newest = out.newest, let other = back.newest else { return nil }
    let now = max(newest.moment, other.moment)
    var (least, most, oldest) = (newest, other, now)
    for n in 0..<8 {
      let (a, b) = (out.packets[n], back.packets[n])
      oldest = min(oldest, a.moment, b.moment)
      if a.difference < least.difference { least = a }
      if b.difference > most.difference { most = b }
    }
    // Were they of different clocks, or of one that stands still, some packet would have come before it left.
    let parted = (now - oldest) * RemoteClock.loosest
    guard now - oldest <= Self.longest,
      (-parted...RemoteClock.longestDelay).contains(least.difference - most.difference)
    else { return nil }
    return (least, most)
  }
}
