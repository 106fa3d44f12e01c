extension Shape {
  func moved(by distance: Point) -> Shape {
    switch self {
    case .glyph(let glyph, let at, let scale): .glyph(glyph, at: at + distance, scale: scale)
    case .line(let from, let to, let thickness, let dash):
      .line(from: from + distance, to: to + distance, thickness: thickness, dash: dash)
    case .polygon(let points): .polygon(points.map { $0 + distance })
    case .slur(let from, let a, let b, let to, let thickness):
      .slur(from: from + distance, a + distance, b + distance, to: to + distance, thickness: thickness)
    case .frame(let box, let thickness): .frame(box.moved(by: distance), thickness: thickness)
    case .text(let text, let at, let style, let width): .text(text, at: at + distance, style, width: width)
    }
  }

  /// The shape with all coordinates and sizes times `factor`.
  func scaled(by factor: Double) -> Shape {
    func point(_ point: Point) -> Point { Point(point.x * factor, point.y * factor) }
    switch self {
    case .glyph(let glyph, let at, let scale): return .glyph(glyph, at: point(at), scale: scale * factor)
    case .line(let from, let to, let thickness, let dash):
      return .line(from: point(from), to: point(to), thickness: thickness * factor, dash: dash * factor)
    case .polygon(let points): return .polygon(points.map(point))
    case .slur(let from, let a, let b, let to, let thickness):
      return .slur(from: point(from), point(a), point(b), to: point(to), thickness: thickness * factor)
    case .frame(let box, let thickness):
      let corners = (point(Point(box.left, box.top)), point(Point(box.right, box.bottom)))
      return .frame(
        Box(left: corners.0.x, top: corners.0.y, right: corners.1.x, bottom: corners.1.y),
        thickness: thickness * factor)
    case .text(let text, let at, let style, let width):
      return .text(text, at: point(at), TextStyle(style.face, size: style.size * factor), width: width * factor)
    }
  }
}

extension Metrics {
  /// The smallest box around a shape. The box of a curve is that of its control points at three quarters of their height, which is the
  /// height of the curve.
  func box(_ shape: Shape) -> Box {
    switch shape {
    case .glyph(let glyph, let at, let scale): return box(glyph, scale: scale, at: at)
    case .line(let from, let to, let thickness, _):
      let half = thickness / 2
      let isHorizontal = from.y == to.y
      let (x, y) = (isHorizontal ? 0 : half, isHorizontal ? half : 0)
      return Box(
        left: min(from.x, to.x) - x, top: min(from.y, to.y) - y, right: max(from.x, to.x) + x,
        bottom: max(from.y, to.y) + y)
    case .polygon(let points):
      guard let first = points.first else { return Box(left: 0, top: 0, right: 0, bottom: 0) }
      return points.reduce(Box(left: first.x, top: first.y, right: first.x, bottom: first.y)) {
        $0.union(Box(left: $1.x, top: $1.y, right: $1.x, bottom: $1.y))
      }
    case .slur(let from, let a, let b, let to, let thickness):
      let middle = (from.y + to.y) / 2 + ((a.y + b.y) / 2 - (from.y + to.y) / 2) * 0.75
      let half = thickness / 2
      return Box(
        left: from.x, top: min(from.y, to.y, middle - half), right: to.x, bottom: max(from.y, to.y, middle + half))
    case .frame(let box, let thickness):
      let half = thickness / 2
      return Box(left: box.left - half, top: box.top - half, right: box.right + half, bottom: box.bottom + half)
    case .text(_, let at, let style, let width):
      return Box(left: at.x, top: at.y - ascent(style), right: at.x + width, bottom: at.y + descent(style))
    }
  }
}
