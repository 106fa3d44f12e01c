import MusicalTime

/// A least-squares line through time differences. Its slope is the drift of one clock or timeline relative to another.
///
/// The points can be in groups. All groups have the same slope, but each group has its own intercept, as in the analysis of
/// covariance. Therefore a constant difference between two groups does not change the slope.
///
/// The standard error of the slope takes into account that the deviations from the line depend on each other (``SlopeError``). The points
/// should be about evenly spaced.
///
/// Means and moments are updated point by point (B. P. Welford, Technometrics 4 (3), 1962). All values are relative to
/// the first point, so that nanosecond resolution does not depend on the age of the clocks.
struct DriftFit {
  /// The first point. `difference` is in nanoseconds. All x and y are relative to this point: x is an instant in seconds, y is a
  /// difference in microseconds.
  private var first: (at: Instant, difference: Double)?
  /// The number of the current group.
  private var group = 0
  /// The number of points in the current group.
  private var count = 0.0
  /// The means of the points in the current group.
  private var mean = (x: 0.0, y: 0.0)
  /// The number of points of the earlier groups minus the number of these groups.
  private var earlierDegrees = 0.0
  /// The sums of x * x, x * y and y * y over all points, where x and y are relative to the means of their group.
  private var moment = (xx: 0.0, xy: 0.0, yy: 0.0)
  /// The means of blocks of adjacent points. All blocks have ``pointsPerBlock`` points, except the last block of each group.
  private var blocks: [SlopeError.Block] = []
  /// The number of points in a block, a power of two.
  private var pointsPerBlock = 1

  /// Begins a new group. The next points belong to it.
  mutating func beginGroup() {
    earlierDegrees += max(count - 1, 0)
    (count, mean) = (0, (0, 0))
    group += 1
  }

  /// Adds a point.
  ///
  /// - Parameters:
  ///   - difference: the time difference in nanoseconds.
  ///   - at: the instant of the difference by the reference clock.
  mutating func append(_ difference: Double, at: Instant) {
    let first = first ?? (at, difference)
    self.first = first
    let (x, y) = ((at - first.at).seconds, (difference - first.difference) / 1e3)
    count += 1
    let (dx, dy) = (x - mean.x, y - mean.y)
    mean.x += dx / count
    mean.y += dy / count
    moment.xx += dx * (x - mean.x)
    moment.xy += dx * (y - mean.y)
    moment.yy += dy * (y - mean.y)
    addToBlock(x, y)
  }

  private mutating func addToBlock(_ x: Double, _ y: Double) {
    if var last = blocks.last, last.group == group, last.count < Double(pointsPerBlock) {
      last.count += 1
      last.x += (x - last.x) / last.count
      last.y += (y - last.y) / last.count
      blocks[blocks.count - 1] = last
      return
    }
    // With many groups, the number of blocks is that of the groups. The limit ends the attempts to join them.
    if blocks.count >= 2 * PowerLawCovariance.size, pointsPerBlock < 1 << 40 { halveBlocks() }
    blocks.append(SlopeError.Block(group: group, position: blocks.count, count: 1, x: x, y: y))
  }

  /// Joins each two adjacent blocks of a group.
  private mutating func halveBlocks() {
    pointsPerBlock *= 2
    var halved: [SlopeError.Block] = []
    for block in blocks {
      if var last = halved.last, last.group == block.group, last.count + block.count <= Double(pointsPerBlock) {
        last.x = (last.x * last.count + block.x * block.count) / (last.count + block.count)
        last.y = (last.y * last.count + block.y * block.count) / (last.count + block.count)
        last.count += block.count
        halved[halved.count - 1] = last
      } else {
        halved.append(block)
        halved[halved.count - 1].position = halved.count - 1
      }
    }
    blocks = halved
  }

  /// The slope in parts per million, which are microseconds per second; nil if no group has points at different instants.
  var partsPerMillion: Double? { moment.xx > 0 ? moment.xy / moment.xx : nil }

  /// The errors of the slope in parts per million. Nil with too few points: about 24, or more if there are several groups.
  var error: SlopeError? {
    guard let independentError else { return nil }
    var fit = self
    while fit.blocks.count > PowerLawCovariance.size, fit.blocks.count > 2 * (group + 1) { fit.halveBlocks() }
    guard fit.blocks.count <= PowerLawCovariance.size else { return nil }
    return SlopeError(
      fit.blocks, isAveraged: fit.pointsPerBlock > 1, moment: moment.xx, independent: (independentError, degrees))
  }

  /// The degrees of freedom: the number of points, minus one for the intercept of each group, minus one for the slope.
  private var degrees: Int { Int(earlierDegrees + max(count - 1, 0)) - 1 }

  /// The standard error of the slope in parts per million, if the deviations from the line are independent. Nil if no degree of
  /// freedom is left, for example with fewer than three points in a single group.
  var independentError: Double? {
    guard degrees > 0, moment.xx > 0 else { return nil }
    let squares = max(moment.yy - moment.xy * moment.xy / moment.xx, 0)
    return (squares / Double(degrees) / moment.xx).squareRoot()
  }

  /// Returns the value of the line of the current group at an instant, in nanoseconds. If ``partsPerMillion`` is nil, the line is
  /// level. The current group must contain a point. Returns nil if no group contains a point.
  func value(at instant: Instant) -> Double? {
    guard let first else { return nil }
    let x = (instant - first.at).seconds
    return first.difference + (mean.y + (partsPerMillion ?? 0) * (x - mean.x)) * 1e3
  }
}
