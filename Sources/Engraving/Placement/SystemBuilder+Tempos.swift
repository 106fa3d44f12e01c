import Scores

/// Tempo marks and rehearsal marks.
extension SystemBuilder {
  private static let tempoStyle = TextStyle(.bold, size: 2.4)

  /// A mark that begins near the one before it, such as a metronome mark beside `Andante`, stands on the same line.
  mutating func drawTempos() {
    var last: (right: Double, y: Double)?
    for measure in measures {
      for mark in part.marks[part.measures[measure].marks] {
        guard case .tempo(let tempo) = mark.content else { continue }
        let x = mark.tick == 0 ? startX(measure) : layout.x(measure, mark.tick)
        last = drawTempo(tempo, x: x, after: last) ?? last
      }
    }
  }

  /// Marks of the first beat stand at the metre or the first note.
  private func startX(_ measure: Int) -> Double {
    if measure == measures.lowerBound { return max(layout.musicLeft[index] - 2, layout.margin) }
    return layout.measureLeft[measure] + 0.3
  }

  /// Returns the right end and the baseline; nil if the mark has nothing to draw.
  private mutating func drawTempo(
    _ mark: TempoMark, x: Double, after last: (right: Double, y: Double)?
  ) -> (right: Double, y: Double)? {
    let isSteady: Bool =
      switch mark.content {
      case .tempo, .tempoPrimo: true
      case .ritardando, .accelerando, .aTempo: false
      }
    var style = isSteady ? Self.tempoStyle : TextStyle(.italic, size: 2.2)
    let room = right - layout.margin - (mark.beat == nil ? 0 : 12)
    let natural = metrics.width(mark.text, style)
    if natural > room { style.size *= max(room / natural, 0.1) }
    var shapes: [Shape] = []
    var width = mark.text.isEmpty ? 0 : metrics.width(mark.text, style)
    if !mark.text.isEmpty { shapes.append(.text(mark.text, at: Point(0, 0), style, width: width)) }
    var label = mark.text
    if let beat = mark.beat, case .tempo(let tempo) = mark.content, beat.length.value > 0 {
      if width > 0 { width += 0.8 }
      let perMinute = min(Double(tempo) / 1000 / beat.length.value, 1e6)
      let rounded = Int((perMinute * 10).rounded())
      let number = rounded % 10 == 0 ? "\(rounded / 10)" : "\(rounded / 10).\(rounded % 10)"
      width = addBeat(beat, "= \(number)", x: width, &shapes)
      label += (label.isEmpty ? "" : " ") + "\(number) per minute"
    }
    if shapes.isEmpty { return nil }
    var left = max(min(x, right - width), layout.margin)
    var y = min(above[0].edge(left, left + width) - 0.8, -1.5) - 0.4
    if let last, x < last.right + 6, last.right + 1 + width < right {
      left = max(left, last.right + 1)
      let edge = min(above[0].edge(left, left + width) - 0.8, -1.5) - 0.4
      y = min(edge, last.y)
    }
    shapes = shapes.map { $0.moved(by: Point(left, y)) }
    add(Element(.tempo, bar: mark.bar, label: label, shapes: shapes), staff: 0)
    return (left + width, y)
  }

  /// The note of a metronome mark and the text after it. Returns the end.
  private func addBeat(_ beat: NoteValue, _ text: String, x: Double, _ shapes: inout [Shape]) -> Double {
    let scale = 0.6
    let halvings = Int(beat.halvings)
    let head: MusicFont.Glyph = halvings <= 0 ? .noteheadWhole : halvings == 1 ? .noteheadHalf : .noteheadBlack
    let box = metrics.box(head)
    let y = -0.35
    shapes.append(.glyph(head, at: Point(x - box.left * scale, y), scale: scale))
    var end = x + box.width * scale
    if halvings >= 1 {
      let anchor = metrics.music.stemUp[head] ?? Point(box.right, 0)
      let stem = x + anchor.x * scale - 0.05
      let tip = y - 1.9
      shapes.append(.line(from: Point(stem, y + anchor.y * scale), to: Point(stem, tip), thickness: 0.1, dash: 0))
      if let flag = Metrics.flag(count: max(halvings - 2, 0), up: true) {
        shapes.append(.glyph(flag, at: Point(stem, tip), scale: scale))
        end = max(end, stem + metrics.box(flag).right * scale)
      }
    }
    for _ in 0..<beat.dots {
      shapes.append(.glyph(.augmentationDot, at: Point(end + 0.2, y - 0.1), scale: scale))
      end += 0.5
    }
    let style = TextStyle(.roman, size: 2.2)
    let width = metrics.width(text, style)
    end += 0.4
    shapes.append(.text(text, at: Point(end, 0), style, width: width))
    return end + width
  }

  mutating func drawRehearsals(_ measure: Int) {
    for mark in part.marks[part.measures[measure].marks] {
      guard case .rehearsal(let text) = mark.content else { continue }
      let style = TextStyle(.bold, size: 2.6)
      let width = metrics.width(text, style)
      let x = mark.tick == 0 ? layout.measureLeft[measure] + 0.3 : layout.x(measure, mark.tick)
      let left = max(min(x, right - width - 0.8), layout.margin + 0.2)
      let y = min(above[0].edge(left - 0.4, left + width + 0.4) - 1.2, -1.8)
      let frame = Box(left: left - 0.4, top: y - style.size * 0.8, right: left + width + 0.4, bottom: y + 0.45)
      add(
        Element(
          .rehearsal, bar: part.measures[measure].bars.lowerBound, label: text,
          shapes: [.frame(frame, thickness: 0.16), .text(text, at: Point(left, y), style, width: width)]), staff: 0)
    }
  }
}
