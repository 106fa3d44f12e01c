/// Shapes as elements and paths of SVG.
extension SVGBuffer {
  /// Writes one shape as an element of SVG, with the attributes of `element` if the shape is all of it.
  ///
  /// Compression is best if what is the same for many elements, what follows from the pitch, and the id stand in this order.
  mutating func add(_ shape: Shape, of element: Element?) {
    switch shape {
    case .glyph(let glyph, let place, let scale):
      add("<use")
      addKind(element)
      add(" href=\"#g")
      add(Int(glyph.rawValue))
      add("\"")
      if scale == 1 {
        if place.x != origin {
          add(" x=\"")
          add(x: place.x)
          add("\"")
        }
        add(" y=\"")
        add(space: place.y)
      } else {
        add(" transform=\"translate(")
        add(place)
        add(")scale(")
        add(number: scale)
        add(")")
      }
      add("\"")
      addWords(element)
      add("/>")
    case .line(let from, let to, let thickness, let dash):
      add("<path")
      addKind(element)
      addWords(element)
      addStroke(thickness, dash: dash)
      add(" d=\"")
      addLine(from, to)
      add("\"/>")
    case .polygon(let points):
      add("<path")
      addKind(element)
      addWords(element)
      add(" d=\"")
      addPolygon(points)
      add("\"/>")
    case .slur(let from, let first, let second, let to, let thickness):
      add("<path")
      addKind(element)
      addWords(element)
      // The stroke gives the ends their thickness.
      add(" stroke=\"currentColor\" stroke-width=\"")
      add(space: Self.slurEnd)
      add("\" d=\"")
      addSlur(from, first, second, to, max(0, thickness - Self.slurEnd))
      add("\"/>")
    case .frame(let box, let thickness):
      add("<rect")
      addKind(element)
      addWords(element)
      addStroke(thickness, dash: 0)
      for (name, value) in [("x", box.left - origin), ("y", box.top), ("width", box.width), ("height", box.height)] {
        add(" \(name)=\"")
        add(space: value)
        add("\"")
      }
      add(" rx=\"3\"/>")
    case .text(let text, let place, let style, let width): addText(text, place, style, width, element)
    }
  }

  /// The thickness of the ends of slurs and ties. Source: Gould, Behind Bars, "Slurs": the ends taper to the thickness of a staff line.
  private static let slurEnd = 0.08

  private mutating func addStroke(_ thickness: Double, dash: Double) {
    add(" fill=\"none\" stroke=\"currentColor\" stroke-width=\"")
    add(space: thickness)
    if dash > 0 {
      add("\" stroke-dasharray=\"")
      add(space: dash)
    }
    add("\"")
  }

  mutating func addLine(_ from: Point, _ to: Point) {
    add("M")
    add(from)
    addStep(from, to)
  }

  /// A line to a point, relative to the point before.
  private mutating func addStep(_ from: Point, _ to: Point) {
    if from.x == to.x {
      add("v")
      add(difference: from.y, to.y, isFirst: true)
    } else if from.y == to.y {
      add("h")
      add(difference: from.x, to.x, isFirst: true)
    } else {
      add("l")
      add(difference: from.x, to.x, isFirst: true)
      add(difference: from.y, to.y)
    }
  }

  /// The points are relative to each other, because the thickness of beams is always the same.
  mutating func addPolygon(_ points: [Point]) {
    guard let first = points.first else { return }
    add("M")
    add(first)
    for (from, to) in zip(points, points.dropFirst()) { addStep(from, to) }
    add("z")
  }

  /// A slur is the area between two cubic Bézier curves with the same ends, whose control points have different heights. The middle of a
  /// curve moves by three quarters of the distance by which both of its control points move. All points but the first are
  /// rounded to a tenth of a space, which the eye does not see in a curve.
  private mutating func addSlur(_ from: Point, _ first: Point, _ second: Point, _ to: Point, _ thickness: Double) {
    func rounded(_ value: Double, _ origin: Double = 0) -> Double {
      ((value - origin) * Self.unit).rounded() / Self.unit + origin
    }
    let middle = first.y + second.y - from.y - to.y
    let shift = max(1, (thickness * 4 / 3 * Self.unit).rounded()) / Self.unit * (middle < 0 ? 1 : -1)
    func curve(_ a: Point, _ b: Point, _ end: Point) {
      add("C")
      add(a)
      add(next: b.x - origin)
      add(next: b.y)
      add(next: end.x - origin)
      add(next: end.y)
    }
    let (a, b) = (
      Point(rounded(first.x, origin), rounded(first.y)), Point(rounded(second.x, origin), rounded(second.y))
    )
    add("M")
    add(from)
    curve(a, b, Point(rounded(to.x, origin), rounded(to.y)))
    curve(Point(b.x, b.y + shift), Point(a.x, a.y + shift), from)
    add("z")
  }

  /// A text has the width of the layout on every device: `textLength` stretches another font to it.
  private mutating func addText(
    _ text: String, _ place: Point, _ style: TextStyle, _ width: Double, _ element: Element?
  ) {
    let isRightToLeft = text.isRightToLeft
    add("<text")
    addKind(element)
    addWords(element)
    add(" x=\"")
    add(x: isRightToLeft ? place.x + width : place.x)
    add("\" y=\"")
    add(space: place.y)
    add("\" font-size=\"")
    add(space: style.size)
    add("\"")
    if style.face == .bold || style.face == .boldItalic { add(" font-weight=\"bold\"") }
    if style.face == .italic || style.face == .boldItalic { add(" font-style=\"italic\"") }
    if isRightToLeft { add(" direction=\"rtl\"") }
    if width > 0 {
      add(" textLength=\"")
      add(space: width)
      add("\" lengthAdjust=\"spacingAndGlyphs\"")
    }
    add(">")
    add(escaped: text)
    add("</text>")
  }

  /// The outline of a glyph as the data of a path, relative to its origin.
  mutating func add(_ outline: Outline) {
    func coordinates(_ points: Point...) {
      for (index, point) in points.enumerated() {
        for (place, value) in [point.x, point.y].enumerated() {
          if index + place > 0, (value * Self.unit * 100).rounded() >= 0 { add(" ") }
          add(number: value * Self.unit)
        }
      }
    }
    for segment in outline.segments {
      switch segment {
      case .move(let to):
        add("M")
        coordinates(to)
      case .line(let to):
        add("L")
        coordinates(to)
      case .curve(let first, let second, let to):
        add("C")
        coordinates(first, second, to)
      case .close: add("z")
      }
    }
  }
}

extension String {
  /// Whether the first letter belongs to a script that is written from right to left. Source: Unicode Standard Annex 9, rules P2 and P3,
  /// with the blocks of these scripts instead of the property of each character.
  var isRightToLeft: Bool {
    for scalar in unicodeScalars {
      switch scalar.value {
      case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x1_0800...0x1_0FFF, 0x1_E800...0x1_EFFF: return true
      default: if scalar.properties.isAlphabetic { return false }
      }
    }
    return false
  }
}
