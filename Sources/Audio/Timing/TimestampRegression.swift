/// Line fits through the time stamps of a device, grouped in 64 blocks. A block covers half a second, or less if the caller permits
/// short blocks. Without short blocks, the fits cover the last 32 s.
///
/// Each time stamp is a point (x, lateness). x is the time in seconds from the origin to the frame at the converter, at the
/// nominal rate. The lateness is the time in nanoseconds by which the frame is later than x. A device whose frames are
/// longer than nominal by b nanoseconds per second produces points on a line of slope b. Each block stores the mean of its
/// points and its lowest point.
///
/// **Errors of one sign.** A position report may be old but is never ahead, so its lateness is too large or exact. The
/// result is the line below all points with the minimum mean distance to them, ``lowerBound(slopesFrom:to:)`` (Moon, Skelly
/// and Towsley, 1999, for clock skew across a network). This line touches two of the points. The search starts with the
/// points that the lines of minimum and maximum slope touch. In each iteration, the line through both points either is the
/// result, or another point lies below it and replaces one of the two.
///
/// **Errors of both signs.** The result is the least-squares line, ``leastSquares(slopesFrom:to:)``.
struct TimestampRegression: Sendable {
  /// Consecutive points, as their mean and their lowest point.
  struct Block: Sendable, BitwiseCopyable {
    /// The x of the first point.
    var start = 0.0
    /// The number of points.
    var count = 0.0
    /// The mean of the points.
    var meanX = 0.0
    var meanLateness = 0.0
    /// The point that a line of the current slope, rising from below, touches first.
    var lowestX = 0.0
    var lowestLateness = 0.0

    @_noLocks @_noAllocation
    init() {}
  }

  /// The line lateness = offset + slope * x. The offset is in nanoseconds, the slope in nanoseconds per second.
  struct Line: Sendable, BitwiseCopyable {
    var offset: Double
    var slope: Double

    @_noLocks @_noAllocation
    init(offset: Double, slope: Double) { (self.offset, self.slope) = (offset, slope) }

    @_noLocks @_noAllocation
    func lateness(at x: Double) -> Double { offset + slope * x }
  }

  /// The length of a block in seconds.
  static var blockLength: Double { @_noLocks @_noAllocation get { 0.5 } }
  /// The least length of a short block in seconds, and its least number of points.
  static var shortBlockLength: Double { @_noLocks @_noAllocation get { 0.1 } }
  static var shortBlockCount: Double { @_noLocks @_noAllocation get { 16 } }
  /// The number of blocks in the ring, a power of two.
  private static var capacity: Int { @_noLocks @_noAllocation get { 64 } }

  private var blocks = InlineArray<64, Block>(repeating: Block())
  /// The index of the newest block in ``blocks``.
  private var newest = 0
  /// The number of blocks that contain points.
  private(set) var count = 0

  @_noLocks @_noAllocation
  init() {}

  /// Returns the newest block (`age` 0), which still grows, or an earlier one (`age` 1, 2, ...). `age` must be less than
  /// ``count``.
  @_noLocks @_noAllocation
  func block(age: Int) -> Block { blocks[Self.index(age: age, newest: newest)] }

  /// Returns the index of the block with this age.
  @_noLocks @_noAllocation
  private static func index(age: Int, newest: Int) -> Int { (newest &- age) & (Self.capacity &- 1) }

  /// The seconds from the start of the oldest block to the start of the newest block.
  var span: Double {
    @_noLocks @_noAllocation get { count == 0 ? 0 : block(age: 0).start - block(age: count &- 1).start }
  }

  /// Adds a point.
  ///
  /// - Parameters:
  ///   - x: Not less than the x of the other points.
  ///   - lateness: The nanoseconds by which the frame is later than nominal.
  ///   - slope: The slope relative to which the lowest point of the block is selected.
  ///   - endsShortBlock: Whether the newest block ends if it has the length and the points of a short block.
  ///
  /// - Returns: whether the point began a new block, so that the block before it is complete.
  @_noLocks @_noAllocation
  mutating func add(x: Double, lateness: Double, slope: Double, endsShortBlock: Bool) -> Bool {
    let length = x - blocks[newest].start
    let isShortBlock = length >= Self.shortBlockLength && blocks[newest].count >= Self.shortBlockCount
    let isFull = count > 0 && (length >= Self.blockLength || endsShortBlock && isShortBlock)
    if isFull || count == 0 {
      newest = (newest &+ 1) & (Self.capacity &- 1)
      if count < Self.capacity { count &+= 1 }
      blocks[newest] = Block()
      blocks[newest].start = x
    }
    var block = blocks[newest]
    if block.count == 0 || lateness - slope * x < block.lowestLateness - slope * block.lowestX {
      (block.lowestX, block.lowestLateness) = (x, lateness)
    }
    block.count += 1
    block.meanX += (x - block.meanX) / block.count
    block.meanLateness += (lateness - block.meanLateness) / block.count
    blocks[newest] = block
    return isFull
  }

  /// Removes all blocks except the newest `kept`.
  @_noLocks @_noAllocation
  mutating func removeBlocks(keeping kept: Int) { if kept < count { count = kept } }

  // The following functions are mutating although they change nothing. In a nonmutating function, a debug build copies all blocks
  // for each access.

  /// Returns the mean of all points. Requires at least one point.
  @_noLocks @_noAllocation
  private mutating func centroid() -> (x: Double, lateness: Double) {
    var (x, lateness, weight) = (0.0, 0.0, 0.0)
    var age = 0
    while age < count {
      let block = blocks[Self.index(age: age, newest: newest)]
      weight += block.count
      x += (block.meanX - x) * block.count / weight
      lateness += (block.meanLateness - lateness) * block.count / weight
      age &+= 1
    }
    return (x, lateness)
  }

  /// Returns the least-squares line through the means of the blocks, with a slope from `low` to `high`. Requires at least
  /// one point.
  @_noLocks @_noAllocation
  mutating func leastSquares(slopesFrom low: Double, to high: Double) -> Line {
    let centroid = centroid()
    var (squares, products) = (0.0, 0.0)
    var age = 0
    while age < count {
      let block = blocks[Self.index(age: age, newest: newest)]
      squares += block.count * (block.meanX - centroid.x) * (block.meanX - centroid.x)
      products += block.count * (block.meanX - centroid.x) * (block.meanLateness - centroid.lateness)
      age &+= 1
    }
    var slope = squares > 0 ? products / squares : 0
    // The negated comparison is true for NaN as well.
    if !(slope > low) { slope = low }
    if slope > high { slope = high }
    return Line(offset: centroid.lateness - slope * centroid.x, slope: slope)
  }

  /// Returns the line below all points with the minimum mean distance to them and a slope from `low` to `high`. Requires at
  /// least one point.
  @_noLocks @_noAllocation
  mutating func lowerBound(slopesFrom low: Double, to high: Double) -> Line {
    let meanX = centroid().x
    // The mean distance to the points is the distance at the centroid. If the line touches only a point left of the
    // centroid, a steeper line through this point is nearer to the centroid. The same is true of a flatter line if the point
    // is on the right. The result therefore touches a point on each side, unless this needs a slope outside the limits. In
    // that case, one of the two returns below gives the line with the limit as its slope.
    var left = blockTouched(bySlope: low)
    if left.lowestX >= meanX { return Line(offset: left.lowestLateness - low * left.lowestX, slope: low) }
    var right = blockTouched(bySlope: high)
    if right.lowestX <= meanX { return Line(offset: right.lowestLateness - high * right.lowestX, slope: high) }
    var slope = low
    var iterations = 0
    while iterations < Self.capacity {
      slope = (right.lowestLateness - left.lowestLateness) / (right.lowestX - left.lowestX)
      let next = blockTouched(bySlope: slope)
      if next.lowestX == left.lowestX || next.lowestX == right.lowestX { break }
      if next.lowestX < meanX { left = next } else { right = next }
      iterations &+= 1
    }
    return Line(offset: left.lowestLateness - slope * left.lowestX, slope: slope)
  }

  /// Returns the block whose lowest point is touched first by a line of `slope` that rises from below.
  @_noLocks @_noAllocation
  private mutating func blockTouched(bySlope slope: Double) -> Block {
    var lowest = blocks[newest]
    var age = 1
    while age < count {
      let other = blocks[Self.index(age: age, newest: newest)]
      let isLower = other.lowestLateness - slope * other.lowestX < lowest.lowestLateness - slope * lowest.lowestX
      if isLower { lowest = other }
      age &+= 1
    }
    return lowest
  }
}
