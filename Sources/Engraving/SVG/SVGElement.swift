import Scores

/// What the writer of SVG must know about elements, and their attributes.
extension SVGBuffer {
  /// The attributes that many elements have alike: class and role.
  mutating func addKind(_ element: Element?) {
    guard let element else { return }
    add(" class=\"")
    add(element.role.rawValue)
    add(element.hasWords ? "\" role=\"img\"" : "\"")
  }

  /// The attributes that differ: words and id.
  mutating func addWords(_ element: Element?) {
    guard let element else { return }
    if element.hasWords { add(attribute: "aria-label", element.label) }
    guard element.isNamed else { return }
    add(" id=\"")
    add(element.role.idPrefix)
    add(Int(element.id))
    add("\"")
  }

  /// `2` or `3/2`.
  mutating func add(_ fraction: Fraction) {
    add(Int(fraction.numerator))
    guard fraction.denominator != 1 else { return }
    add("/")
    add(Int(fraction.denominator))
  }
}

extension Element {
  /// Whether the element has its id in the document. Other elements may have the id of the note to which they belong.
  var isNamed: Bool { id != 0 && !role.idPrefix.isEmpty }

  /// Whether a screen reader says the label. It reads texts themselves, and a note says its accidental.
  var hasWords: Bool {
    !label.isEmpty && role != .accidental && !shapes.allSatisfy { if case .text = $0 { true } else { false } }
  }
}

extension Element.Role {
  var idPrefix: String {
    switch self {
    case .note: "n"
    case .rest: "r"
    case .chordSymbol: "c"
    default: ""
    }
  }

  /// How far to the right of its onset an element usually begins, in staff spaces.
  var distanceFromColumn: Double {
    switch self {
    case .stem, .flag, .beam, .slur, .tie: 0.65
    case .dot: 1.7
    case .accidental: -1.3
    case .ledger: -0.35
    default: 0
    }
  }

  /// Whether elements of this role belong to an onset.
  var hasColumn: Bool {
    switch self {
    case .staff, .barLine, .clef, .key, .metre, .ending, .barNumber, .brace, .multiRest, .partName: false
    default: true
    }
  }

  /// Whether the lines of several elements become one path.
  var isJoined: Bool {
    switch self {
    case .staff, .barLine, .stem, .ledger, .beam: true
    default: false
    }
  }
}

extension Double {
  /// The number rounded to tenths.
  var tenths: Double { (self * 10).rounded() / 10 }
}

extension Shape {
  /// The thickness of a line that can be part of a longer path, 0 for a polygon; nil for other shapes.
  var joinedThickness: Double? {
    switch self {
    case .line(_, _, let thickness, dash: 0): thickness
    case .polygon: 0
    default: nil
    }
  }

  /// The x of the place of the shape.
  var left: Double { place.x }
  /// The y of the place of the shape.
  var top: Double { place.y }

  private var place: Point {
    switch self {
    case .glyph(_, let place, _), .text(_, let place, _, _): place
    case .line(let from, _, _, _), .slur(let from, _, _, _, _): from
    case .polygon(let points): points.first ?? Point(0, 0)
    case .frame(let box, _): Point(box.left, box.top)
    }
  }
}
