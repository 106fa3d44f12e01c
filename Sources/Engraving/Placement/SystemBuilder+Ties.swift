import Scores

/// Ties.
///
/// A tie bends away from the stem. In a chord the upper notes have ties that bend up and the lower notes ties that bend down; with two
/// voices on a staff the direction is that of the voice. Ties begin and end beside the heads, and their ends stand in spaces (Gould, Behind
/// Bars, chapter 2).
extension SystemBuilder {
  mutating func drawTies(_ lines: LinePositions) {
    for index in lines.ties[self.index] { drawTie(part.ties[index]) }
  }

  private func isUp(_ note: Int) -> Bool {
    let chord = part.chords[part.notes[note].chord]
    if chord.isPolyphonic { return chord.rank % 2 == 0 }
    let notes = chord.notes
    if notes.count == 1 { return chord.hasStem ? !chord.stemUp : part.notes[note].place >= 0 }
    if note == notes.lowerBound { return false }
    if note == notes.upperBound - 1 { return true }
    // In a chord, the upper half bends up.
    return note - notes.lowerBound >= (notes.count + 1) / 2
  }

  /// Whether what follows a chord is not the next bar on paper: at the end of an ending, or before a jump.
  private func leadsElsewhere(_ chord: NotatedChord) -> Bool {
    let bar = layout.score.bars[chord.bar]
    return chord.tick + chord.length == part.measures[chord.measure].length
      && (bar.repeatEnd != nil || bar.endingEnd != nil || bar.jump != nil || bar.toCoda != nil)
  }

  private mutating func drawTie(_ tie: TieSpan) {
    guard let anchor = tie.start ?? tie.end else { return }
    let chord = part.chords[part.notes[anchor].chord]
    if tie.end == nil, !leadsElsewhere(chord) {
      missing["tie without an end", default: 0] += 1
      return
    }
    let isUp = isUp(anchor)
    let sign = isUp ? -1.0 : 1.0
    func isHere(_ note: Int) -> Bool { layout.systemOf[part.chords[part.notes[note].chord].measure] == index }
    let isSingle = chord.notes.count == 1
    // A single note has its tie at the tip of its head; the ties of a chord begin beside the heads.
    func isOuter(_ note: Int) -> Bool {
      let chord = part.chords[part.notes[note].chord]
      return isSingle || note == (isUp ? chord.notes.upperBound - 1 : chord.notes.lowerBound)
    }
    var left: Double
    var right: Double
    if let start = tie.start, isHere(start) {
      let data = part.chords[part.notes[start].chord]
      let edge = layout.noteX(start) + layout.headWidth(start)
      let stemInWay = data.hasStem && data.stemUp == isUp && isOuter(start)
      left = isOuter(start) && !stemInWay ? edge - 0.3 : edge + 0.12
      if data.dots > 0, !isOuter(start) {
        left = max(left, layout.chordX(part.notes[start].chord) + table.chords[part.notes[start].chord].dotX + 0.5)
      }
    } else {
      left = layout.musicLeft[index] + 0.2
    }
    if let end = tie.end, isHere(end) {
      let data = part.chords[part.notes[end].chord]
      let stemInWay = data.hasStem && data.stemUp == isUp && !isUp
      right = layout.noteX(end) + (isOuter(end) && !stemInWay ? 0.3 : -0.12)
      if tie.start == nil { left = max(layout.contentLeft[data.measure] - 0.2, right - 2.5) }
    } else if tie.end == nil {
      right = min(left + 2.5, self.right - 0.2)
    } else {
      right = layout.measureRight[measures.upperBound - 1] - 0.2
    }
    if let start = tie.start, isHere(start), part.chords[part.notes[start].chord].dots > 0 {
      // The tie begins behind the dots, if enough of it remains.
      let data = part.chords[part.notes[start].chord]
      let dots = layout.chordX(part.notes[start].chord) + table.chords[part.notes[start].chord].dotX
      let behind = dots + 0.7 * Double(data.dots)
      if right - behind > 1.2 { left = max(left, behind) }
    }
    if right - left < 0.9 {
      // Notes that are very close: the tie keeps a visible length around its middle.
      let middle = (left + right) / 2
      (left, right) = (min(middle, self.right - 0.6) - 0.45, min(middle, self.right - 0.6) + 0.45)
    }
    let width = right - left
    var y = staffY(part.notes[anchor].place) + sign * (isOuter(anchor) ? 0.6 : 0.2)
    let height = min(0.25 + 0.07 * width, 1.0)
    // The middle of the curve must not lie on a staff line.
    let middle = y + sign * height * 0.75
    if middle > -0.3, middle < 4.3 {
      let distance = middle - middle.rounded()
      if abs(distance) < 0.2 { y += sign * (0.2 - distance * sign) }
    }
    let bend = width < 4 ? 0.3 : 0.2
    let shape = Shape.slur(
      from: Point(left, y), Point(left + width * bend, y + sign * height),
      Point(right - width * bend, y + sign * height), to: Point(right, y), thickness: 0.2)
    add(Element(.tie, id: part.notes[anchor].id, bar: chord.bar, shapes: [shape]), staff: chord.staff)
  }
}
