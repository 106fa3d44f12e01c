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

  /// The packet of each direction that took least, if the last eight of both belong to two clocks that go on side by side:
  /// none out lies below one back, the oldest are two seconds old at most, and the differences of a direction do not grow or
  /// shrink faster than two clocks may part, delays aside.
  static func agreement(of out: Recent, and back: Recent) -> (out: Packet, back: Packet)? {
    guard out.count >= 8, back.count >= 8, let newest = out.newest, let other = back.newest else { return nil }
    let now = max(newest.moment, other.moment)
    var (least, most) = (newest, other)
    for n in 0..<8 {
      let (a, b) = (out.packets[n], back.packets[n])
      guard now - a.moment <= 2, now - b.moment <= 2 else { return nil }
      if a.difference < least.difference { least = a }
      if b.difference > most.difference { most = b }
    }
    // Were they of different clocks, or of one that stands still, some packet would have come before it left.
    guard (0...RemoteClock.longestDelay).contains(least.difference - most.difference) else { return nil }
    return (least, most)
  }
}
