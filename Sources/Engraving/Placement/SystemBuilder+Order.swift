import Scores

/// What says the order of the bars: endings, segno, coda, D.C., D.S. and Fine.
extension SystemBuilder {
  private static let jumpStyle = TextStyle(.boldItalic, size: 2.2)

  // MARK: Endings

  /// The brackets of the endings of a system stand on one line.
  mutating func drawEndings() {
    var brackets: [(left: Double, right: Double, text: String, closes: Bool, opens: Bool, bar: Int)] = []
    for measure in measures {
      guard let start = endingStart(measure) else { continue }
      let begins = start == measure
      let bar = layout.bar(start)
      let end = layout.lastBar(measure).endingEnd
      let left = measure == measures.lowerBound ? layout.contentLeft[measure] : layout.measureLeft[measure]
      let right = layout.measureRight[measure]
      let text = begins ? bar.ending.map(String.init).joined(separator: ", ") + "." : ""
      if !begins, let last = brackets.indices.last, brackets[last].bar == part.measures[start].bars.lowerBound {
        brackets[last].right = right
        brackets[last].closes = end == .stop
      } else {
        brackets.append((left, right, text, end == .stop, begins, part.measures[start].bars.lowerBound))
      }
    }
    if brackets.isEmpty { return }
    let style = TextStyle(.roman, size: 1.9)
    var y = -3.2
    for bracket in brackets { y = min(y, above[0].edge(bracket.left, bracket.right) - 2.0) }
    for bracket in brackets {
      let (left, right) = (bracket.left + 0.1, bracket.right - 0.15)
      var shapes: [Shape] = [.line(from: Point(left, y), to: Point(right, y), thickness: 0.16, dash: 0)]
      if bracket.opens {
        shapes.append(.line(from: Point(left, y), to: Point(left, y + 1.8), thickness: 0.16, dash: 0))
        let width = metrics.width(bracket.text, style)
        shapes.append(.text(bracket.text, at: Point(left + 0.5, y + 1.6), style, width: width))
      }
      if bracket.closes {
        shapes.append(.line(from: Point(right, y), to: Point(right, y + 1.8), thickness: 0.16, dash: 0))
      }
      add(Element(.ending, bar: bracket.bar, label: "ending \(bracket.text)", shapes: shapes), staff: 0)
    }
  }

  /// The measure in which the ending that contains a measure begins; nil outside endings.
  private func endingStart(_ measure: Int) -> Int? {
    var index = measure
    while index >= 0, measure - index < 32 {
      if !layout.bar(index).ending.isEmpty { return index }
      if index < measure || index == 0 {
        if index == 0 || layout.lastBar(index).endingEnd != nil { return nil }
      }
      index -= 1
      guard index >= 0 else { return nil }
      let bar = layout.lastBar(index)
      if bar.endingEnd != nil { return nil }
      if bar.ending.isEmpty, bar.repeatEnd != nil { return nil }
    }
    return nil
  }

  // MARK: Signs of the order of bars

  mutating func drawJumps(_ measure: Int) {
    let (first, last) = (layout.bar(measure), layout.lastBar(measure))
    let index = part.measures[measure].bars.lowerBound
    let left = measure == measures.lowerBound ? layout.contentLeft[measure] : layout.measureLeft[measure]
    if first.segno != nil { drawGlyph(.segno, .segno, x: left, bar: index) }
    if first.coda != nil { drawGlyph(.coda, .coda, x: left, bar: index) }
    var texts: [String] = []
    if last.toCoda != nil { texts.append("To Coda") }
    if last.isFine { texts.append("Fine") }
    switch last.jump {
    case .daCapo: texts.append(layout.hasFine ? "D.C. al Fine" : layout.hasCoda ? "D.C. al Coda" : "D.C.")
    case .dalSegno: texts.append(layout.hasFine ? "D.S. al Fine" : layout.hasCoda ? "D.S. al Coda" : "D.S.")
    case nil: break
    }
    for text in texts {
      let width = metrics.width(text, Self.jumpStyle)
      let x = layout.measureRight[measure] - width
      addText(
        text, .jump, Self.jumpStyle, x: max(x, left), bar: part.measures[measure].bars.upperBound - 1, staff: 0)
    }
  }

  private mutating func drawGlyph(_ glyph: MusicFont.Glyph, _ role: Element.Role, x: Double, bar: Int) {
    let box = metrics.box(glyph)
    let left = max(x, box.width / 2) - box.width / 2
    let y = min(above[0].edge(left, left + box.width) - 0.5, -0.8) - box.bottom
    add(
      Element(role, bar: bar, label: "\(glyph)", shapes: [.glyph(glyph, at: Point(left - box.left, y), scale: 1)]),
      staff: 0)
  }
}
