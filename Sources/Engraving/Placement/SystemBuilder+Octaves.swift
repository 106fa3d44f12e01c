import Scores

/// Octave lines. The notes under them stand an octave from their sound.
extension SystemBuilder {
  mutating func drawOctaveLines(_ lines: LinePositions) {
    for index in lines.spans[self.index] {
      guard case .octaves(let count) = part.spans[index].kind else { continue }
      drawOctaveLine(part.spans[index], count)
    }
  }

  private mutating func drawOctaveLine(_ span: MarkSpan, _ count: Int) {
    let (first, last) = (layout.systemOf[span.start.measure], layout.systemOf[span.end.measure])
    let start = first == index ? layout.x(span.start.measure, span.start.tick) : layout.musicLeft[index]
    var end = layout.measureRight[measures.upperBound - 1] - 0.2
    if last == index { end = max(layout.x(span.end.measure, span.end.tick) - 0.6, start + 1) }
    let names = ["", "8", "15", "22"]
    let isUp = count > 0
    let text = names[min(abs(count), 3)] + (isUp ? "va" : "vb")
    let style = TextStyle(.italic, size: 2)
    let width = metrics.width(text, style)
    end = max(end, start + width)
    let staff = span.staff
    let sign = isUp ? -1.0 : 1.0
    let y =
      isUp
      ? min(above[staff].edge(start, end) - 0.6, -1) : max(below[staff].edge(start, end) + 0.6, 5) + style.size * 0.7
    let line = isUp ? y - style.size * 0.6 : y
    var shapes: [Shape] = [.text(text, at: Point(start, y), style, width: width)]
    if end > start + width + 0.8 {
      shapes.append(.line(from: Point(start + width + 0.3, line), to: Point(end, line), thickness: 0.13, dash: 0.6))
      if last == index {
        shapes.append(.line(from: Point(end, line), to: Point(end, line - sign * 0.9), thickness: 0.13, dash: 0))
      }
    }
    let bar = part.measures[max(span.start.measure, measures.lowerBound)].bars.lowerBound
    add(Element(.words, bar: bar, label: text, shapes: shapes), staff: staff)
  }
}
