import Scores

/// Draws one system.
///
/// Everything is first placed around its staff, from the notes outwards, against the skylines above and below. Then the distances of the
/// staves follow from the skylines, and what spans several staves is drawn.
struct SystemBuilder {
  let layout: PartLayout
  let index: Int
  let measures: Range<Int>
  /// The elements of each staff, with y from its top line.
  var staffElements: [[Element]]
  /// The elements of the whole system, with y from its first staff.
  var elements: [Element] = []
  var above: [Skyline]
  var below: [Skyline]
  var missing: [String: Int] = [:]
  /// The chords of the system, and the tips of their stems.
  let chords: Range<Int>
  var tips: [Double]
  /// The y by which rests between the notes of a beam give way to it.
  var restShifts: [Int: Double] = [:]
  /// The lines of the beams, by their indices.
  var beamShapes: [Int: BeamShape] = [:]
  private var staves: [Double] = [0]

  var part: NotatedPart { layout.part }
  var table: SymbolTable { layout.table }
  var metrics: Metrics { layout.metrics }
  var right: Double { layout.rights[index] }

  init(_ layout: PartLayout, _ index: Int) {
    (self.layout, self.index) = (layout, index)
    measures = layout.systems[index]
    staffElements = [[Element]](repeating: [], count: layout.part.staves)
    let width = layout.rights[index]
    above = [Skyline](repeating: Skyline(width: width, isAbove: true, edge: 0), count: layout.part.staves)
    below = [Skyline](repeating: Skyline(width: width, isAbove: false, edge: 4), count: layout.part.staves)
    // The chords of a part are in the order of its measures.
    var (low, high) = (Int.max, 0)
    for measure in measures {
      for chord in layout.part.measures[measure].chords { (low, high) = (min(low, chord), max(high, chord + 1)) }
    }
    chords = low < high ? low..<high : 0..<0
    tips = chords.map { layout.table.chords[$0].stemTip }
  }

  mutating func build(_ lines: LinePositions) {
    placeBeams()
    for measure in measures { drawMeasure(measure) }
    drawBeams()
    drawTies(lines)
    drawArticulations()
    drawTuplets(lines)
    drawSlurs(lines)
    drawOuterSigns()
    drawDynamics(lines)
    drawOctaveLines(lines)
    drawLyrics(lines)
    drawTexts()
    placeStaves()
    drawStaves()
    drawBarLines()
  }

  // MARK: Elements

  func tip(_ chord: Int) -> Double {
    chords.contains(chord) ? tips[chord - chords.lowerBound] : table.chords[chord].stemTip
  }

  /// Adds an element to a staff, and to its skylines.
  mutating func add(_ element: Element, staff: Int, isOutline: Bool = true) {
    if isOutline {
      for shape in element.shapes { addOutline(metrics.box(shape), staff) }
    }
    staffElements[staff].append(element)
  }

  mutating func addOutline(_ box: Box, _ staff: Int) {
    above[staff].add(box)
    below[staff].add(box)
  }

  func offset(_ chord: NotatedChord) -> Fraction { part.timebase.fraction(chord.tick) }

  // MARK: Staves

  /// The smallest distance of the top lines of two staves, and of what stands between them.
  private static let staffDistance = 8.5
  private static let gap = 1.0

  private mutating func placeStaves() {
    for staff in 1..<max(part.staves, 1) {
      let distance = below[staff - 1].overlap(with: above[staff]) + Self.gap
      staves.append(staves[staff - 1] + max(Self.staffDistance, distance))
    }
    for staff in 0..<part.staves {
      let shift = Point(0, staves[staff])
      if shift.y == 0 {
        elements += staffElements[staff]
        continue
      }
      for var element in staffElements[staff] {
        for shape in element.shapes.indices { element.shapes[shape] = element.shapes[shape].moved(by: shift) }
        elements.append(element)
      }
    }
  }

  private mutating func drawStaves() {
    var lines: [Shape] = []
    for staff in staves {
      for line in 0..<5 {
        let y = staff + Double(line)
        lines.append(
          .line(
            from: Point(layout.margin, y), to: Point(right, y), thickness: metrics.music.staffLineThickness, dash: 0))
      }
    }
    elements.insert(Element(.staff, shapes: lines), at: 0)
    guard let last = staves.last, staves.count > 1 else { return }
    let bottom = last + 4
    elements.append(
      Element(
        .barLine,
        shapes: [
          .line(from: Point(layout.margin + 0.08, 0), to: Point(layout.margin + 0.08, bottom), thickness: 0.16, dash: 0)
        ]))
    let box = metrics.box(.brace)
    if box.height > 0 {
      let scale = bottom / box.height
      let point = Point(layout.margin - 0.2 - box.right * scale, bottom - box.bottom * scale)
      elements.append(Element(.brace, shapes: [.glyph(.brace, at: point, scale: scale)]))
    }
  }

  private mutating func drawBarLines() {
    for measure in measures {
      let isEnd = measure + 1 == measures.upperBound
      let symbol = layout.barLine(measure, isSystemEnd: isEnd)
      let bar = part.measures[measure].bars.upperBound - 1
      elements.append(
        Element(
          .barLine, id: layout.score.bars[bar].id, bar: bar, label: layout.score.bars[bar].number,
          shapes: symbol.shapes(x: layout.measureRight[measure] - symbol.width, staves: staves, metrics)))
      if let x = layout.preamble(measure, isSystemStart: measure == measures.lowerBound).repeatX {
        let start = BarLineSymbol(.regular, repeatEnd: false, repeatStart: true)
        elements.append(
          Element(
            .barLine, bar: part.measures[measure].bars.lowerBound, label: "begin repeat",
            shapes: start.shapes(x: layout.measureLeft[measure] + x, staves: staves, metrics)))
      }
    }
  }

  // MARK: Result

  func system() -> System {
    var result = System(measures: [], elements: elements, staves: staves, top: 0, bottom: 4)
    result.top = (above.first?.extreme ?? 0) - 0.1
    result.bottom = (staves.last ?? 0) + (below.last?.extreme ?? 4) + 0.1
    for staff in 1..<max(part.staves, 1) { result.top = min(result.top, staves[staff] + above[staff].extreme) }
    for staff in 0..<part.staves { result.bottom = max(result.bottom, staves[staff] + below[staff].extreme) }
    for measure in measures { result.measures.append(cursor(measure)) }
    let scale = layout.scales[index]
    return scale == 1 ? result : Self.scaled(result, by: scale)
  }

  /// Where the cursor stands in a measure.
  private func cursor(_ measure: Int) -> System.Measure {
    let data = part.measures[measure]
    let (left, right) = (layout.contentLeft[measure], layout.contentRight[measure])
    var onsets: [(bar: Int, offset: Fraction, x: Double)] = []
    if data.isMultiRest {
      for (position, bar) in data.bars.enumerated() {
        onsets.append((bar, .zero, left + (right - left) * Double(position) / Double(data.bars.count)))
      }
    } else {
      let bar = data.bars.lowerBound
      for column in table.measures[measure] where table.columns[column].order == 0 {
        let tick = table.columns[column].tick
        if onsets.isEmpty, tick > 0 { onsets.append((bar, .zero, left + 0.5)) }
        onsets.append((bar, part.timebase.fraction(tick), layout.columnX[column]))
      }
      if onsets.isEmpty { onsets.append((bar, .zero, left + 0.5)) }
    }
    return System.Measure(
      bars: data.bars, left: layout.measureLeft[measure], right: layout.measureRight[measure], onsets: onsets)
  }

  private static func scaled(_ system: System, by scale: Double) -> System {
    var result = system
    for element in result.elements.indices {
      result.elements[element].shapes = result.elements[element].shapes.map { $0.scaled(by: scale) }
    }
    result.staves = result.staves.map { $0 * scale }
    result.top *= scale
    result.bottom *= scale
    for measure in result.measures.indices {
      result.measures[measure].left *= scale
      result.measures[measure].right *= scale
      for onset in result.measures[measure].onsets.indices { result.measures[measure].onsets[onset].x *= scale }
    }
    return result
  }
}
