/// The remote clock by the packets that had no delay but the route's own.
///
/// Where delay has a hard floor and a long tail, what a packet tells is the more the nearer it came to the floor. Drawn over
/// time, all differences of packets out lie above the true line, those of packets back lie below it. So there is a band
/// between them that no packet entered, and the wider it is at some slope, the nearer that slope comes to the clocks' skew:
/// of all slopes the one with the widest band is taken, and of that band the middle. (The widest gap between two point sets
/// is the separating line of Duda, "Estimating global time in distributed systems", 1987, and a linear programme of three
/// unknowns, as with Moon, Skelly and Towsley, 1999.)
///
/// Only the corners of the two sets' convex hulls matter, so the width is a concave function of the slope over few corners, whose
/// top golden section finds; and as the steeper a line is, the later the corner that it meets below and the earlier the one
/// above, each section leaves fewer of them to look at. Of each eighth of a second the extreme packet is kept, ``span``
/// seconds back.
///
/// How good the line is shows in how close to the band's edges the next packets lie: with a hard floor very close, while
/// bell-shaped noise has hardly any there.
struct MinimumDelayFilter: Sendable {
  /// Seconds looked back on.
  static let span = 15.0
  /// Of what is not known at all, square nanoseconds.
  static let unknown = 1e30
  /// Buckets in it.
  static let depth = 120
  /// Two clocks part by at most this, nanoseconds a second; one that is being put right by the system runs up to 500 000 off.
  static let steepest = 1_000_000.0
  /// How fast a crystal's skew may go on changing, nanoseconds a second in a second: 1 ppm a minute.
  static let drift = 1000.0 / 60

  /// The extreme packet of a bucket. Its place alone does not say of which: its moment does.
  struct Point: Sendable {
    /// Seconds, before all time where there is none; and nanoseconds.
    var x = -Double.infinity
    var y = 0.0
    /// Packets of which it is the extreme.
    var packets = 0.0
  }

  /// The edges of a band, and the corners that they meet.
  private struct Edges {
    var (low, high) = (-Double.infinity, Double.infinity)
    var (below, above) = (0, 0)
  }

  /// Those of both hulls that bands of some slopes meet: one of each at least, whatever is rounded.
  private struct Corners {
    var (below, above) = (0..<0, 0..<0)

    /// Only steeper bands than this one are left.
    mutating func begin(with edges: Edges) {
      below = min(edges.below, below.upperBound - 1)..<below.upperBound
      above = above.lowerBound..<max(edges.above, above.lowerBound) + 1
    }

    /// Only bands less steep than this one are left.
    mutating func end(with edges: Edges) {
      below = below.lowerBound..<max(edges.below, below.lowerBound) + 1
      above = min(edges.above, above.upperBound - 1)..<above.upperBound
    }
  }

  // Where many play, hundreds of such clocks take turns in a processor's cache: so what they hold is small.

  /// The extreme points in time's order as far as they go round, below for packets out, above for packets back.
  private var out = [Point](repeating: Point(), count: depth)
  private var back = [Point](repeating: Point(), count: depth)
  // Which of them are corners of the hulls: room that is kept.
  private var lower = [UInt8](repeating: 0, count: depth)
  private var upper = [UInt8](repeating: 0, count: depth)
  private var corners = Corners()

  /// The line in the middle of the band, and half the band's width, nanoseconds; at ``time``.
  private(set) var offset = 0.0
  private(set) var skew = 0.0
  private(set) var halfWidth = Double.infinity
  private var time = 0.0
  /// Of ``offset``, square nanoseconds.
  private var variance = unknown
  /// Of ``skew``, (nanoseconds a second) squared.
  private var skewVariance = unknown

  mutating func removeAll() {
    for n in 0..<Self.depth { (out[n], back[n]) = (Point(), Point()) }
    (halfWidth, variance, skewVariance) = (.infinity, Self.unknown, Self.unknown)
  }

  mutating func add(_ difference: Double, isOut: Bool, at moment: Double) {
    let bucket = Self.bucket(of: moment)
    let slot = Self.slot(of: bucket)
    let old = isOut ? out[slot] : back[slot]
    var packets = 1.0
    if Self.beginning(of: bucket + 1) <= old.x { return }
    if Self.beginning(of: bucket) <= old.x {
      packets += old.packets
      if isOut { out[slot].packets = packets } else { back[slot].packets = packets }
      let rise = difference - old.y - skew * (moment - old.x)
      guard isOut ? rise < 0 : rise > 0 else { return }
    }
    let point = Point(x: moment, y: difference, packets: packets)
    if isOut { out[slot] = point } else { back[slot] = point }
  }

  /// Which eighth of a second a moment lies in.
  private static func bucket(of moment: Double) -> Int64 { Int64((moment * (Double(depth) / span)).rounded(.down)) }

  /// An eighth of a second is a power of two: exact.
  private static func beginning(of bucket: Int64) -> Double { Double(bucket) * (span / Double(depth)) }

  private static func slot(of bucket: Int64) -> Int {
    let rest = Int(bucket % Int64(depth))
    return rest < 0 ? rest + depth : rest
  }

  /// Draws the line through what is known at `moment`; false, and nothing changes, while one direction has told nothing.
  mutating func fit(at moment: Double) -> Bool {
    let newest = Self.bucket(of: moment)
    let below = Self.hull(of: out, newest: newest, sign: 1, into: &lower)
    let above = Self.hull(of: back, newest: newest, sign: -1, into: &upper)
    guard below.corners > 0, above.corners > 0 else { return false }
    (corners, time) = (Corners(below: 0..<below.corners, above: 0..<above.corners), moment)
    // What is known of crystals counts as one packet does, which moves the edge by about the band's width over their number.
    let flat = edges(of: 0, by: corners)
    let weight = max(flat.high - flat.low, 1) / (below.packets + above.packets)
    var met = corners
    func width(_ slope: Double) -> (Double, Edges) {
      let edges = edges(of: slope, by: met)
      let unlikely = slope / KalmanClock.likelySkew
      return (edges.high - edges.low - weight * unlikely * unlikely / 2, edges)
    }
    var (a, b) = (-Self.steepest, Self.steepest)
    let ratio = 0.618_033_988_75
    var (left, right) = (b - (b - a) * ratio, a + (b - a) * ratio)
    var (atLeft, atRight) = (width(left), width(right))
    // To a hundredth of a nanosecond a second.
    for _ in 0..<40 {
      if atLeft.0 < atRight.0 {
        met.begin(with: atLeft.1)
        (a, left, atLeft) = (left, right, atRight)
        right = a + (b - a) * ratio
        atRight = width(right)
      } else {
        met.end(with: atRight.1)
        (b, right, atRight) = (right, left, atLeft)
        left = b - (b - a) * ratio
        atLeft = width(left)
      }
    }
    skew = (a + b) / 2
    let best = edges(of: skew, by: met)
    (offset, halfWidth) = ((best.low + best.high) / 2, max(0, (best.high - best.low) / 2))
    let outer = nearness(of: out, to: best.high, sign: 1, newest: newest)
    let inner = nearness(of: back, to: best.low, sign: -1, newest: newest)
    let bend = Self.drift * Self.span * Self.span / 12
    variance = 16 * (outer * outer + inner * inner) + bend * bend
    // As of a line through points of equal noise: 12 / n of its square over the time squared, 4 / n at the line's end. It has
    // no hold but where there are packets in both directions.
    let end = min(out[Int(lower[below.corners - 1])].x, back[Int(upper[above.corners - 1])].x)
    let beginning = max(out[Int(lower[0])].x, back[Int(upper[0])].x)
    let length = max(end - beginning, Self.span / Double(Self.depth))
    skewVariance = min(3 * variance / (length * length), KalmanClock.likelySkew * KalmanClock.likelySkew)
    return true
  }

  /// The corners of the lower side of the convex hull of the last ``span``'s points, of the upper side for `sign` -1 (Andrew's
  /// monotone chain); gives their number, and that of the points' packets.
  private static func hull(
    of points: [Point], newest: Int64, sign: Double, into corners: inout [UInt8]
  ) -> (corners: Int, packets: Double) {
    var (found, packets) = (0, 0.0)
    let present = window(newest: newest)
    // The slot after the newest bucket's holds the oldest.
    var slot = slot(of: newest)
    for _ in 0..<depth {
      slot = slot + 1 < depth ? slot + 1 : 0
      let point = points[slot]
      guard present.contains(point.x) else { continue }
      packets += point.packets
      while found > 1 {
        let (p, q) = (points[Int(corners[found - 2])], points[Int(corners[found - 1])])
        let turn = (q.x - p.x) * (point.y - p.y) - (point.x - p.x) * (q.y - p.y)
        guard sign * turn <= 0 else { break }
        found -= 1
      }
      corners[found] = UInt8(slot)
      found += 1
    }
    return (found, packets)
  }

  /// The moments that are looked back on from a bucket.
  private static func window(newest: Int64) -> Range<Double> {
    beginning(of: newest + 1 - Int64(depth))..<beginning(of: newest + 1)
  }

  /// The band's edges at ``fit(at:)``'s moment, right after it, when the clocks part by `skew`. Where they have not gone
  /// straight on, the edges may have crossed.
  func band(skew: Double) -> (low: Double, high: Double) {
    let edges = edges(of: skew, by: corners)
    return (edges.low, edges.high)
  }

  /// The edges at ``time`` of the band of this slope, of which is known that it meets these corners.
  private func edges(of slope: Double, by corners: Corners) -> Edges {
    var edges = Edges()
    for n in corners.below {
      let point = out[Int(lower[n])]
      let value = point.y - slope * (point.x - time)
      if value < edges.high { (edges.high, edges.below) = (value, n) }
    }
    for n in corners.above {
      let point = back[Int(upper[n])]
      let value = point.y - slope * (point.x - time)
      if value > edges.low { (edges.low, edges.above) = (value, n) }
    }
    return edges
  }

  /// What one packet more or less moves the edge by; with one packet, nothing is known but the band.
  private func nearness(of points: [Point], to edge: Double, sign: Double, newest: Int64) -> Double {
    var nearest = NearestPoints()
    let present = Self.window(newest: newest)
    for point in points where present.contains(point.x) {
      nearest.add(sign * (point.y - skew * (point.x - time) - edge))
    }
    return nearest.spacing ?? halfWidth
  }

  /// The offset at `moment`.
  func offset(at moment: Double) -> Double { offset + (moment - time) * skew }

  /// How well ``offset(at:)`` is known, in square nanoseconds.
  func variance(at moment: Double) -> Double {
    let age = moment - time
    let bend = Self.drift * age * Self.span
    return variance + age * age * skewVariance + bend * bend
  }
}
