/// The standard errors of the shares of the stages of a path, by a block jackknife.
///
/// A share is the slope of the regression of the stage on the total. The usual standard error of a slope assumes that the ticks are
/// independent, but the delay of a tick usually depends on that of the tick before. The jackknife calculates the share without each one of
/// 6 to 11 blocks of successive ticks. The spread of these values gives the standard error, provided that a block is longer than the
/// dependence (H. Künsch, "The Jackknife and the Bootstrap for General Stationary Observations", Annals of Statistics 17 (3), 1989). With more
/// and shorter blocks, the error would be too small for flicker noise. At most 32 blocks are stored: if they are full, each two adjacent
/// blocks are joined, so the memory does not depend on the number of ticks.
///
/// If the mean of the total wanders from block to block, as the sum of independent steps does, the total has no variance, and the share no
/// true value: two independent stages that wander seem to be correlated (G. Yule, "Why do we sometimes get nonsense-correlations between
/// time-series?", Journal of the Royal Statistical Society 89, 1926). Then there is no standard error.
struct ShareJackknife {
  /// Sums over the ticks of a block. Durations are relative to a reference.
  private struct Block {
    var count = 0.0
    /// The sums of the totals and of their squares.
    var total = 0.0, square = 0.0
    /// For each stage, the sum of the durations, and of their products with the total.
    var stages: [(sum: Double, product: Double)]

    /// Adds the sums of `other`, times `sign`.
    mutating func add(_ other: Block, sign: Double = 1) {
      count += sign * other.count
      total += sign * other.total
      square += sign * other.square
      for index in stages.indices {
        stages[index].sum += sign * other.stages[index].sum
        stages[index].product += sign * other.stages[index].product
      }
    }

    /// The share of a stage; nil if the total does not vary.
    func share(_ stage: Int) -> Double? {
      let variance = square - total * total / count
      guard count > 1, variance > 0 else { return nil }
      return (stages[stage].product - stages[stage].sum * total / count) / variance
    }
  }

  private var blocks: [Block] = []
  /// The number of ticks in a full block.
  private var blockLength = 1.0
  private let stages: Int

  private static let (fewestBlocks, mostBlocks) = (8, 32)
  /// The number of groups of stored blocks that the jackknife leaves out in turn, if there are enough blocks.
  private static let groups = 6
  /// The largest share of the variance of the total that is the variance of the means of the blocks. Of 200 simulations with flicker noise,
  /// about 95 % are below it, and with a random walk, at most 3 %.
  private static let largestWander = 0.4

  init(stages: Int) { self.stages = stages }

  /// Adds the durations of the stages of a tick, and their sum, each relative to a reference that is the same for all ticks.
  mutating func add(_ durations: [Double], total: Double) {
    if blocks.last.map({ $0.count >= blockLength }) ?? true {
      if blocks.count == Self.mostBlocks { joinPairs() }
      blocks.append(Block(stages: Array(repeating: (0, 0), count: stages)))
    }
    let tick = Block(count: 1, total: total, square: total * total, stages: durations.map { ($0, $0 * total) })
    blocks[blocks.count - 1].add(tick)
  }

  private mutating func joinPairs() {
    blocks = stride(from: 0, to: blocks.count, by: 2).map { index in
      var pair = blocks[index]
      pair.add(blocks[index + 1])
      return pair
    }
    blockLength *= 2
  }

  /// Returns the standard error of the share of a stage: half the width of the 95 % interval by Student's distribution, divided by 1.96. Nil
  /// with fewer than eight blocks, or if the total does not vary or wanders.
  func standardError(of stage: Int) -> Double? {
    // A last block that is less than half full would have less weight than the jackknife assumes.
    let stored = blocks.filter { 2 * $0.count >= blockLength }
    guard stored.count >= Self.fewestBlocks else { return nil }
    let blocksPerGroup = stored.count / Self.groups
    let full = (0..<stored.count / blocksPerGroup).map { group in
      var joined = Block(stages: Array(repeating: (0, 0), count: stages))
      for block in stored[group * blocksPerGroup..<(group + 1) * blocksPerGroup] { joined.add(block) }
      return joined
    }
    var all = Block(stages: Array(repeating: (0, 0), count: stages))
    for block in full { all.add(block) }
    // The means of blocks of n independent ticks have 1 / n of the variance.
    let mean = all.total / all.count
    let between = full.reduce(0) { $0 + $1.count * ($1.total / $1.count - mean) * ($1.total / $1.count - mean) }
    let wander = between / (all.square - all.total * mean)
    guard wander < Self.largestWander + Double(full.count) / all.count else { return nil }
    let shares = full.compactMap { block in
      var others = all
      others.add(block, sign: -1)
      return others.share(stage)
    }
    guard shares.count == full.count else { return nil }
    let count = Double(shares.count)
    let center = shares.reduce(0, +) / count
    let squares = shares.reduce(0) { $0 + ($1 - center) * ($1 - center) }
    let error = ((count - 1) / count * squares).squareRoot()
    return StudentMixture([(1, error)], degrees: count - 1).halfWidth(level: 0.95) / SlopeError.normalQuantile
  }
}
