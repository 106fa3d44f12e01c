/// The distribution of systems over pages of one height.
///
/// The breaks minimize the sum of the squares of the empty heights of all pages but the last, as Knuth & Plass (1981) do for lines: a
/// nearly empty page in the middle is worse than two that are somewhat short. The search for each system goes back as far as a page
/// reaches, so the work is the number of systems times the number of systems on a page.
public struct PageBreaks: Sendable, Hashable {
  /// The systems of each page.
  public let pages: [Range<Int>]

  /// Creates the breaks. A system that is higher than a page has a page of its own.
  ///
  /// - Parameters:
  ///   - heights: the heights of the systems in staff spaces, from top to bottom.
  ///   - header: the height of the title on the first page.
  ///   - page: the height of a page without its margins.
  ///   - gap: the least distance of two systems.
  public init(heights: [Double], header: Double, page: Double, gap: Double) {
    let count = heights.count
    guard count > 0 else {
      pages = []
      return
    }
    // The least cost of the pages before each system, and the first system of the last of these pages.
    var costs = [Double](repeating: .infinity, count: count + 1)
    var begins = [Int](repeating: 0, count: count + 1)
    costs[0] = 0
    for end in 1...count {
      var height = -gap
      for begin in stride(from: end - 1, through: 0, by: -1) {
        height += heights[begin] + gap
        let rest = page - height - (begin == 0 ? header : 0)
        if rest < 0, begin < end - 1 { break }
        let cost = costs[begin] + (end == count || rest < 0 ? 0 : rest * rest)
        if cost < costs[end] { (costs[end], begins[end]) = (cost, begin) }
      }
    }
    var pages: [Range<Int>] = []
    var end = count
    while end > 0 {
      pages.append(begins[end]..<end)
      end = begins[end]
    }
    self.pages = pages.reversed()
  }
}
