import Scores

/// Texts and signs above the system: chord symbols, words, endings, segno and coda, tempo marks, rehearsal marks and the bar number,
/// from the staff outwards.
extension SystemBuilder {
  private static let numberStyle = TextStyle(.italic, size: 1.7)

  mutating func drawTexts() {
    drawChordSymbols()
    drawWords()
    drawEndings()
    drawBarNumber()
    for measure in measures { drawJumps(measure) }
    drawTempos()
    for measure in measures { drawRehearsals(measure) }
  }

  /// Chord symbols of a system stand on one line.
  private mutating func drawChordSymbols() {
    var symbols: [(symbol: ChordSymbol, x: Double, width: Double, bar: Int)] = []
    for measure in measures {
      for mark in part.marks[part.measures[measure].marks] {
        guard case .symbol(let symbol) = mark.content else { continue }
        let x = layout.x(measure, mark.tick)
        symbols.append(
          (symbol, x, metrics.width(symbol.printed, ChordSymbol.style), part.measures[measure].bars.lowerBound))
      }
    }
    if symbols.isEmpty { return }
    symbols.sort { $0.x < $1.x }
    var y = -1.6
    for symbol in symbols {
      y = min(y, above[0].edge(symbol.x, symbol.x + symbol.width) - 0.5 - metrics.descent(ChordSymbol.style))
    }
    var end = -Double.infinity
    for entry in symbols {
      // A symbol between columns keeps its distance from the one before.
      let x = max(entry.x, end)
      end = x + entry.width + 0.5
      add(
        Element(
          .chordSymbol, id: entry.symbol.id, bar: entry.bar, offset: entry.symbol.offset, label: entry.symbol.text,
          shapes: [.text(entry.symbol.printed, at: Point(x, y), ChordSymbol.style, width: entry.width)]), staff: 0)
    }
  }

  // MARK: Words

  /// Places a text against the skyline, and returns its baseline.
  mutating func addText(
    _ text: String, _ role: Element.Role, _ style: TextStyle, x: Double, bar: Int, staff: Int
  ) {
    // A text that is too long for the line begins further to the left, and is broken at last.
    let lines = TextLines.lines(text, style, right - layout.margin, metrics)
    let widths = lines.map { metrics.width($0, style) }
    let width = widths.max() ?? 0
    let left = max(min(x, right - width), layout.margin)
    var y = min(above[staff].edge(left, left + width) - 0.5, -0.9) - metrics.descent(style)
    y -= Double(lines.count - 1) * style.size * 1.15
    var shapes: [Shape] = []
    for (line, width) in zip(lines, widths) {
      shapes.append(.text(line, at: Point(left, y), style, width: width))
      y += style.size * 1.15
    }
    add(Element(role, bar: bar, label: text, shapes: shapes), staff: staff)
  }

  /// A pedal is drawn as words below the staff.
  private mutating func drawPedal(_ isDown: Bool, _ x: Double, _ staff: Int, bar: Int) {
    let text = isDown ? "Ped." : "*"
    let style = TextStyle(.boldItalic, size: 2)
    let width = metrics.width(text, style)
    let left = max(min(isDown ? x - 0.3 : x - width, right - width), layout.margin)
    let y = max(below[staff].edge(left, left + width) + 0.4, 5) + style.size * 0.75
    add(
      Element(
        .words, bar: bar, label: isDown ? "pedal" : "pedal up",
        shapes: [
          .text(text, at: Point(left, y), style, width: width)
        ]), staff: staff)
  }

  private mutating func drawWords() {
    for measure in measures {
      for mark in part.marks[part.measures[measure].marks] {
        switch mark.content {
        case .words(let text) where !metrics.isExpression(text):
          addText(
            text, .words, TextStyle.words, x: layout.x(measure, mark.tick), bar: part.measures[measure].bars.lowerBound,
            staff: mark.staff)
        case .pedal(let isDown):
          drawPedal(isDown, layout.x(measure, mark.tick), mark.staff, bar: part.measures[measure].bars.lowerBound)
        default: break
        }
      }
    }
  }

  // MARK: Bar number

  /// The number of the first bar of each system but the first.
  private mutating func drawBarNumber() {
    let bar = part.measures[measures.lowerBound].bars.lowerBound
    let number = layout.score.bars[bar].number
    guard bar > 0, !number.isEmpty, number.utf8.count <= 8, !layout.score.bars[bar].isImplicit else { return }
    let width = metrics.width(number, Self.numberStyle)
    let x = layout.margin
    let y = min(above[0].edge(x, x + width) - 0.4, -0.6)
    add(
      Element(
        .barNumber, id: layout.score.bars[bar].id, bar: bar, label: "bar \(number)",
        shapes: [.text(number, at: Point(x, y), Self.numberStyle, width: width)]), staff: 0)
    // Words keep their distance from the number.
    above[0].add(left: x, right: x + width + 0.8, y: y - 1.2)
  }
}
