/// The outline of what is already drawn above or below a staff, in columns of a quarter of a staff space.
///
/// Everything outside the staff is placed against it, from the notes outwards, and then added to it.
struct Skyline {
  /// The outermost y of each column: the smallest one above a staff, the largest one below; infinite where nothing is drawn.
  private var edges: [Double]
  /// The edge of the staff itself.
  private let staff: Double
  let isAbove: Bool

  static let resolution = 0.25
  private static let left = 4.0

  init(width: Double, isAbove: Bool, edge: Double) {
    let count = Int(max(width, 0) / Self.resolution) + 33
    edges = [Double](repeating: isAbove ? .infinity : -.infinity, count: count)
    staff = edge
    self.isAbove = isAbove
  }

  private func range(_ left: Double, _ right: Double) -> ClosedRange<Int> {
    func index(_ x: Double) -> Int {
      let position = (x + Self.left) / Self.resolution
      return min(max(position.isFinite ? Int(max(min(position, 1e9), -1)) : 0, 0), edges.count - 1)
    }
    let first = index(left)
    return first...max(first, index(right - 0.001))
  }

  mutating func add(_ box: Box) { add(left: box.left, right: box.right, y: isAbove ? box.top : box.bottom) }

  mutating func add(left: Double, right: Double, y: Double) {
    for index in range(left, right) { edges[index] = isAbove ? min(edges[index], y) : max(edges[index], y) }
  }

  /// Adds a line between two points.
  mutating func add(from a: Point, to b: Point) {
    if a.x > b.x { return add(from: b, to: a) }
    let width = b.x - a.x
    for index in range(a.x, b.x) {
      let x = Double(index) * Self.resolution - Self.left + Self.resolution / 2
      let y = width > 0 ? a.y + (b.y - a.y) * min(max((x - a.x) / width, 0), 1) : b.y
      edges[index] = isAbove ? min(edges[index], y) : max(edges[index], y)
    }
  }

  /// The outermost y between two positions, the staff included.
  func edge(_ left: Double, _ right: Double) -> Double {
    isAbove ? min(content(left, right), staff) : max(content(left, right), staff)
  }

  /// The outermost y of what is drawn between two positions, also inside the staff; infinite if there is nothing.
  func content(_ left: Double, _ right: Double) -> Double {
    var result = isAbove ? Double.infinity : -Double.infinity
    for index in range(left, right) { result = isAbove ? min(result, edges[index]) : max(result, edges[index]) }
    return result
  }

  /// The largest distance by which this outline below a staff exceeds the outline above the next one.
  func overlap(with below: Skyline) -> Double {
    var distance = -Double.infinity
    for index in 0..<min(edges.count, below.edges.count) {
      distance = max(distance, max(edges[index], staff) - min(below.edges[index], below.staff))
    }
    return distance
  }

  var extreme: Double { isAbove ? min(edges.min() ?? staff, staff) : max(edges.max() ?? staff, staff) }
}
