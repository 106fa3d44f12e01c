import Scores

/// Writes systems and headers as groups of SVG.
///
/// Each bar is a group with the notes in the order in which they sound, so that a screen reader reads the music in order. What belongs to
/// no bar follows. Lines and polygons without words of their own are joined into one path for each role, because thousands of elements are
/// slow on a phone.
struct SVGSystem {
  private let score: Score
  private let labels: SVGLabels
  private(set) var buffer = SVGBuffer()
  /// The x of the onsets of the bar that is written.
  private var onsets: [Double] = []
  /// The glyphs that are used.
  private(set) var glyphs: Set<MusicFont.Glyph> = []

  init(_ score: Score) {
    self.score = score
    labels = SVGLabels(score)
    buffer.reserve(1 << 16)
  }

  /// Writes title, creators and name of the part.
  mutating func add(header elements: [Element]) {
    guard !elements.isEmpty else { return }
    buffer.add("<g class=\"header\">")
    add(elements)
    buffer.add("</g>\n")
  }

  /// Writes a system with its origin at `place`.
  mutating func add(_ system: System, at place: Point) {
    let bars = system.measures.flatMap { Array($0.bars) }
    buffer.add("<g class=\"system\" data-bars=\"\(bars.first ?? 0)-\(bars.last ?? 0)\" data-right=\"")
    buffer.add(space: system.measures.last?.right ?? 0)
    buffer.add("\" data-y=\"")
    buffer.add(space: place.y + system.top)
    buffer.add(" ")
    buffer.add(space: place.y + system.bottom)
    buffer.add("\" data-staves=\"")
    for (index, staff) in system.staves.enumerated() {
      if index > 0 { buffer.add(" ") }
      buffer.add(space: staff)
    }
    buffer.add("\" transform=\"translate(")
    buffer.add(place)
    buffer.add(")\">")
    var (inBar, others) = ([Int: [Element]](), [Element]())
    for element in system.elements {
      if let bar = element.bar, element.role != .staff {
        inBar[bar, default: []].append(element)
      } else {
        others.append(element)
      }
    }
    add(others.filter { $0.role == .staff })
    for measure in system.measures { add(measure, &inBar) }
    // Elements whose bar is not in this system, which layout should not produce, are drawn nevertheless.
    add(inBar.keys.sorted().flatMap { inBar[$0] ?? [] } + others.filter { $0.role != .staff })
    buffer.add("</g>\n")
  }

  private mutating func add(_ measure: System.Measure, _ elements: inout [Int: [Element]]) {
    for bar in measure.bars {
      buffer.add("<g role=\"group\" id=\"b\(score.bars.indices.contains(bar) ? Int(score.bars[bar].id) : bar + 1)\"")
      buffer.add(attribute: "aria-label", "Bar \(labels.number(ofBar: bar))")
      buffer.add(" data-bar=\"\(bar)\" data-x=\"")
      buffer.add(space: measure.left)
      buffer.add("\">")
      add(elements.removeValue(forKey: bar) ?? [], bar: bar, columns: measure.onsets.filter { $0.bar == bar })
      buffer.add("</g>")
    }
  }

  /// Writes the elements of a bar. Those that belong to an onset are in a group that is moved to its x, so that stems, ledger lines and
  /// accidentals have the same few coordinates everywhere: the document is compressed to half of its size without these groups.
  ///
  /// The x of a group is rounded to a tenth of a space. Notes and rests come last in it, because compression finds a stem and its note as one.
  private mutating func add(_ elements: [Element], bar: Int, columns: [(bar: Int, offset: Fraction, x: Double)]) {
    // The column of each element: the number of columns if it has none.
    let places = elements.map { column(of: $0, columns) ?? columns.count }
    var inColumn = [[Int]](repeating: [], count: columns.count + 1)
    for (index, place) in places.enumerated() where !elements[index].isNamed { inColumn[place].append(index) }
    for (index, place) in places.enumerated() where elements[index].isNamed { inColumn[place].append(index) }
    add(elements, inColumn[columns.count])
    onsets = columns.map(\.x)
    for (number, column) in columns.enumerated() {
      buffer.add("<g role=\"group\" data-offset=\"")
      buffer.add(column.offset)
      buffer.add("\" aria-label=\"beat ")
      buffer.add(labels.beat(column.offset, inBar: bar))
      buffer.add("\" transform=\"translate(")
      buffer.add(space: column.x.tenths)
      buffer.add(")\">")
      buffer.origin = column.x
      add(elements, inColumn[number])
      buffer.origin = 0
      buffer.add("</g>")
    }
    onsets = []
  }

  /// The onset to which an element belongs: its own, or the nearest one. Signatures and bar lines belong to none.
  private func column(of element: Element, _ columns: [(bar: Int, offset: Fraction, x: Double)]) -> Int? {
    if let offset = element.offset, let index = columns.firstIndex(where: { $0.offset == offset }) { return index }
    guard element.role.hasColumn, let left = element.shapes.first?.left else { return nil }
    let x = left - element.role.distanceFromColumn
    return columns.indices.min { abs(columns[$0].x - x) < abs(columns[$1].x - x) }
  }

  private mutating func add(_ elements: [Element]) { add(elements, Array(elements.indices)) }

  /// Writes the elements with these indices. Lines and polygons of one role and thickness become one path, which is written before notes.
  private mutating func add(_ elements: [Element], _ indices: [Int]) {
    var paths: [(role: Element.Role, thickness: Double)] = []
    for index in indices where elements[index].role.isJoined {
      for shape in elements[index].shapes {
        guard let thickness = shape.joinedThickness else { continue }
        let key = (elements[index].role, thickness)
        // There are few roles, so that a search is faster than a table.
        if !paths.contains(where: { $0 == key }) { paths.append(key) }
      }
    }
    let notes = indices.firstIndex { elements[$0].isNamed } ?? indices.count
    for index in indices[..<notes] { add(elements[index]) }
    for path in paths {
      buffer.add("<path")
      if path.role == .staff || path.role == .barLine {
        buffer.add(" class=\"")
        buffer.add(path.role.rawValue)
        buffer.add("\"")
      }
      if path.thickness > 0 {
        buffer.add(" stroke=\"currentColor\" stroke-width=\"")
        buffer.add(space: path.thickness)
        buffer.add("\"")
      }
      buffer.add(" d=\"")
      for index in indices where elements[index].role == path.role {
        for shape in elements[index].shapes where shape.joinedThickness == path.thickness {
          addJoined(shape, path.role)
        }
      }
      buffer.add("\"/>")
    }
    for index in indices[notes...] { add(elements[index]) }
  }

  /// Adds a shape to the path of its role.
  ///
  /// Both ends of a beam move with the onset of their stem. A stem that ends at a sloping beam is shortened to a tenth of a space, inside the
  /// beam; the ends of other stems are at quarters of a space.
  private mutating func addJoined(_ shape: Shape, _ role: Element.Role) {
    switch shape {
    case .polygon(let points):
      guard role == .beam, !onsets.isEmpty else { return buffer.addPolygon(points) }
      let own = buffer.origin.tenths - buffer.origin
      buffer.addPolygon(
        points.map { point in
          let stem = point.x - role.distanceFromColumn
          let nearest = onsets.min { abs($0 - stem) < abs($1 - stem) } ?? buffer.origin
          return Point(point.x + nearest.tenths - nearest - own, point.y)
        })
    case .line(let from, var to, _, _):
      if role == .stem, abs(to.y * 4 - (to.y * 4).rounded()) > 0.02, abs(to.y) < 1e6 {
        to.y = (to.y * 10).rounded(to.y < from.y ? .up : .down) / 10
      }
      buffer.addLine(from, to)
    default: break
    }
  }

  /// Writes an element, without the lines that are joined.
  private mutating func add(_ element: Element) {
    let count = element.role.isJoined ? element.shapes.count { $0.joinedThickness == nil } : element.shapes.count
    guard count > 0 else { return }
    let shapes = shapes(of: element)
    if count == 1, shapes.count == 1 { return addTagged(shapes[0], of: element) }
    buffer.add("<g")
    buffer.addKind(element)
    buffer.addWords(element)
    buffer.add(">")
    for shape in shapes where !element.role.isJoined || shape.joinedThickness == nil {
      addTagged(shape, of: nil)
    }
    buffer.add("</g>")
  }

  private mutating func addTagged(_ shape: Shape, of element: Element?) {
    if case .glyph(let glyph, _, _) = shape { glyphs.insert(glyph) }
    buffer.add(shape, of: element)
  }

  /// The shapes of an element. Dynamics, hairpins and words, which are tied to no line of the staff, stand at tenths of a space.
  private func shapes(of element: Element) -> [Shape] {
    switch element.role {
    case .dynamic, .hairpin, .words:
      guard let first = element.shapes.first else { return [] }
      let (x, y) = (first.left - buffer.origin, first.top)
      let distance = Point(x.tenths - x, y.tenths - y)
      return element.shapes.map { $0.moved(by: distance) }
    default: return element.shapes
    }
  }
}
