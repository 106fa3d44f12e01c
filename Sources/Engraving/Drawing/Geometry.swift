/// A point in staff spaces: x to the right, y downwards.
public struct Point: Hashable, Sendable, BitwiseCopyable {
  public var x: Double
  public var y: Double

  public init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }

  public static func + (a: Point, b: Point) -> Point { Point(a.x + b.x, a.y + b.y) }
}

/// A rectangle in staff spaces; `top` is less than `bottom`.
public struct Box: Hashable, Sendable, BitwiseCopyable {
  public var left: Double
  public var top: Double
  public var right: Double
  public var bottom: Double

  public init(left: Double, top: Double, right: Double, bottom: Double) {
    (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
  }

  public var width: Double { right - left }
  public var height: Double { bottom - top }

  /// The smallest box that contains both.
  public func union(_ other: Box) -> Box {
    Box(
      left: min(left, other.left), top: min(top, other.top), right: max(right, other.right),
      bottom: max(bottom, other.bottom))
  }

  /// Whether the two boxes have an area in common that is larger than `tolerance` in both directions.
  public func overlaps(_ other: Box, tolerance: Double = 0) -> Bool {
    min(right, other.right) - max(left, other.left) > tolerance
      && min(bottom, other.bottom) - max(top, other.top) > tolerance
  }

  public func moved(by distance: Point) -> Box {
    Box(left: left + distance.x, top: top + distance.y, right: right + distance.x, bottom: bottom + distance.y)
  }
}
