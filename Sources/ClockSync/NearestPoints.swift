/// The distances of the six points that are nearest to an edge of the band of a ``MinimumDelayFilter``, in nanoseconds.
/// The edge touches the nearest point, so the smallest distance is zero. The mean spacing of the six distances is the
/// uncertainty of the edge: the amount by which the edge moves if one point is added or removed.
struct NearestPoints {
  /// The smallest distances, in ascending order.
  private var nearest: (Double, Double, Double, Double, Double, Double) = (
    .infinity, .infinity, .infinity, .infinity, .infinity, .infinity
  )
  /// The number of points added.
  private var count = 0

  /// Adds a point at `distance` from the edge. The distance is inserted in order, and the larger ones move up by one place.
  mutating func add(_ distance: Double) {
    count += 1
    var moving = distance
    guard moving < nearest.5 else { return }
    if moving < nearest.0 { swap(&moving, &nearest.0) }
    if moving < nearest.1 { swap(&moving, &nearest.1) }
    if moving < nearest.2 { swap(&moving, &nearest.2) }
    if moving < nearest.3 { swap(&moving, &nearest.3) }
    if moving < nearest.4 { swap(&moving, &nearest.4) }
    if moving < nearest.5 { swap(&moving, &nearest.5) }
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
