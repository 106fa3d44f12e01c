/// A row of distances between columns. Each one has an ideal length, which scales with the row, and a rod, below which it must not fall.
///
/// A distance at the scale `s` is the larger of its rod and `s` times its ideal length. The length of the row therefore grows with `s`,
/// and the scale that fills a line follows from the distances that are on their rods (Gourlay 1987; Renz 2002, chapter 4).
struct Springs {
  var ideals: [Double] = []
  var rods: [Double] = []

  mutating func append(ideal: Double, rod: Double) {
    ideals.append(ideal)
    rods.append(rod)
  }

  /// The scale at which the distances in `range` have the length `target`, or the largest scale at which all are on their rods.
  ///
  /// The scale falls in each round, and each round puts at least one more distance on its rod, so the loop ends.
  static func scale(_ ideals: [Double], _ rods: [Double], _ range: Range<Int>, target: Double) -> Double {
    var total = 0.0
    for index in range { total += ideals[index] }
    guard total > 0 else { return 0 }
    var scale = target / total
    for _ in 0...range.count {
      var (fixed, free) = (0.0, 0.0)
      for index in range {
        if rods[index] > scale * ideals[index] { fixed += rods[index] } else { free += ideals[index] }
      }
      guard free > 0 else { return scale }
      let next = (target - fixed) / free
      if next >= scale * (1 - 1e-12) { return scale }
      scale = max(next, 0)
    }
    return scale
  }

  /// Lengthens the rods in `range` in proportion to the ideal lengths, so that their sum is at least `length`.
  mutating func hold(_ range: Range<Int>, apart length: Double) {
    if range.isEmpty { return }
    var sum = 0.0
    for index in range { sum += rods[index] }
    if sum >= length { return }
    let scale = Self.scale(ideals, rods, range, target: length)
    var reached = 0.0
    for index in range {
      rods[index] = max(rods[index], scale * ideals[index])
      reached += rods[index]
    }
    // Without ideal lengths, the last distance takes what is left.
    if reached < length { rods[range.upperBound - 1] += length - reached }
  }
}
