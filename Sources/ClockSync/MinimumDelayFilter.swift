/// Estimates the remote clock from the packets with the least delay.
///
/// Where delay has a hard lower bound and a long upper tail, a packet carries more information the closer it came to
/// the lower bound. Plotted over time, the differences of all packets out lie above the true line, and those of all
/// packets back lie below it. Between them is a band that contains no packet. The band is widest at the slope that is
/// closest to the skew of the clocks. The filter takes the slope with the widest band, and the middle of that band.
/// (The widest gap between two point sets is the separating line of A. Duda and others, "Estimating global time in
/// distributed systems", 1987. It is a linear program with three unknowns, as in S. Moon, P. Skelly and D. Towsley,
/// 1999.)
///
/// Only the corners of the convex hulls of the two sets matter. The width is a concave function of the slope over few
/// corners, and golden-section search finds its maximum. A steeper line touches later corners of the lower edge and
/// earlier corners of the upper edge, so each section leaves fewer corners to examine. The filter keeps the extreme
/// packet of each eighth of a second, for ``span`` seconds.
///
/// The variance of the line follows from the distance of the packets next to the edges of the band. This distance is
/// very small with a hard lower bound, and large with bell-shaped noise. Times are in seconds, differences in
/// nanoseconds.
struct MinimumDelayFilter: Sendable {
  /// The length of the window, seconds.
  static let span = 15.0
  /// The variance before the first fit, square nanoseconds.
  static let unknownVariance = 1e30
  /// The number of buckets in the window.
  static let bucketCount = 120
  /// The largest skew considered, nanoseconds per second. A clock that the system is adjusting runs up to 500 000 off.
  static let maximumSkew = 1_000_000.0
  /// The largest rate at which the skew of a crystal drifts, nanoseconds per second per second: 1 ppm per minute.
  static let skewDrift = 1000.0 / 60

  /// The extreme packet of a bucket. The slot alone does not identify the bucket; `x` does.
  struct Point: Sendable {
    /// The moment in seconds, minus infinity for an empty slot; and the difference in nanoseconds.
    var x = -Double.infinity
    var y = 0.0
    /// The number of packets in the bucket.
    var packets = 0.0
  }

  /// The edges of a band in nanoseconds, and the indices of the corners that they touch.
  private struct Edges {
    var (low, high) = (-Double.infinity, Double.infinity)
    var (below, above) = (0, 0)
  }

  /// The ranges of corners of both hulls that bands within a range of slopes can touch. Each range contains at least
  /// one corner, whatever the rounding.
  private struct Corners {
    var (below, above) = (0..<0, 0..<0)

    /// Discards the corners that only bands flatter than this one touch.
    mutating func discardFlatter(than edges: Edges) {
      below = min(edges.below, below.upperBound - 1)..<below.upperBound
      above = above.lowerBound..<max(edges.above, above.lowerBound) + 1
    }

    /// Discards the corners that only bands steeper than this one touch.
    mutating func discardSteeper(than edges: Edges) {
      below = below.lowerBound..<max(edges.below, below.lowerBound) + 1
      above = min(edges.above, above.upperBound - 1)..<above.upperBound
    }
  }

  // With many peers, hundreds of these filters share a processor cache: the storage is kept small.

  /// The extreme packets as ring buffers over time: of packets out the lowest, of packets back the highest.
  private var out = [Point](repeating: Point(), count: bucketCount)
  private var back = [Point](repeating: Point(), count: bucketCount)
  // The slots of the hulls' corners; preallocated.
  private var lower = [UInt8](repeating: 0, count: bucketCount)
  private var upper = [UInt8](repeating: 0, count: bucketCount)
  private var corners = Corners()

  /// The line in the middle of the band, and half the width of the band, in nanoseconds, at ``time``.
  private(set) var offset = 0.0
  private(set) var skew = 0.0
  private(set) var halfWidth = Double.infinity
  private var time = 0.0
  /// The variance of ``offset``, square nanoseconds.
  private var variance = unknownVariance
  /// The variance of ``skew``, (nanoseconds per second) squared.
  private var skewVariance = unknownVariance

  mutating func removeAll() {
    for n in 0..<Self.bucketCount { (out[n], back[n]) = (Point(), Point()) }
    (halfWidth, variance, skewVariance) = (.infinity, Self.unknownVariance, Self.unknownVariance)
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

  /// The index of the eighth of a second that contains `moment`.
  private static func bucket(of moment: Double) -> Int64 {
    Int64((moment * (Double(bucketCount) / span)).rounded(.down))
  }

  /// The first moment of a bucket. An eighth of a second is a power of two, so the result is exact.
  private static func beginning(of bucket: Int64) -> Double { Double(bucket) * (span / Double(bucketCount)) }

  private static func slot(of bucket: Int64) -> Int {
    let rest = Int(bucket % Int64(bucketCount))
    return rest < 0 ? rest + bucketCount : rest
  }

  /// Fits the line to the packets in the window that ends at `moment`.
  ///
  /// - Returns: false, with nothing changed, while one direction has no packets in the window.
  mutating func fit(at moment: Double) -> Bool {
    let newest = Self.bucket(of: moment)
    let below = Self.hull(of: out, newest: newest, sign: 1, into: &lower)
    let above = Self.hull(of: back, newest: newest, sign: -1, into: &upper)
    guard below.corners > 0, above.corners > 0 else { return false }
    (corners, time) = (Corners(below: 0..<below.corners, above: 0..<above.corners), moment)
    // The prior knowledge of the skew counts as one packet, which moves an edge by about the width of the band divided
    // by the number of packets.
    let flat = edges(of: 0, by: corners)
    let weight = max(flat.high - flat.low, 1) / (below.packets + above.packets)
    var remaining = corners
    func width(_ slope: Double) -> (Double, Edges) {
      let edges = edges(of: slope, by: remaining)
      let normalizedSlope = slope / KalmanClock.initialSkewDeviation
      return (edges.high - edges.low - weight * normalizedSlope * normalizedSlope / 2, edges)
    }
    var (a, b) = (-Self.maximumSkew, Self.maximumSkew)
    let ratio = 0.618_033_988_75
    var (left, right) = (b - (b - a) * ratio, a + (b - a) * ratio)
    var (atLeft, atRight) = (width(left), width(right))
    // Forty sections: the precision is a hundredth of a nanosecond per second.
    for _ in 0..<40 {
      if atLeft.0 < atRight.0 {
        remaining.discardFlatter(than: atLeft.1)
        (a, left, atLeft) = (left, right, atRight)
        right = a + (b - a) * ratio
        atRight = width(right)
      } else {
        remaining.discardSteeper(than: atRight.1)
        (b, right, atRight) = (right, left, atLeft)
        left = b - (b - a) * ratio
        atLeft = width(left)
      }
    }
    skew = (a + b) / 2
    let best = edges(of: skew, by: remaining)
    (offset, halfWidth) = ((best.low + best.high) / 2, max(0, (best.high - best.low) / 2))
    let outer = edgeError(of: out, to: best.high, sign: 1, newest: newest)
    let inner = edgeError(of: back, to: best.low, sign: -1, newest: newest)
    let bend = Self.skewDrift * Self.span * Self.span / 12
    variance = 16 * (outer * outer + inner * inner) + bend * bend
    // The variance of the slope of a regression line through n points with equal noise is 12 / n of the noise variance
    // divided by the time squared; the variance at the end of the line is 4 / n. The slope is determined only by the
    // time range that contains packets in both directions.
    let end = min(out[Int(lower[below.corners - 1])].x, back[Int(upper[above.corners - 1])].x)
    let beginning = max(out[Int(lower[0])].x, back[Int(upper[0])].x)
    let length = max(end - beginning, Self.span / Double(Self.bucketCount))
    skewVariance = min(
      3 * variance / (length * length), KalmanClock.initialSkewDeviation * KalmanClock.initialSkewDeviation)
    return true
  }

  /// Finds the corners of the lower side of the convex hull of the points in the window; of the upper side if `sign` is
  /// -1 (Andrew's monotone chain).
  ///
  /// - Returns: the number of corners, and the number of packets that the points stand for.
  private static func hull(
    of points: [Point], newest: Int64, sign: Double, into corners: inout [UInt8]
  ) -> (corners: Int, packets: Double) {
    let points = points.span
    var corners = corners.mutableSpan
    var (found, packets) = (0, 0.0)
    // The last two corners.
    var (p, q) = (Point(), Point())
    let present = window(newest: newest)
    // The slot after that of the newest bucket holds the oldest bucket.
    var slot = slot(of: newest)
    for _ in 0..<bucketCount {
      slot = slot + 1 < bucketCount ? slot + 1 : 0
      let point = points[slot]
      guard present.contains(point.x) else { continue }
      packets += point.packets
      while found > 1 {
        let turn = (q.x - p.x) * (point.y - p.y) - (point.x - p.x) * (q.y - p.y)
        guard sign * turn <= 0 else { break }
        found -= 1
        q = p
        if found > 1 { p = points[Int(corners[found - 2])] }
      }
      corners[found] = UInt8(truncatingIfNeeded: slot)
      found += 1
      (p, q) = (q, point)
    }
    return (found, packets)
  }

  /// The moments of the window that ends with the bucket `newest`.
  private static func window(newest: Int64) -> Range<Double> {
    beginning(of: newest + 1 - Int64(bucketCount))..<beginning(of: newest + 1)
  }

  /// The edges of the band of slope `skew` at the moment of the last ``fit(at:)``. The edges can have crossed if the
  /// clocks did not run at a constant rate. Valid until the next ``add(_:isOut:at:)``.
  func bounds(skew: Double) -> (low: Double, high: Double) {
    let edges = edges(of: skew, by: corners)
    return (edges.low, edges.high)
  }

  /// The edges at ``time`` of the band with this slope, which touches only these corners.
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

  /// The amount by which one packet more or less moves the edge, nanoseconds. With one packet, it is half the band.
  private func edgeError(of points: [Point], to edge: Double, sign: Double, newest: Int64) -> Double {
    var nearest = NearestPoints()
    let present = Self.window(newest: newest)
    for point in points where present.contains(point.x) {
      nearest.add(sign * (point.y - skew * (point.x - time) - edge))
    }
    return nearest.spacing ?? halfWidth
  }

  /// The offset at `moment`, nanoseconds.
  func offset(at moment: Double) -> Double { offset + (moment - time) * skew }

  /// The variance of ``offset(at:)``, in square nanoseconds.
  func variance(at moment: Double) -> Double {
    let age = moment - time
    let bend = Self.skewDrift * age * Self.span
    return variance + age * age * skewVariance + bend * bend
  }
}
