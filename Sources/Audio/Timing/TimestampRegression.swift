/// Line fits through the time stamps of a device over the last 32 s, in 64 blocks of half a second.
///
/// Each time stamp is a point: x is the nominal time in seconds from the origin to the frame at the converter, and u is the
/// time in nanoseconds by which the frame is later than nominal. A device with a drift of b lies on a line of slope b. Each
/// block stores its lowest point and the mean of its points.
///
/// ``lowerBound(slopesFrom:to:)`` is the line below all points with the minimum mean distance to them (Moon, Skelly and
/// Towsley, 1999, for clock skew across a network). It is exact if the error is one-sided, as for a position that may be old
/// but is never ahead. The line touches two of the points. The search starts with the points that the lines of minimum and
/// maximum slope touch. In each iteration, the chord through both points either is the result or touches a better point.
/// ``leastSquares(slopesFrom:to:)`` is the least-squares line, for errors of both signs.
struct TimestampRegression: Sendable {
  /// The points of half a second.
  struct Block: Sendable, BitwiseCopyable {
    /// The x of the first point.
    var start = 0.0
    /// The number of points.
    var count = 0.0
    /// The mean of the points.
    var x = 0.0
    var u = 0.0
    /// The lowest point.
    var lowestX = 0.0
    var lowestU = 0.0

    @_noLocks @_noAllocation
    init() {}
  }

  /// The line u = offset + slope * x, in nanoseconds and nanoseconds per second.
  struct Line: Sendable, BitwiseCopyable {
    var offset: Double
    var slope: Double

    @_noLocks @_noAllocation
    init(offset: Double, slope: Double) { (self.offset, self.slope) = (offset, slope) }

    @_noLocks @_noAllocation
    func u(at x: Double) -> Double { offset + slope * x }
  }

  /// The length of a block in seconds.
  static var blockLength: Double { @_noLocks @_noAllocation get { 0.5 } }
  private static var capacity: Int { @_noLocks @_noAllocation get { 64 } }

  private var blocks = InlineArray<64, Block>(repeating: Block())
  private var newest = 0
  /// The number of blocks that contain points.
  private(set) var count = 0

  @_noLocks @_noAllocation
  init() {}

  /// Returns the newest block (`age` 0), which still grows, or an earlier one (`age` 1, 2, ...). `age` must be less than
  /// ``count``.
  @_noLocks @_noAllocation
  func block(age: Int) -> Block { blocks[(newest &- age) & (Self.capacity &- 1)] }

  /// The seconds from the start of the oldest block to the start of the newest block.
  var span: Double {
    @_noLocks @_noAllocation get { count == 0 ? 0 : block(age: 0).start - block(age: count &- 1).start }
  }

  /// Adds a point.
  ///
  /// - Parameters:
  ///   - x: Not less than the x of the other points.
  ///   - slope: The slope relative to which the lowest point of the block is selected.
  ///
  /// - Returns: whether the point began a new block, so that the block before it is complete.
  @_noLocks @_noAllocation
  mutating func add(x: Double, u: Double, slope: Double) -> Bool {
    let isFull = count > 0 && x - blocks[newest].start >= Self.blockLength
    if isFull || count == 0 {
      newest = (newest &+ 1) & (Self.capacity &- 1)
      if count < Self.capacity { count &+= 1 }
      blocks[newest] = Block()
      blocks[newest].start = x
    }
    var block = blocks[newest]
    if block.count == 0 || u - slope * x < block.lowestU - slope * block.lowestX {
      (block.lowestX, block.lowestU) = (x, u)
    }
    block.count += 1
    block.x += (x - block.x) / block.count
    block.u += (u - block.u) / block.count
    blocks[newest] = block
    return isFull
  }

  /// Removes all blocks except the newest `kept`.
  @_noLocks @_noAllocation
  mutating func removeBlocks(keeping kept: Int) { if kept < count { count = kept } }

  /// Returns the mean of all points. Requires at least one point.
  @_noLocks @_noAllocation
  private func centroid() -> (x: Double, u: Double) {
    var (x, u, weight) = (0.0, 0.0, 0.0)
    var age = 0
    while age < count {
      let block = block(age: age)
      weight += block.count
      x += (block.x - x) * block.count / weight
      u += (block.u - u) * block.count / weight
      age &+= 1
    }
    return (x, u)
  }

  /// Returns the least-squares line with a slope from `low` to `high`. Requires at least one point.
  @_noLocks @_noAllocation
  func leastSquares(slopesFrom low: Double, to high: Double) -> Line {
    let centroid = centroid()
    var (squares, products) = (0.0, 0.0)
    var age = 0
    while age < count {
      let block = block(age: age)
      squares += block.count * (block.x - centroid.x) * (block.x - centroid.x)
      products += block.count * (block.x - centroid.x) * (block.u - centroid.u)
      age &+= 1
    }
    var slope = squares > 0 ? products / squares : 0
    if !(slope > low) { slope = low }
    if slope > high { slope = high }
    return Line(offset: centroid.u - slope * centroid.x, slope: slope)
  }

  /// Returns the line below all points with the minimum mean distance to them and a slope from `low` to `high`. Requires at
  /// least one point.
  @_noLocks @_noAllocation
  func lowerBound(slopesFrom low: Double, to high: Double) -> Line {
    let x = centroid().x
    // While the touched point lies left of the centroid, a steeper line has a smaller mean distance.
    var left = blockTouched(bySlope: low)
    if left.lowestX >= x { return Line(offset: left.lowestU - low * left.lowestX, slope: low) }
    var right = blockTouched(bySlope: high)
    if right.lowestX <= x { return Line(offset: right.lowestU - high * right.lowestX, slope: high) }
    var slope = low
    var iterations = 0
    while iterations < Self.capacity {
      slope = (right.lowestU - left.lowestU) / (right.lowestX - left.lowestX)
      let next = blockTouched(bySlope: slope)
      if next.lowestX == left.lowestX || next.lowestX == right.lowestX { break }
      if next.lowestX < x { left = next } else { right = next }
      iterations &+= 1
    }
    return Line(offset: left.lowestU - slope * left.lowestX, slope: slope)
  }

  /// Returns the block whose lowest point is touched first by a line of `slope` that rises from below.
  @_noLocks @_noAllocation
  private func blockTouched(bySlope slope: Double) -> Block {
    var lowest = block(age: 0)
    var age = 1
    while age < count {
      let other = block(age: age)
      if other.lowestU - slope * other.lowestX < lowest.lowestU - slope * lowest.lowestX { lowest = other }
      age &+= 1
    }
    return lowest
  }
}
