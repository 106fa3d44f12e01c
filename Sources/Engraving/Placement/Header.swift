import Scores

/// Title, creators and the name of the part, above the first system.
struct Header {
  private(set) var elements: [Element] = []
  private(set) var height = 0.0

  init(_ score: Score, _ part: Part, _ metrics: Metrics, width: Double) {
    let title = score.title.isEmpty ? score.movement : score.title
    let large = min(4.5, max(width / 12, 2))
    add(title, .title, TextStyle(.bold, size: large), width, metrics)
    if !score.title.isEmpty, !score.movement.isEmpty, score.movement != score.title {
      add(score.movement, .title, TextStyle(.roman, size: large * 0.7), width, metrics)
    }
    addCreators(score, part, width, metrics)
    if height > 0 { height += 1.5 }
  }

  /// A centred text.
  private mutating func add(
    _ text: String, _ role: Element.Role, _ style: TextStyle, _ width: Double, _ metrics: Metrics
  ) {
    if text.isEmpty { return }
    var shapes: [Shape] = []
    for line in TextLines.lines(text, style, width, metrics) {
      let length = metrics.width(line, style)
      height += style.size * 1.1
      shapes.append(.text(line, at: Point((width - length) / 2, height), style, width: length))
    }
    height += style.size * 0.3
    elements.append(Element(role, label: text, shapes: shapes))
  }

  /// The part name to the left, the creators to the right.
  private mutating func addCreators(_ score: Score, _ part: Part, _ width: Double, _ metrics: Metrics) {
    let style = TextStyle(.roman, size: min(2.2, max(width / 20, 1.6)))
    let top = height
    if !part.name.isEmpty {
      var shapes: [Shape] = []
      var y = top
      for line in TextLines.lines(part.name, style, width * 0.45, metrics) {
        y += style.size * 1.2
        shapes.append(.text(line, at: Point(0, y), style, width: metrics.width(line, style)))
      }
      elements.append(Element(.partName, label: part.name, shapes: shapes))
      height = max(height, y)
    }
    var y = top
    for creator in score.creators.prefix(8) where !creator.name.isEmpty {
      let isAuthor = creator.role == "lyricist" || creator.role == "poet"
      var shapes: [Shape] = []
      for line in TextLines.lines(creator.name, style, width * 0.5, metrics) {
        y += style.size * 1.2
        let length = metrics.width(line, style)
        shapes.append(.text(line, at: Point(width - length, y), style, width: length))
      }
      elements.append(
        Element(.creator, label: isAuthor ? "words by \(creator.name)" : creator.name, shapes: shapes))
    }
    height = max(height, y)
  }
}
