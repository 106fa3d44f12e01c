import Scores

/// Tuplets: a number, and a bracket unless one beam joins exactly the notes of the tuplet (Gould, Behind Bars, chapter 6). They stand on
/// the side of the stems.
extension SystemBuilder {
  mutating func drawTuplets(_ lines: LinePositions) {
    let groups = lines.tuplets[index].map { part.tuplets[$0] }
    // Inner tuplets first, so that outer ones lie beyond them.
    for group in groups.sorted(by: { $0.depth > $1.depth }) { draw(group) }
  }

  private func isBeamed(_ group: TupletGroup) -> Bool {
    let sounding = group.chords.filter { !part.chords[$0].isRest }
    guard let first = sounding.first, sounding.count == group.chords.count, part.chords[first].beam >= 0 else {
      return false
    }
    let beam = part.beams[part.chords[first].beam]
    return sounding.allSatisfy { part.chords[$0].beam == part.chords[first].beam }
      && beam.members.first?.chord == first && beam.members.last?.chord == sounding.last
  }

  private mutating func draw(_ group: TupletGroup) {
    guard let first = group.chords.first, let last = group.chords.last else { return }
    let staff = part.chords[first].staff
    let chords = group.chords.filter { !part.chords[$0].isRest && part.chords[$0].staff == staff }
    let up = chords.count { part.chords[$0].stemUp }
    var isUp = up * 2 >= chords.count
    if let chord = chords.first, part.chords[chord].isPolyphonic { isUp = part.chords[chord].rank % 2 == 0 }
    let sign = isUp ? -1.0 : 1.0
    let left = layout.chordX(first) + table.chords[first].left
    let isHere = layout.systemOf[part.chords[last].measure] == index
    let right =
      isHere ? layout.chordX(last) + table.chords[last].right : layout.contentRight[part.chords[first].measure]
    guard right > left else { return }
    let style = TextStyle(.boldItalic, size: 2.0)
    let text = String(group.number)
    let width = metrics.width(text, style)
    let digitHeight = style.size * 0.68
    var shapes: [Shape] = []
    let middle: Double
    func edge(_ a: Double, _ b: Double) -> Double { isUp ? above[staff].edge(a, b) : below[staff].edge(a, b) }
    if isBeamed(group) {
      let (a, b) = (layout.stemX(first), layout.stemX(last))
      middle = (a + b) / 2
      let y = edge(middle - width / 2, middle + width / 2) + sign * 0.4
      shapes.append(.text(text, at: Point(middle - width / 2, isUp ? y : y + digitHeight), style, width: width))
      let box = Box(
        left: middle - width / 2, top: isUp ? y - digitHeight : y, right: middle + width / 2,
        bottom: isUp ? y : y + digitHeight)
      addOutline(box, staff)
    } else {
      middle = (left + right) / 2
      // The bracket follows the notes with a small slant.
      let third = (right - left) / 3
      let (a, b) = (edge(left, left + third), edge(right - third, right))
      var rise = max(min((b - a) * 0.6, (right - left) * 0.12, 1.2), -(right - left) * 0.12, -1.2)
      if abs(rise) < 0.2 { rise = 0 }
      func line(_ x: Double) -> Double { rise * (x - left) / (right - left) }
      // The line is moved outwards until it is clear of everything.
      var base = sign * -Double.infinity
      var x = left
      while x < right {
        let next = min(x + 0.5, right)
        let needed = edge(x, next) - (isUp ? max(line(x), line(next)) : min(line(x), line(next)))
        base = isUp ? min(base, needed) : max(base, needed)
        x = next
      }
      base += sign * 1.1
      let gap = width / 2 + 0.35
      let hook = Point(0, -sign * 0.7)
      let (start, end) = (Point(left, base), Point(right, base + rise))
      if right - left > 2 * gap + 1 {
        let before = Point(middle - gap, base + line(middle - gap))
        let after = Point(middle + gap, base + line(middle + gap))
        shapes.append(.line(from: start, to: before, thickness: 0.13, dash: 0))
        shapes.append(.line(from: after, to: end, thickness: 0.13, dash: 0))
        shapes.append(.line(from: start, to: start + hook, thickness: 0.13, dash: 0))
        shapes.append(.line(from: end, to: end + hook, thickness: 0.13, dash: 0))
      }
      let y = base + line(middle)
      shapes.append(.text(text, at: Point(middle - width / 2, y + digitHeight / 2), style, width: width))
      let outer = Box(
        left: middle - width / 2, top: y - digitHeight / 2 - 0.1, right: middle + width / 2,
        bottom: y + digitHeight / 2 + 0.1)
      addOutline(outer, staff)
      if isUp { above[staff].add(from: start, to: end) } else { below[staff].add(from: start, to: end) }
    }
    add(
      Element(.tuplet, bar: part.chords[first].bar, label: text, shapes: shapes), staff: staff, isOutline: false)
  }
}
