import MusicalTime

/// A line of constant skew through the offset of a remote clock, and the range of the skew that the exchanges permit, whatever the
/// delays of the two directions are.
///
/// At each moment, the offset of the remote clock is at most the difference of the stamps of a packet to the peer, and at
/// least that of a packet from the peer: otherwise a packet would have arrived before it left. A line of constant skew
/// that lies between both exists for the slopes within the bounds (the linear program of V. Paxson, "On calibrating
/// measurements of packet transit times", SIGMETRICS 1998, and S. Moon, P. Skelly and D. Towsley, "Estimation and removal
/// of clock skew from network delay measurements", INFOCOM 1999). The line is the middle of the greatest room between both
/// directions, so the smallest delays of both directions are equal.
struct ClockLine {
  /// The smallest and the largest skew, nanoseconds per nanosecond; nil if the exchanges permit any skew.
  let skewBounds: ClosedRange<Double>?
  private let skew: Double
  /// The offset at ``start``, nanoseconds.
  private let offset: Double
  private let start: Instant

  /// A packet: its local instant and the difference of its stamps, nanoseconds.
  private struct Point { let time, value: Double }

  /// The largest skew that is considered.
  private static let limit = 1e-2

  /// Calculates the line; nil if none lies between the packets of both directions, because the rate of a clock changed or a
  /// clock was set.
  ///
  /// - Parameters:
  ///   - exchanges: the exchanges.
  ///   - margin: the error of a stamp in nanoseconds.
  init?(_ exchanges: some Collection<NetworkExchange>, margin: Double) {
    guard let first = exchanges.first else { return nil }
    let base = first.outDifference
    let out = exchanges.map { exchange in
      Point(time: Double((exchange.sent - first.sent).count), value: exchange.outDifference - base + margin)
    }
    let back = exchanges.map { exchange in
      Point(time: Double((exchange.received - first.sent).count), value: exchange.backDifference - base - margin)
    }
    // The range of the offset at the first instant for a skew.
    func range(_ skew: Double) -> (low: Double, high: Double) {
      var (low, high) = (-Double.infinity, Double.infinity)
      for point in out { high = min(high, point.value - skew * point.time) }
      for point in back { low = max(low, point.value - skew * point.time) }
      return (low, high)
    }
    // The room between both directions for a skew: a concave function.
    func room(_ skew: Double) -> Double {
      let (low, high) = range(skew)
      return high - low
    }
    var (left, right) = (-Self.limit, Self.limit)
    for _ in 0..<100 {
      let (a, b) = (left + (right - left) / 3, right - (right - left) / 3)
      if room(a) < room(b) { left = a } else { right = b }
    }
    let best = (left + right) / 2
    let (low, high) = range(best)
    guard high >= low else { return nil }
    (skew, offset, start) = (best, base + (low + high) / 2, first.sent)
    func edge(_ outside: Double) -> Double {
      var (inside, outside) = (best, outside)
      for _ in 0..<60 {
        let middle = (inside + outside) / 2
        if room(middle) >= 0 { inside = middle } else { outside = middle }
      }
      return inside
    }
    guard room(-Self.limit) < 0, room(Self.limit) < 0 else {
      skewBounds = nil
      return
    }
    skewBounds = edge(-Self.limit)...max(edge(-Self.limit), edge(Self.limit))
  }

  /// The offset of the remote clock at an instant of the local clock, nanoseconds.
  func offset(at instant: Instant) -> Double { offset + Double((instant - start).count) * skew }
}
