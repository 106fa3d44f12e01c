import MusicalTime

/// The offset of a remote clock (remote minus local) as a linear function of local time, and the bounds of its skew.
///
/// Each packet limits the offset, because it cannot arrive before it leaves. The difference of the stamps of a packet is the remote stamp
/// minus the local stamp. The offset is at most this difference for each packet to the peer, and at least this difference for each packet
/// from the peer. A skew is possible if a line whose slope is this skew lies between the packets of both directions. The possible skews
/// are a range (the linear program of V. Paxson, "On calibrating measurements of packet transit times", SIGMETRICS 1998, and S. Moon,
/// P. Skelly and D. Towsley, "Estimation and removal of clock skew from network delay measurements", INFOCOM 1999).
///
/// Of all possible lines, ``offset(at:)`` uses the middle of the widest strip between both directions. The smallest delays of both
/// directions are therefore equal.
struct ClockLine {
  /// The smallest and the largest possible skew, in nanoseconds per nanosecond; nil if the exchanges do not bound the skew.
  let skewBounds: ClosedRange<Double>?
  /// The slope of the line, in nanoseconds per nanosecond.
  private let skew: Double
  /// The offset at ``start`` in nanoseconds.
  private let offset: Double
  private let start: Instant

  /// A packet: its local instant after ``start`` and the difference of its stamps, in nanoseconds.
  private struct Point { let time, value: Double }

  /// The largest skew that is considered, in nanoseconds per nanosecond: 1 %.
  private static let limit = 1e-2

  /// Calculates the line. The result is nil if no line lies between the packets of both directions, because the rate of a clock changed
  /// or a clock was set.
  ///
  /// - Parameters:
  ///   - exchanges: the exchanges.
  ///   - margin: the largest error of a stamp in nanoseconds.
  init?(_ exchanges: some Collection<NetworkExchange>, margin: Double) {
    guard let first = exchanges.first else { return nil }
    let base = first.outDifference
    let out = exchanges.map { exchange in
      Point(time: Double((exchange.sent - first.sent).count), value: exchange.outDifference - base + margin)
    }
    let back = exchanges.map { exchange in
      Point(time: Double((exchange.received - first.sent).count), value: exchange.backDifference - base - margin)
    }
    // Returns the range of the offsets that the packets permit at the first instant, for a skew. The range is empty (low > high) for an
    // impossible skew.
    func range(_ skew: Double) -> (low: Double, high: Double) {
      var (low, high) = (-Double.infinity, Double.infinity)
      for point in out { high = min(high, point.value - skew * point.time) }
      for point in back { low = max(low, point.value - skew * point.time) }
      return (low, high)
    }
    // Returns the width of the strip between both directions for a skew. The width is a concave function of the skew, so a ternary search
    // finds the skew of the widest strip.
    func width(_ skew: Double) -> Double {
      let (low, high) = range(skew)
      return high - low
    }
    var (left, right) = (-Self.limit, Self.limit)
    for _ in 0..<100 {
      let (a, b) = (left + (right - left) / 3, right - (right - left) / 3)
      if width(a) < width(b) { left = a } else { right = b }
    }
    let best = (left + right) / 2
    let (low, high) = range(best)
    guard high >= low else { return nil }
    (skew, offset, start) = (best, base + (low + high) / 2, first.sent)
    // Returns the bound of the possible skews between the best skew and the impossible skew `outside`, by bisection.
    func edge(_ outside: Double) -> Double {
      var (inside, outside) = (best, outside)
      for _ in 0..<60 {
        let middle = (inside + outside) / 2
        if width(middle) >= 0 { inside = middle } else { outside = middle }
      }
      return inside
    }
    guard width(-Self.limit) < 0, width(Self.limit) < 0 else {
      skewBounds = nil
      return
    }
    skewBounds = edge(-Self.limit)...max(edge(-Self.limit), edge(Self.limit))
  }

  /// Returns the offset of the remote clock at an instant of the local clock, in nanoseconds.
  func offset(at instant: Instant) -> Double { offset + Double((instant - start).count) * skew }
}
