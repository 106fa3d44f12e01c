/// The distances of the six points that are nearest to an edge of the band of a ``MinimumDelayFilter``, in nanoseconds.
/// The edge touches the nearest point, so the smallest distance is zero. The mean spacing of the six distances is the
/// uncertainty of the edge: the amount by which the edge moves if one point is added or removed.
struct NearestPoints {
  /// The smallest distances, in ascending order.
  private var nearest = InlineArray<6, Double>(repeating: .infinity)
  /// The number of points added.
  private var count = 0

  /// Adds a point at `distance` from the edge. The distance is inserted in order, and the larger ones move up by one place.
  @inline(__always) mutating func add(_ distance: Double) {
    count += 1
    guard distance < nearest[5] else { return }
    insert(distance)
  }

  private mutating func insert(_ distance: Double) {
    var place = 5
    while place > 0, distance < nearest[place - 1] {
      nearest[place] = nearest[place - 1]
      place -= 1
    }
    nearest[place] = distance
  }

  /// The distance from the edge to the sixth point, divided by five. With two to five points, the distance to the
  /// farthest point, divided by the number of points minus one. Nil with fewer than two points.
  var spacing: Double? {
    guard count >= 2 else { return nil }
    let last = min(count, 6) - 1
    return nearest[last] / Double(last)
  }
}
