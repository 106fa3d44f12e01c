/// Estimates the remote clock from the packets with the least delay.
///
/// The difference of a packet is its remote instant minus its local instant (``ClockTransit/difference``). It is the
/// clock offset plus the delay for an outbound packet, and the clock offset minus the delay for a returning packet. The
/// offset changes with the skew, so it forms a line over time. Plotted over time, the differences of all outbound
/// packets lie above this line, and those of all returning packets lie below it. If the delay has a hard lower bound and
/// a long upper tail, the packets with a delay near the lower bound carry the most information.
///
/// Between the two sets of points is a band that contains no packet. It has a slope, an upper edge, which touches
/// outbound points, and a lower edge, which touches returning points. The band is widest at the slope that is closest to
/// the skew of the clocks. The filter takes the slope with the widest band, and the middle of that band as the offset.
/// (A. Duda and others, "Estimating global time in distributed systems", 1987, separate the two sets by a line in the
/// same way. Finding the widest band is a linear program with three unknowns: the slope and the two edges. S. Moon, P.
/// Skelly and D. Towsley, 1999, use such a program for one direction.)
///
/// The width at a slope depends only on the few corners of two convex hulls: the lower hull of the outbound points, and the
/// upper hull of the returning points. The width is a concave function of the slope, so golden-section search finds its
/// maximum. A steeper band touches later corners of the outbound hull and earlier corners of the returning hull, so each
/// section leaves fewer corners to examine. The filter keeps the lowest outbound packet and the highest returning packet of
/// each eighth of a second, for ``span`` seconds.
///
/// The variance of the line follows from the distance between an edge and the packets next to it. The distance is small
/// if the delay has a hard lower bound, and large if the delay is normally distributed. Times are in seconds,
/// differences in nanoseconds.
struct MinimumDelayFilter: Sendable {
  /// The length of the window, seconds.
  static let span = 15.0
  /// The variance while there is no fit, square nanoseconds.
  static let unknownVariance = 1e30
  /// The number of buckets in the window. A bucket is an eighth of a second.
  static let bucketCount = 120
  /// The largest skew considered, nanoseconds per second. While the operating system slews a clock (`adjtime`), the skew
  /// is up to 500 000.
  static let maximumSkew = 1_000_000.0
  /// The largest rate at which the skew of a crystal drifts, nanoseconds per second per second: 1 ppm per minute.
  static let skewDrift = 1000.0 / 60
  /// The variance of the line, as a multiple of the sum of the squared errors of both edges. If the two errors were
  /// independent, the variance of the middle would be a quarter of the sum. The factor 8 is larger, because where the edge is soft, the
  /// packets next to the edge are closer to it by chance than the next ones will be.
  static let edgeErrorFactor = 8.0
  /// The ratio by which each section of the golden-section search shortens the range: (√5 - 1) / 2.
  private static let goldenRatio = 0.618_033_988_75

  /// The extreme packet of a bucket. A slot of a ring buffer is used again for a later bucket after ``span`` seconds.
  /// Therefore the bucket of a point follows from `x`, not from the slot.
  struct Point: Sendable {
    /// The moment of the packet in seconds; minus infinity for an empty slot.
    var x = -Double.infinity
    /// The difference of the packet in nanoseconds.
    var y = 0.0
    /// The number of packets in the bucket.
    var packets = 0.0
  }

  /// The edges of a band of a given slope.
  private struct Band {
    /// The lower and the upper edge at ``time``, in nanoseconds.
    var (low, high) = (-Double.infinity, Double.infinity)
    /// The index in the returning hull of the corner that the lower edge touches.
    var lowCorner = 0
    /// The index in the outbound hull of the corner that the upper edge touches.
    var highCorner = 0
  }

  /// For a range of slopes, the corners of both hulls that a band with such a slope can touch. Each range of indices contains at
  /// least one corner, also after rounding errors. A steeper band has a greater slope, and a flatter band has a smaller slope, also
  /// if the slopes are negative.
  private struct Corners {
    /// The range of indices in the outbound hull.
    var outbound = 0..<0
    /// The range of indices in the returning hull.
    var returning = 0..<0

    /// Discards the corners that only bands flatter than `band` touch: earlier outbound and later returning ones.
    mutating func discardFlatter(than band: Band) {
      outbound = min(band.highCorner, outbound.upperBound - 1)..<outbound.upperBound
      returning = returning.lowerBound..<max(band.lowCorner, returning.lowerBound) + 1
    }

    /// Discards the corners that only bands steeper than `band` touch: later outbound and earlier returning ones.
    mutating func discardSteeper(than band: Band) {
      outbound = outbound.lowerBound..<max(band.highCorner, outbound.lowerBound) + 1
      returning = min(band.lowCorner, returning.upperBound - 1)..<returning.upperBound
    }
  }

  // With many peers, hundreds of these filters share a processor cache: the storage is kept small.

  /// The lowest outbound packet of each bucket, as a ring buffer over time.
  private var outbound = [Point](repeating: Point(), count: bucketCount)
  /// The highest returning packet of each bucket, as a ring buffer over time.
  private var returning = [Point](repeating: Point(), count: bucketCount)
  // The slots of the corners of each hull, oldest first; preallocated.
  private var outboundHull = [UInt8](repeating: 0, count: bucketCount)
  private var returningHull = [UInt8](repeating: 0, count: bucketCount)
  /// The oldest bucket that was used since the filter began; the greatest number if none was used.
  private var oldest = Int64.max
  /// The ranges of all corners of both hulls at the last fit.
  private var corners = Corners()

  /// The offset at ``time``, nanoseconds: the middle of the band.
  private(set) var offset = 0.0
  /// The slope of the band, nanoseconds per second.
  private(set) var skew = 0.0
  /// Half the width of the band, nanoseconds.
  private(set) var halfWidth = Double.infinity
  /// The moment of the last fit, seconds.
  private var time = 0.0
  /// The variance of ``offset``, square nanoseconds.
  private var variance = unknownVariance
  /// The variance of ``skew``, (nanoseconds per second) squared.
  private var skewVariance = unknownVariance

  /// Discards all packets. The offset and the skew of the last fit remain, but have no weight (``unknownVariance``). The
  /// skew is needed to compare the packets within a bucket.
  mutating func removeAll() {
    for n in 0..<Self.bucketCount { (outbound[n], returning[n]) = (Point(), Point()) }
    (halfWidth, variance, skewVariance) = (.infinity, Self.unknownVariance, Self.unknownVariance)
    oldest = .max
  }

  /// Adds a packet. The packet is kept if it is the first of its bucket, or more extreme than the kept packet of its
  /// bucket: below (outbound) or above (returning) the line of the present skew through the kept packet. The packet is
  /// ignored if a later bucket already uses its slot.
  ///
  /// - Parameters:
  ///   - difference: the difference of the packet, nanoseconds.
  ///   - isOut: whether the packet is an outbound one.
  ///   - moment: the local instant of the packet, seconds.
  mutating func add(_ difference: Double, isOut: Bool, at moment: Double) {
    let bucket = Self.bucket(of: moment)
    let slot = Self.slot(of: bucket)
    oldest = min(oldest, bucket)
    let kept = isOut ? outbound[slot] : returning[slot]
    var packets = 1.0
    // The slot contains a packet of a later bucket.
    if Self.beginning(of: bucket + 1) <= kept.x { return }
    // The slot contains a packet of the same bucket.
    if Self.beginning(of: bucket) <= kept.x {
      packets += kept.packets
      if isOut { outbound[slot].packets = packets } else { returning[slot].packets = packets }
      let rise = difference - kept.y - skew * (moment - kept.x)
      guard isOut ? rise < 0 : rise > 0 else { return }
    }
    let point = Point(x: moment, y: difference, packets: packets)
    if isOut { outbound[slot] = point } else { returning[slot] = point }
  }

  /// The index of the eighth of a second that contains `moment`.
  private static func bucket(of moment: Double) -> Int64 {
    Int64((moment * (Double(bucketCount) / span)).rounded(.down))
  }

  /// The first moment of a bucket. An eighth of a second is a power of two, so the result is exact.
  private static func beginning(of bucket: Int64) -> Double { Double(bucket) * (span / Double(bucketCount)) }

  /// The slot of a bucket in the ring buffers: the bucket modulo ``bucketCount``, also if the bucket is negative.
  private static func slot(of bucket: Int64) -> Int {
    let remainder = Int(bucket % Int64(bucketCount))
    return remainder < 0 ? remainder + bucketCount : remainder
  }

  /// The buckets among which a fit looks for points: the last ``bucketCount``, without those before the first packet.
  private struct Window {
    /// The slot of the first bucket. The slots of the others follow in the ring buffer.
    let first: Int
    /// The number of buckets.
    let count: Int
    /// The moments of the window. A slot whose bucket had no packet can contain an older point.
    let moments: Range<Double>

    /// The window that ends with the bucket `newest`. No bucket before `oldest` contains a packet.
    init(from oldest: Int64, to newest: Int64) {
      let beginning = newest + 1 - Int64(bucketCount)
      let first = max(beginning, min(oldest, newest))
      self.first = slot(of: first)
      count = Int(newest - first) + 1
      moments = MinimumDelayFilter.beginning(of: beginning)..<MinimumDelayFilter.beginning(of: newest + 1)
    }
  }

  /// Fits the line to the packets in the window that ends at `moment`.
  ///
  /// - Returns: false, with the result of the last fit unchanged, while one direction has no packets in the window.
  mutating func fit(at moment: Double) -> Bool {
    let window = Window(from: oldest, to: Self.bucket(of: moment))
    let (outboundCount, outboundPackets) = Self.hull(of: outbound, in: window, sign: 1, into: &outboundHull)
    let (returningCount, returningPackets) = Self.hull(of: returning, in: window, sign: -1, into: &returningHull)
    guard outboundCount > 0, returningCount > 0 else { return false }
    (corners, time) = (Corners(outbound: 0..<outboundCount, returning: 0..<returningCount), moment)
    // Prior knowledge: the skew has the mean zero and the standard deviation `initialSkewDeviation`. This knowledge has
    // the weight of one packet, which moves an edge by about the width of the band divided by the number of packets. The
    // width of a band is therefore reduced by this amount, times half the square of the slope in standard deviations.
    let flatBand = band(of: 0, by: corners)
    let priorWeight = max(flatBand.high - flatBand.low, 1) / (outboundPackets + returningPackets)
    var remaining = corners
    func evaluate(_ slope: Double) -> (width: Double, band: Band) {
      let band = band(of: slope, by: remaining)
      return (band.high - band.low - Self.reduction(of: slope, priorWeight: priorWeight), band)
    }
    // `least...greatest` is the range of slopes that contains the maximum. `left` and `right` are two slopes within it.
    var (least, greatest) = (-Self.maximumSkew, Self.maximumSkew)
    let ratio = Self.goldenRatio
    var (left, right) = (greatest - (greatest - least) * ratio, least + (greatest - least) * ratio)
    var (atLeft, atRight) = (evaluate(left), evaluate(right))
    // Forty sections: the precision is a hundredth of a nanosecond per second. The last ones, with at most two corners of each hull,
    // need no search for the corners that the band touches.
    var sections = 40
    while sections > 0, remaining.outbound.count > 2 || remaining.returning.count > 2 {
      sections -= 1
      if atLeft.width < atRight.width {
        remaining.discardFlatter(than: atLeft.band)
        (least, left, atLeft) = (left, right, atRight)
        right = least + (greatest - least) * ratio
        atRight = evaluate(right)
      } else {
        remaining.discardSteeper(than: atRight.band)
        (greatest, right, atRight) = (right, left, atLeft)
        left = greatest - (greatest - least) * ratio
        atLeft = evaluate(left)
      }
    }
    if sections > 0 {
      let last = lastCorners(of: remaining)
      var (leftWidth, rightWidth) = (atLeft.width, atRight.width)
      for _ in 0..<sections {
        if leftWidth < rightWidth {
          (least, left, leftWidth) = (left, right, rightWidth)
          right = least + (greatest - least) * ratio
          rightWidth = last.width(of: right, priorWeight: priorWeight)
        } else {
          (greatest, right, rightWidth) = (right, left, leftWidth)
          left = greatest - (greatest - least) * ratio
          leftWidth = last.width(of: left, priorWeight: priorWeight)
        }
      }
    }
    skew = (least + greatest) / 2
    let best = band(of: skew, by: remaining)
    (offset, halfWidth) = ((best.low + best.high) / 2, max(0, (best.high - best.low) / 2))
    let highError = edgeError(of: outbound, to: best.high, sign: 1, in: window)
    let lowError = edgeError(of: returning, to: best.low, sign: -1, in: window)
    // If the skew drifts, the offset is a parabola with the second derivative `skewDrift`. At the end of the window, a
    // regression line deviates from this parabola by `skewDrift` times the square of `span` divided by 12. This largest drift is
    // taken for two standard deviations.
    let curvatureError = Self.skewDrift * Self.span * Self.span / 24
    variance =
      Self.edgeErrorFactor * (highError * highError + lowError * lowError) + curvatureError * curvatureError
    // For a regression line through n points over the duration T, each with the noise variance v, the variance of the
    // slope is 12 v / (n T^2), and the variance of the line at its end is 4 v / n. The variance of the slope is thus 3 /
    // T^2 times that at the end. Only the time range that contains packets in both directions determines the slope.
    let end = min(
      outbound[Int(outboundHull[outboundCount - 1])].x, returning[Int(returningHull[returningCount - 1])].x)
    let beginning = max(outbound[Int(outboundHull[0])].x, returning[Int(returningHull[0])].x)
    let duration = max(end - beginning, Self.span / Double(Self.bucketCount))
    skewVariance = min(
      3 * variance / (duration * duration), KalmanClock.initialSkewDeviation * KalmanClock.initialSkewDeviation)
    return true
  }

  /// The amount by which the prior knowledge of the skew reduces the width of a band of slope `slope`.
  private static func reduction(of slope: Double, priorWeight: Double) -> Double {
    let normalizedSlope = slope / KalmanClock.initialSkewDeviation
    return priorWeight * normalizedSlope * normalizedSlope / 2
  }

  /// The last one or two corners of each hull in the search of the widest band.
  private struct LastCorners {
    /// A corner: its moment since ``time``, and its difference.
    typealias Corner = (x: Double, y: Double)
    /// The corners of the outbound hull; twice the same if there is only one.
    var outbound: (Corner, Corner)
    /// The corners of the returning hull; twice the same if there is only one.
    var returning: (Corner, Corner)

    /// The width of the band of slope `slope`, reduced by the prior knowledge.
    func width(of slope: Double, priorWeight: Double) -> Double {
      let (a, b) = (outbound.0.y - slope * outbound.0.x, outbound.1.y - slope * outbound.1.x)
      let (c, d) = (returning.0.y - slope * returning.0.x, returning.1.y - slope * returning.1.x)
      let (low, high) = (d > c ? d : c, b < a ? b : a)
      return high - low - MinimumDelayFilter.reduction(of: slope, priorWeight: priorWeight)
    }
  }

  /// The first and the last of `remaining`, which contain at most two corners of each hull.
  private func lastCorners(of remaining: Corners) -> LastCorners {
    let first = outbound[Int(outboundHull[remaining.outbound.lowerBound])]
    let second = outbound[Int(outboundHull[remaining.outbound.upperBound - 1])]
    let third = returning[Int(returningHull[remaining.returning.lowerBound])]
    let fourth = returning[Int(returningHull[remaining.returning.upperBound - 1])]
    return LastCorners(
      outbound: ((first.x - time, first.y), (second.x - time, second.y)),
      returning: ((third.x - time, third.y), (fourth.x - time, fourth.y)))
  }

  /// Finds the corners of the lower side of the convex hull of the points in the window; of the upper side if `sign` is
  /// -1 (Andrew's monotone chain).
  ///
  /// - Parameters:
  ///   - points: a ring buffer.
  ///   - window: the window.
  ///   - sign: 1 or -1.
  ///   - corners: receives the slots of the corners, oldest first.
  /// - Returns: the number of corners, and the number of packets that the points stand for.
  private static func hull(
    of points: [Point], in window: Window, sign: Double, into corners: inout [UInt8]
  ) -> (corners: Int, packets: Double) {
    let points = points.span
    var corners = corners.mutableSpan
    var (found, packets) = (0, 0.0)
    // The last corner q and the corner p before it.
    var (px, py, qx, qy) = (0.0, 0.0, 0.0, 0.0)
    var slot = window.first
    for _ in 0..<window.count {
      let (point, current) = (points[slot], slot)
      slot = slot + 1 < bucketCount ? slot + 1 : 0
      guard window.moments.contains(point.x) else { continue }
      packets += point.packets
      while found > 1 {
        // The corner q is dropped if it does not lie below the line from p to the new point; on the upper side, if it does
        // not lie above this line.
        let turn = (qx - px) * (point.y - py) - (point.x - px) * (qy - py)
        guard sign * turn <= 0 else { break }
        found -= 1
        (qx, qy) = (px, py)
        if found > 1 {
          let before = points[Int(corners[found - 2])]
          (px, py) = (before.x, before.y)
        }
      }
      corners[found] = UInt8(truncatingIfNeeded: current)
      found += 1
      (px, py, qx, qy) = (qx, qy, point.x, point.y)
    }
    return (found, packets)
  }

  /// The edges of the band of slope `skew` at the moment of the last ``fit(at:)``. If `skew` is the true skew, they are the
  /// bounds of the offset. If the clocks did not run at a constant rate, `low` can be greater than `high`. Valid until the
  /// next ``add(_:isOut:at:)``.
  func bounds(skew: Double) -> (low: Double, high: Double) {
    let band = band(of: skew, by: corners)
    return (band.low, band.high)
  }

  /// The band of slope `slope`. Only the given corners are examined.
  private func band(of slope: Double, by corners: Corners) -> Band {
    var band = Band()
    for n in corners.outbound {
      let point = outbound[Int(outboundHull[n])]
      let value = point.y - slope * (point.x - time)
      if value < band.high { (band.high, band.highCorner) = (value, n) }
    }
    for n in corners.returning {
      let point = returning[Int(returningHull[n])]
      let value = point.y - slope * (point.x - time)
      if value > band.low { (band.low, band.lowCorner) = (value, n) }
    }
    return band
  }

  /// The amount by which an edge moves if one point is added or removed, nanoseconds (``NearestPoints``). If the window
  /// contains only one point of this direction, the amount is half the width of the band.
  ///
  /// - Parameters:
  ///   - points: the points of the direction that the edge touches.
  ///   - edge: the edge at ``time``.
  ///   - sign: 1 if the points lie above the edge, -1 if they lie below it.
  ///   - window: the window.
  private func edgeError(of points: [Point], to edge: Double, sign: Double, in window: Window) -> Double {
    let points = points.span
    var nearest = NearestPoints()
    var slot = window.first
    for _ in 0..<window.count {
      let point = points[slot]
      slot = slot + 1 < Self.bucketCount ? slot + 1 : 0
      guard window.moments.contains(point.x) else { continue }
      nearest.add(sign * (point.y - skew * (point.x - time) - edge))
    }
    return nearest.spacing ?? halfWidth
  }

  /// The offset at `moment`, nanoseconds.
  func offset(at moment: Double) -> Double { offset + (moment - time) * skew }

  /// The variance of ``offset(at:)``, in square nanoseconds.
  func variance(at moment: Double) -> Double {
    let age = moment - time
    // During the window, the skew may have drifted by `skewDrift` times `span`. The offset drifts away by this amount
    // per second.
    let driftError = Self.skewDrift * age * Self.span
    return variance + age * age * skewVariance + driftError * driftError
  }
}
