import Scores

/// Slurs.
///
/// A slur lies on the side of the heads; above if the stems under it point to both sides; on the side of its voice if two voices share the
/// staff (Gould, Behind Bars, chapter 2). It is a cubic curve whose height grows with its length. Its height is then raised until it is
/// clear of everything below it; what would make it too high moves its ends outwards instead.
extension SystemBuilder {
  mutating func drawSlurs(_ lines: LinePositions) {
    // Short slurs lie inside long ones.
    let slurs = lines.slurs[index].map { ($0, extent(part.slurs[$0])) }.sorted {
      ($0.1.right - $0.1.left, $0.0) < ($1.1.right - $1.1.left, $1.0)
    }
    for (slur, extent) in slurs { draw(part.slurs[slur], extent) }
  }

  private struct Extent {
    var left: Double
    var right: Double
    var startsHere: Bool
    var endsHere: Bool
  }

  private func isHere(_ chord: Int) -> Bool { layout.systemOf[part.chords[chord].measure] == index }

  private func middle(_ chord: Int) -> Double {
    let geometry = table.chords[chord]
    let note = part.chords[chord].notes.first
    return layout.chordX(chord) + geometry.shift + (note.map { layout.headWidth($0) } ?? geometry.right) / 2
  }

  private func extent(_ slur: ChordSpan) -> Extent {
    let (startsHere, endsHere) = (isHere(slur.start), isHere(slur.end))
    return Extent(
      left: startsHere ? middle(slur.start) : layout.musicLeft[index] + 0.2,
      right: endsHere ? middle(slur.end) : layout.measureRight[measures.upperBound - 1] - 0.3,
      startsHere: startsHere, endsHere: endsHere)
  }

  /// Whether a grace note leads to the note that it decorates.
  private func isOrnament(_ slur: ChordSpan) -> Bool {
    let (start, end) = (part.chords[slur.start], part.chords[slur.end])
    return start.isGrace && (end.isGrace || end.tick == start.tick) && start.measure == end.measure
  }

  private func isUp(_ slur: ChordSpan) -> Bool {
    let (start, end) = (part.chords[slur.start], part.chords[slur.end])
    if start.isPolyphonic { return start.rank % 2 == 0 }
    if isOrnament(slur) { return !start.stemUp }
    var (up, down) = (0, 0)
    // The chords of the voice from end to end, also in other systems, so that all pieces of a slur have one direction.
    for measure in start.measure...min(max(start.measure, end.measure), start.measure + 64) {
      for chord in part.measures[measure].chords {
        let data = part.chords[chord]
        guard data.voice == start.voice, data.staff == start.staff, data.hasStem, !data.isGrace else { continue }
        let isAfter = (data.measure, data.tick) >= (start.measure, start.tick)
        let isBefore = (data.measure, data.tick) <= (end.measure, end.tick)
        if isAfter, isBefore { if data.stemUp { up += 1 } else { down += 1 } }
      }
    }
    return down > 0 || up == 0
  }

  private func content(_ staff: Int, isUp: Bool, _ left: Double, _ right: Double) -> Double {
    isUp ? above[staff].content(left, right) : below[staff].content(left, right)
  }

  /// The end of a slur: beyond the head and its signs, or beyond the stem and the beam on its side.
  private func end(_ chord: Int, isUp: Bool) -> Point {
    let data = part.chords[chord]
    let geometry = table.chords[chord]
    var x = middle(chord)
    var y = isUp ? geometry.top : geometry.bottom
    if data.hasStem, data.stemUp == isUp {
      y = tip(chord)
      x = layout.stemX(chord)
    }
    // Signs and ties at the note lie inside the slur.
    let edge = content(data.staff, isUp: isUp, x - 0.3, x + 0.3)
    if edge.isFinite, abs(edge - y) < 3 { y = isUp ? min(y, edge) : max(y, edge) }
    return Point(x, y + (isUp ? -0.3 : 0.3))
  }

  private mutating func draw(_ slur: ChordSpan, _ extent: Extent) {
    let staff = part.chords[slur.start].staff
    if part.chords[slur.end].staff != staff { missing["cross-staff slur", default: 0] += 1 }
    let isUp = isUp(slur)
    let sign = isUp ? -1.0 : 1.0
    var from = extent.startsHere ? end(slur.start, isUp: isUp) : Point(extent.left, isUp ? -1 : 5)
    var to = extent.endsHere ? end(slur.end, isUp: isUp) : Point(extent.right, from.y)
    if isOrnament(slur), extent.startsHere, extent.endsHere { shorten(slur, &from, &to, isUp: isUp) }
    if extent.startsHere, !extent.endsHere { to.y = isUp ? min(from.y, -0.5) : max(from.y, 4.5) }
    if !extent.startsHere, extent.endsHere { from.y = isUp ? min(to.y, -0.5) : max(to.y, 4.5) }
    if !extent.startsHere, !extent.endsHere {
      let edge = isUp ? above[staff].edge(from.x, to.x) : below[staff].edge(from.x, to.x)
      (from.y, to.y) = (edge + sign * 0.3, edge + sign * 0.3)
    }
    // The ends of a very short slur keep a visible distance.
    if to.x - from.x < 1.2 {
      let middle = (from.x + to.x) / 2
      (from.x, to.x) = (middle - 0.6, middle + 0.6)
    }
    var curve = SlurCurve(from: from, to: to, sign: sign)
    clear(&curve, staff, isUp: isUp, extent)
    for step in 0..<curve.samples.count - 1 {
      let (a, b) = (curve.samples[step], curve.samples[step + 1])
      if isUp { above[staff].add(from: a, to: b) } else { below[staff].add(from: a, to: b) }
    }
    add(
      Element(.slur, id: part.chords[slur.start].id, bar: part.chords[slur.start].bar, shapes: [curve.shape]),
      staff: staff, isOutline: false)
  }

  /// The slur of a grace note ends beside the head that it leads to, not at the tip of its stem.
  private func shorten(_ slur: ChordSpan, _ from: inout Point, _ to: inout Point, isUp: Bool) {
    let end = part.chords[slur.end]
    let sign = isUp ? -1.0 : 1.0
    guard let note = isUp ? end.notes.last : end.notes.first else { return }
    let y = staffY(part.notes[note].place)
    if end.hasStem, end.stemUp == isUp {
      to = Point(layout.noteX(note) - 0.15, y + sign * 0.45)
    } else {
      to = Point(layout.noteX(note) + 0.3 * layout.headWidth(note), y + sign * 0.75)
    }
    from.x = middle(slur.start)
  }

  /// Raises a curve until it is clear of what it spans. Where the curve is high, its height grows up to a limit; near an end, that end
  /// moves outwards. Both repeat a few times, because each changes what the other needs.
  private func clear(_ curve: inout SlurCurve, _ staff: Int, isUp: Bool, _ extent: Extent) {
    let width = curve.to.x - curve.from.x
    let gap = 0.28
    // What stands at the notes of the ends is already below them.
    let inset = min(0.5, width * 0.2)
    let left = curve.from.x + (extent.startsHere ? inset : 0)
    let right = curve.to.x - (extent.endsHere ? inset : 0)
    let highest = min(1.0 + 0.2 * width, 6)
    let step = width / Double(curve.samples.count - 1) / 2
    let edges = curve.samples.map { sample in
      sample.x < left || sample.x > right
        ? Double.nan
        : content(staff, isUp: isUp, max(sample.x - step, left), min(sample.x + step, right))
    }
    for _ in 0..<10 {
      var (height, start, end) = (curve.height, 0.0, 0.0)
      for position in edges.indices where edges[position].isFinite {
        let excess = (edges[position] - curve.samples[position].y) * curve.sign + gap
        if excess <= 0.01 { continue }
        let (share, along) = (curve.share(position), Double(position) / Double(edges.count - 1))
        let raised = min(curve.height + excess / max(share, 0.3), max(highest, curve.height))
        height = max(height, raised)
        let rest = excess - (raised - curve.height) * share
        if rest <= 0.01 { continue }
        // Beyond the middle part, only the near end moves.
        if along < 0.7 { start = max(start, rest) }
        if along > 0.3 { end = max(end, rest) }
      }
      if height - curve.height < 0.01, start < 0.01, end < 0.01 { return }
      curve.height = height
      curve.from.y += curve.sign * start
      curve.to.y += curve.sign * end
      curve.sample()
    }
  }
}

/// A slur as a cubic Bézier curve over the line between its ends.
struct SlurCurve {
  var from: Point
  var to: Point
  /// -1 for a curve that bends up.
  let sign: Double
  /// The distance of the control points from the line between the ends.
  var height: Double
  private(set) var samples: [Point] = []
  private let bend: Double
  private let count: Int

  init(from: Point, to: Point, sign: Double) {
    (self.from, self.to, self.sign) = (from, to, sign)
    let width = to.x - from.x
    height = min(0.7 + 0.09 * width, 3.2)
    bend = width < 6 ? 0.3 : width < 15 ? 0.24 : 0.18
    count = min(max(Int(width / 1.2), 8), 160)
    sample()
  }

  mutating func sample() {
    samples.removeAll(keepingCapacity: true)
    let shape = points
    for step in 0...count {
      let t = Double(step) / Double(count)
      let u = 1 - t
      let (a, b, c, d) = (u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t)
      samples.append(
        Point(
          a * from.x + b * shape.0.x + c * shape.1.x + d * to.x, a * from.y + b * shape.0.y + c * shape.1.y + d * to.y))
    }
  }

  /// How far a sample moves if the height grows by 1.
  func share(_ position: Int) -> Double {
    let t = Double(position) / Double(count)
    return 3 * t * (1 - t)
  }

  private var points: (Point, Point) {
    let (x, y) = (to.x - from.x, to.y - from.y)
    return (
      Point(from.x + x * bend, from.y + y * bend + sign * height),
      Point(to.x - x * bend, to.y - y * bend + sign * height)
    )
  }

  var shape: Shape { .slur(from: from, points.0, points.1, to: to, thickness: 0.22) }
}
