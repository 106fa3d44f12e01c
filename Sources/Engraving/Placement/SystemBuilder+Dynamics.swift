import Scores

/// Dynamics and hairpins. Those that follow each other stand on one line (Gould, Behind Bars, chapter 4). Below the staff; above it if
/// syllables are below.
extension SystemBuilder {
  private struct Item {
    var left: Double
    var right: Double
    var content: Content
    var bar: Int
    enum Content {
      case dynamic(Dynamic)
      case hairpin(isCrescendo: Bool, opensFrom: Double, opensTo: Double)
      case words(String)
    }
  }

  mutating func drawDynamics(_ lines: LinePositions) {
    var items = [[Item]](repeating: [], count: part.staves)
    for measure in measures {
      let bar = part.measures[measure].bars.lowerBound
      for mark in part.marks[part.measures[measure].marks] {
        switch mark.content {
        case .dynamic(let dynamic): addDynamic(dynamic, layout.x(measure, mark.tick), bar, &items[mark.staff])
        case .words(let text) where metrics.isExpression(text):
          let width = metrics.width(text, TextStyle.words)
          let left = max(min(layout.x(measure, mark.tick), right - width), layout.margin)
          items[mark.staff].append(
            Item(left: left, right: left + width, content: .words(text), bar: bar))
        default: break
        }
      }
      for chord in part.measures[measure].chords {
        guard let dynamic = part.chords[chord].dynamic else { continue }
        addDynamic(dynamic, layout.chordX(chord), bar, &items[part.chords[chord].staff])
      }
    }
    for index in lines.spans[index] { addHairpin(part.spans[index], &items) }
    for staff in items.indices where !items[staff].isEmpty {
      var row = items[staff].sorted { ($0.left, $0.right) < ($1.left, $1.right) }
      trim(&row)
      place(row, staff)
    }
  }

  private func addDynamic(_ dynamic: Dynamic, _ x: Double, _ bar: Int, _ items: inout [Item]) {
    let width = metrics.width(dynamic)
    guard width > 0 else { return }
    let left = min(x + 0.6 - width / 2, right - width - 0.1)
    items.append(Item(left: left, right: left + width, content: .dynamic(dynamic), bar: bar))
  }

  private func addHairpin(_ span: MarkSpan, _ items: inout [[Item]]) {
    let isCrescendo: Bool
    switch span.kind {
    case .crescendo: isCrescendo = true
    case .diminuendo: isCrescendo = false
    case .octaves: return
    }
    let (first, last) = (layout.systemOf[span.start.measure], layout.systemOf[span.end.measure])
    // A hairpin to the first beat of a system ends at the bar line before it.
    let endsAtBreak = span.end.tick == 0 && last > first && span.end.measure == layout.systems[last].lowerBound
    if endsAtBreak, last == index { return }
    let endsHere = last == index || (endsAtBreak && last == index + 1)
    let left = first == index ? layout.x(span.start.measure, span.start.tick) : layout.musicLeft[index]
    var right =
      last == index
      ? layout.x(span.end.measure, span.end.tick) - 0.3 : layout.measureRight[measures.upperBound - 1] - 0.3
    if last == index, span.end.tick == 0, span.end.measure > measures.lowerBound {
      // An end on the first beat means the bar line before it.
      right = layout.measureRight[span.end.measure - 1] - 0.3
    }
    if right - left < 1.5 { right = left + 1.5 }
    let height = 0.6
    // A hairpin over a break does not close at the end of the system.
    let start = isCrescendo ? (first == index ? 0 : height * 0.5) : height
    let end = isCrescendo ? height : (endsHere ? 0 : height * 0.5)
    items[span.staff].append(
      Item(
        left: left, right: right, content: .hairpin(isCrescendo: isCrescendo, opensFrom: start, opensTo: end),
        bar: part.measures[max(span.start.measure, measures.lowerBound)].bars.lowerBound))
  }

  /// Hairpins leave room for the dynamics at their ends.
  private func trim(_ row: inout [Item]) {
    // Dynamics at one note follow each other.
    var end = -Double.infinity
    for index in row.indices {
      if case .hairpin = row[index].content { continue }
      let shift = max(end - row[index].left, 0)
      row[index].left += shift
      row[index].right += shift
      end = row[index].right + 0.35
    }
    var limit = right - 0.1
    for index in row.indices.reversed() {
      if case .hairpin = row[index].content { continue }
      let shift = max(row[index].right - limit, 0)
      row[index].left -= shift
      row[index].right -= shift
      limit = row[index].left - 0.35
    }
    for index in row.indices {
      guard case .hairpin = row[index].content else { continue }
      for other in max(0, index - 6)..<min(row.count, index + 7) where other != index {
        if case .hairpin = row[other].content {
          // Two hairpins that meet leave a gap.
          if row[other].left > row[index].left, row[other].left < row[index].right + 0.4 {
            row[index].right = max(row[other].left - 0.4, row[index].left + 1)
          }
          continue
        }
        var middle = (row[other].left + row[other].right) / 2
        if case .words = row[other].content, row[index].right - row[other].right > 2.5 { middle = row[other].left }
        if middle <= row[index].left + 1.5, row[other].right + 0.4 > row[index].left {
          row[index].left = row[other].right + 0.4
        } else if row[other].left - 0.4 < row[index].right, row[other].left > row[index].left {
          row[index].right = row[other].left - 0.4
        }
      }
      row[index].right = min(max(row[index].right, row[index].left + 1), right - 0.1)
      row[index].left = min(row[index].left, row[index].right - 1)
    }
    row.sort { ($0.left, $0.right) < ($1.left, $1.right) }
    // Hairpins that are too short for their places stand beside each other.
    var last = -Double.infinity
    for index in row.indices {
      guard case .hairpin = row[index].content else { continue }
      if row[index].left < last + 0.3 {
        row[index].left = last + 0.3
        row[index].right = max(row[index].right, row[index].left + 1)
      }
      last = row[index].right
    }
  }

  private mutating func place(_ row: [Item], _ staff: Int) {
    let isAbove = layout.hasLyrics[staff]
    var start = 0
    while start < row.count {
      // Items that nearly touch form one line.
      var end = start + 1
      var right = row[start].right
      while end < row.count, row[end].left - right < 3, row[end].left >= right - 0.2 {
        right = max(right, row[end].right)
        end += 1
      }
      let group = row[start..<end]
      let baseline = baseline(group, staff, isAbove: isAbove)
      for item in group { draw(item, baseline, staff) }
      start = end
    }
  }

  /// The extent of an item above and below the baseline.
  private func extent(_ item: Item) -> (top: Double, bottom: Double) {
    switch item.content {
    case .dynamic(let dynamic): metrics.extent(dynamic)
    case .hairpin: (-1.2, 0.2)
    case .words: (-metrics.ascent(TextStyle.words), metrics.descent(TextStyle.words))
    }
  }

  private func baseline(_ group: ArraySlice<Item>, _ staff: Int, isAbove: Bool) -> Double {
    var baseline = isAbove ? -1.5 : 6.7
    for item in group {
      let (top, bottom) = extent(item)
      if isAbove {
        baseline = min(baseline, above[staff].edge(item.left - 0.2, item.right + 0.2) - 0.4 - bottom)
      } else {
        baseline = max(baseline, below[staff].edge(item.left - 0.2, item.right + 0.2) + 0.4 - top)
      }
    }
    return baseline
  }

  private mutating func draw(_ item: Item, _ baseline: Double, _ staff: Int) {
    switch item.content {
    case .dynamic(let dynamic):
      var x = item.left - (dynamic.glyphs.first.map { metrics.box($0).left } ?? 0)
      var shapes: [Shape] = []
      for glyph in dynamic.glyphs {
        shapes.append(.glyph(glyph, at: Point(x, baseline), scale: 1))
        x += metrics.advance(glyph)
      }
      add(Element(.dynamic, bar: item.bar, label: dynamic.name, shapes: shapes), staff: staff)
    case .hairpin(let isCrescendo, let from, let to):
      let y = baseline - 0.5
      let shapes = [-1.0, 1.0].map { side in
        Shape.line(
          from: Point(item.left, y + side * from), to: Point(item.right, y + side * to), thickness: 0.13, dash: 0)
      }
      add(
        Element(.hairpin, bar: item.bar, label: isCrescendo ? "crescendo" : "diminuendo", shapes: shapes), staff: staff)
    case .words(let text):
      let shape = Shape.text(text, at: Point(item.left, baseline), TextStyle.words, width: item.right - item.left)
      add(Element(.words, bar: item.bar, label: text, shapes: [shape]), staff: staff)
    }
  }
}
