/// What the stamps of the last 32 s say of a device's clock, in 64 blocks of half a second.
///
/// A stamp is a point: x, the seconds that the frame at the converter lies after the origin at the nominal rate, and u,
/// the nanoseconds by which it sounded later than the nominal rate has it. A device that drifts by b lies on a line of
/// slope b. Of each block the lowest point is kept and the mean of all.
///
/// ``floor(slopes:)`` is the line below all points that is nearest to them in the mean (Moon, Skelly and Towsley, 1999,
/// for the skew of clocks across a network): the exact one when lateness is one-sided, as where a position is read that
/// may be old but never ahead. It touches two of the points, found by turning: from the points touched by the steepest
/// and the flattest line allowed, the chord between them is a better line, or the best. ``mean(slopes:)`` is the line of
/// least squares, for noise of both signs.
struct TimestampRegression: Sendable {
  struct Block: Sendable, BitwiseCopyable {
    var start = 0.0
    var count = 0.0
    var x = 0.0
    var u = 0.0
    var lowestX = 0.0
    var lowestU = 0.0

    @_noLocks @_noAllocation
    init() {}
  }

  /// u = offset + slope * x, in nanoseconds and nanoseconds a second.
  struct Line: Sendable, BitwiseCopyable {
    var offset: Double
    var slope: Double

    @_noLocks @_noAllocation
    init(offset: Double, slope: Double) { (self.offset, self.slope) = (offset, slope) }

    @_noLocks @_noAllocation
    func u(at x: Double) -> Double { offset + slope * x }
  }

  static var blockLength: Double { @_noLocks @_noAllocation get { 0.5 } }
  private static var capacity: Int { @_noLocks @_noAllocation get { 64 } }

  private var blocks = InlineArray<64, Block>(repeating: Block())
  private var newest = 0
  /// How many blocks hold points.
  private(set) var count = 0

  @_noLocks @_noAllocation
  init() {}

  /// The block that grows, and with `age` 1, 2... those before it; `age` must be less than ``count``.
  @_noLocks @_noAllocation
  func block(age: Int) -> Block { blocks[(newest &- age) & (Self.capacity &- 1)] }

  /// Seconds from the first block's beginning to the last's.
  var span: Double {
    @_noLocks @_noAllocation get { count == 0 ? 0 : block(age: 0).start - block(age: count &- 1).start }
  }

  /// Adds a point not before the others. Which of a block is the lowest is judged along `slope`.
  ///
  /// - Returns: whether a block has been completed.
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

  /// Forgets all blocks but the newest `kept`.
  @_noLocks @_noAllocation
  mutating func forget(keeping kept: Int) { if kept < count { count = kept } }

  /// The middle of all points. There must be one.
  @_noLocks @_noAllocation
  private func middle() -> (x: Double, u: Double) {
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

  /// The line of least squares with a slope from `low` to `high`. There must be a point.
  @_noLocks @_noAllocation
  func mean(slopesFrom low: Double, to high: Double) -> Line {
    let middle = middle()
    var (squares, products) = (0.0, 0.0)
    var age = 0
    while age < count {
      let block = block(age: age)
      squares += block.count * (block.x - middle.x) * (block.x - middle.x)
      products += block.count * (block.x - middle.x) * (block.u - middle.u)
      age &+= 1
    }
    var slope = squares > 0 ? products / squares : 0
    if !(slope > low) { slope = low }
    if slope > high { slope = high }
    return Line(offset: middle.u - slope * middle.x, slope: slope)
  }

  /// The line below all points, nearest to them in the mean, with a slope from `low` to `high`. There must be a point.
  @_noLocks @_noAllocation
  func floor(slopesFrom low: Double, to high: Double) -> Line {
    let x = middle().x
    // A steeper line is nearer in the mean as long as the point it touches lies left of the middle.
    var left = touched(by: low)
    if left.lowestX >= x { return Line(offset: left.lowestU - low * left.lowestX, slope: low) }
    var right = touched(by: high)
    if right.lowestX <= x { return Line(offset: right.lowestU - high * right.lowestX, slope: high) }
    var slope = low
    var turns = 0
    while turns < Self.capacity {
      slope = (right.lowestU - left.lowestU) / (right.lowestX - left.lowestX)
      let next = touched(by: slope)
      if next.lowestX == left.lowestX || next.lowestX == right.lowestX { break }
      if next.lowestX < x { left = next } else { right = next }
      turns &+= 1
    }
    return Line(offset: left.lowestU - slope * left.lowestX, slope: slope)
  }

  /// The block whose lowest point a line of this slope, raised from below, touches first.
  @_noLocks @_noAllocation
  private func touched(by slope: Double) -> Block {
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
