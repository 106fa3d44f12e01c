/// Chooses the bars of each system.
///
/// As in Knuth and Plass, "Breaking Paragraphs into Lines" (1981), the breaks are those of the whole part with the smallest sum of
/// demerits, found by dynamic programming: the best way to end a system after bar `j` is the best over all systems `i..<j`. A system that
/// would be longer than the line at its smallest is possible only if it has a single bar; that system is then drawn smaller.
struct SystemBreaks {
  /// The widths of a measure that depend on its neighbours.
  struct Ends {
    /// Clef, key, metre and repeat at the beginning of a system, and inside one.
    var start = 0.0
    var inner = 0.0
    /// The bar line and a change of clef, inside a system and at its end with the courtesy signatures.
    var end = 0.0
    var lastEnd = 0.0
  }

  let width: Double
  let spacing: MeasureSpacing
  let ends: [Ends]

  private struct Sums {
    var minimum: Double
    var natural: Double
    var elastic: Double
    var fixed: Double
  }

  /// The ranges of measures of the systems.
  func systems() -> [Range<Int>] {
    let count = ends.count
    var best = [Double](repeating: .infinity, count: count + 1)
    var from = [Int](repeating: 0, count: count + 1)
    best[0] = 0
    for end in 1...max(count, 1) where count > 0 {
      var sums = Sums(minimum: 0, natural: 0, elastic: 0, fixed: ends[end - 1].lastEnd)
      for start in stride(from: end - 1, through: 0, by: -1) {
        sums.minimum += spacing.minimum[start]
        sums.natural += spacing.natural[start]
        sums.elastic += spacing.elastic[start]
        if start < end - 1 { sums.fixed += ends[start].end + ends[start + 1].inner }
        let fixed = sums.fixed + ends[start].start
        if sums.minimum + sums.fixed > width, start < end - 1 { break }
        let cost = best[start] + demerits(sums, room: width - fixed, isSingle: start == end - 1, isLast: end == count)
        if cost < best[end] { (best[end], from[end]) = (cost, start) }
      }
    }
    var systems: [Range<Int>] = []
    var end = count
    while end > 0 {
      systems.append(from[end]..<end)
      end = from[end]
    }
    return systems.reversed()
  }

  private func demerits(_ sums: Sums, room: Double, isSingle: Bool, isLast: Bool) -> Double {
    if sums.minimum > room {
      // A bar that does not fit is alone; any other way is better.
      return isSingle ? 1e9 * (1 + sums.minimum / max(room, 1)) : .infinity
    }
    let ratio: Double
    if room >= sums.natural {
      if isLast { return 1 }
      // A line at twice the ideal distances is as bad as one at the rods.
      ratio = (room - sums.natural) / max(sums.elastic, 1)
    } else {
      ratio = (sums.natural - room) / max(sums.natural - sums.minimum, 1e-6) * 0.8
    }
    let badness = 1 + 100 * ratio * ratio * ratio
    return badness * badness
  }
}
