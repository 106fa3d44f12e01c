/// The six points that are nearest to an edge. Their spacing is the uncertainty of the edge: the amount by which the
/// edge moves if one point is added or removed.
struct NearestPoints {
  private var nearest: (Double, Double, Double, Double, Double, Double) = (
    .infinity, .infinity, .infinity, .infinity, .infinity, .infinity
  )
  private var count = 0

  /// Adds a point at this distance from the edge.
  mutating func add(_ distance: Double) {
    count += 1
    var rest = distance
    guard rest < nearest.5 else { return }
    if rest < nearest.0 { swap(&rest, &nearest.0) }
    if rest < nearest.1 { swap(&rest, &nearest.1) }
    if rest < nearest.2 { swap(&rest, &nearest.2) }
    if rest < nearest.3 { swap(&rest, &nearest.3) }
    if rest < nearest.4 { swap(&rest, &nearest.4) }
    if rest < nearest.5 { swap(&rest, &nearest.5) }
  }

  /// The distance from the edge to the sixth point, divided by five. With two to five points, the distance to the
  /// farthest point, divided by the number of points minus one. Nil with fewer than two points.
  var spacing: Double? {
    switch count {
    case 6...: nearest.5 / 5
    case 5: nearest.4 / 4
    case 4: nearest.3 / 3
    case 3: nearest.2 / 2
    case 2: nearest.1
    default: nil
    }
  }
}
