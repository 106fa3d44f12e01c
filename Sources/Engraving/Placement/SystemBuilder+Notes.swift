import Scores

/// Notes, rests, signs and everything else inside the staves of a measure.
extension SystemBuilder {
  mutating func drawMeasure(_ measure: Int) {
    drawPreamble(measure)
    let data = part.measures[measure]
    if data.isMultiRest {
      drawMultiRest(measure)
      return
    }
    for column in table.measures[measure] { drawColumn(column, data) }
    for chord in data.chords where part.chords[chord].isWholeBar { drawBarRest(chord) }
    for chord in data.chords where !part.chords[chord].isRest { drawStem(chord) }
  }

  private mutating func drawPreamble(_ measure: Int) {
    let left = layout.measureLeft[measure]
    let bar = part.measures[measure].bars.lowerBound
    let preamble = layout.preamble(measure, isSystemStart: measure == measures.lowerBound)
    draw(preamble, x: left, bar: bar)
    // The change of clef and the courtesy signatures at the end.
    let next = measure + 1
    guard next < part.measures.count else { return }
    if part.measures[next].showsClef {
      let isEnd = next == measures.upperBound
      let line = layout.measureRight[measure] - layout.barLine(measure, isSystemEnd: isEnd).width
      for (staff, clef) in part.measures[next].clefs.enumerated() where clef != part.measures[next].oldClefs[staff] {
        drawChange(clef, right: line - 0.3, staff, bar: part.measures[measure].bars.upperBound - 1)
      }
    }
    if next == measures.upperBound, let courtesy = layout.courtesy(measure) {
      draw(courtesy, x: layout.measureRight[measure], bar: part.measures[next].bars.lowerBound)
    }
  }

  private mutating func draw(_ preamble: Preamble, x: Double, bar: Int) {
    for sign in preamble.signs {
      let shapes = sign.shapes.map { $0.moved(by: Point(x, 0)) }
      add(Element(sign.role, bar: bar, label: sign.label, shapes: shapes), staff: sign.staff)
    }
  }

  private mutating func drawChange(_ clef: Clef, right: Double, _ staff: Int, bar: Int) {
    guard let (glyph, place, scale) = metrics.changeClef(clef) else { return }
    let box = metrics.box(glyph)
    let point = Point(right - box.right * scale, staffY(place))
    var shapes: [Shape] = [.glyph(glyph, at: point, scale: scale)]
    if let digit = Preamble.octaveDigit(clef, metrics, box, x: point.x, y: point.y, scale: scale) {
      shapes.append(digit)
    }
    add(Element(.clef, bar: bar, label: clef.label, shapes: shapes), staff: staff)
  }

  private mutating func drawColumn(_ index: Int, _ measure: NotatedMeasure) {
    let column = table.columns[index]
    let x = layout.columnX[index]
    let bar = measure.bars.lowerBound
    for change in column.changes {
      let change = measure.inner[change]
      switch change.content {
      case .clef(let clef): drawChange(clef, right: x, change.staff, bar: bar)
      case .key(let old, let new):
        let clef = measure.clefs[change.staff]
        let signature = KeySignature(old: old, new: new, clef: clef, metrics)
        let shapes = signature.signs.map {
          Shape.glyph($0.glyph, at: Point(x - signature.width + $0.x, staffY($0.place)), scale: 1)
        }
        add(Element(.key, bar: bar, label: Preamble.label(new), shapes: shapes), staff: change.staff)
      }
    }
    for chord in table.columnChords[column.chords] { drawChord(chord, x) }
    for ledger in table.ledgers[table.ledgerRanges[index]] {
      let shape = Shape.line(
        from: Point(x + ledger.left, ledger.y), to: Point(x + ledger.right, ledger.y), thickness: 0.16, dash: 0)
      add(Element(.ledger, bar: bar, shapes: [shape]), staff: ledger.staff)
    }
    for accidental in table.accidentals[table.accidentalRanges[index]] {
      let note = part.notes[accidental.note]
      let shape = Shape.glyph(accidental.glyph, at: Point(x + accidental.x, accidental.y), scale: accidental.scale)
      add(
        Element(.accidental, id: note.id, bar: bar, label: "\(note.accidental)", shapes: [shape]),
        staff: part.chords[note.chord].staff)
    }
  }

  private mutating func drawChord(_ index: Int, _ x: Double) {
    let chord = part.chords[index]
    let geometry = table.chords[index]
    if chord.isRest {
      drawRest(index, x: x)
      return
    }
    var dots: [Shape] = []
    for note in chord.notes {
      let data = part.notes[note]
      let y = staffY(data.place)
      let shapes = table.heads[note].map { [Shape.glyph($0, at: Point(x + table.noteX[note], y), scale: chord.scale)] }
      add(
        Element(
          .note, id: data.id, bar: chord.bar, offset: offset(chord), label: NoteNames.note(data, chord),
          shapes: shapes ?? []), staff: chord.staff)
      if let place = table.dotPlaces[note] { dots += self.dots(chord, x + geometry.dotX, staffY(place)) }
    }
    if !dots.isEmpty { add(Element(.dot, id: chord.id, bar: chord.bar, shapes: dots), staff: chord.staff) }
    if chord.signs.contains(.arpeggio) { missing["arpeggiate", default: 0] += 1 }
  }

  private func dots(_ chord: NotatedChord, _ x: Double, _ y: Double) -> [Shape] {
    let left = metrics.box(.augmentationDot).left
    return (0..<chord.dots).map {
      .glyph(
        .augmentationDot, at: Point(x - left + Double($0) * ColumnBuilder.dotStep * chord.scale, y), scale: chord.scale)
    }
  }

  // MARK: Rests

  private mutating func drawRest(_ index: Int, x: Double) {
    let chord = part.chords[index]
    var geometry = table.chords[index]
    geometry.restY += restShifts[index] ?? 0
    let glyph = Metrics.rest(halvings: chord.halvings)
    var shapes: [Shape] = [.glyph(glyph, at: Point(x, geometry.restY), scale: chord.scale)]
    // A whole or half rest outside the staff needs a line.
    if chord.halvings == 0 || chord.halvings == 1, geometry.restY < -0.01 || geometry.restY > 4.01 {
      shapes.append(
        .line(
          from: Point(x + geometry.left - 0.35, geometry.restY), to: Point(x + geometry.right + 0.35, geometry.restY),
          thickness: 0.16, dash: 0))
    }
    let element = Element(
      .rest, id: chord.id, bar: chord.bar, offset: offset(chord), label: NoteNames.rest(chord), shapes: shapes)
    add(element, staff: chord.staff)
    guard chord.dots > 0, !chord.isWholeBar else { return }
    let y = geometry.restY + (chord.halvings <= 0 ? 0.5 : -0.5)
    add(
      Element(.dot, id: chord.id, bar: chord.bar, shapes: dots(chord, x + geometry.dotX, y)), staff: chord.staff)
  }

  /// A rest for the whole bar stands in the middle between the bar lines.
  private mutating func drawBarRest(_ index: Int) {
    let chord = part.chords[index]
    let width = table.chords[index].right
    drawRest(index, x: barMiddle(chord.measure) - width / 2)
  }

  func barMiddle(_ measure: Int) -> Double { (layout.contentLeft[measure] + layout.contentRight[measure]) / 2 }

  /// A thick line with the number of bars above the staff.
  private mutating func drawMultiRest(_ measure: Int) {
    let data = part.measures[measure]
    let (left, right) = (layout.contentLeft[measure] + 1, layout.contentRight[measure] - 1)
    var shapes: [Shape] = [
      .line(from: Point(left, 2), to: Point(right, 2), thickness: 0.8, dash: 0),
      .line(from: Point(left, 1), to: Point(left, 3), thickness: 0.2, dash: 0),
      .line(from: Point(right, 1), to: Point(right, 3), thickness: 0.2, dash: 0),
    ]
    let digits = TimeSignature.digits(data.bars.count)
    let width = digits.reduce(0) { $0 + metrics.box($1).width + 0.06 }
    var x = (left + right - width) / 2
    for digit in digits {
      let box = metrics.box(digit)
      shapes.append(.glyph(digit, at: Point(x - box.left, -0.7 - box.bottom), scale: 1))
      x += box.width + 0.06
    }
    let bar = data.bars.lowerBound
    add(
      Element(
        .multiRest, id: layout.score.bars[bar].id, bar: bar, offset: .zero, label: "\(data.bars.count) bars rest",
        shapes: shapes), staff: 0)
  }

  // MARK: Stems

  private mutating func drawStem(_ index: Int) {
    let chord = part.chords[index]
    guard chord.hasStem else {
      if chord.tremolo > 0 { drawTremolo(index) }
      return
    }
    let x = layout.stemX(index)
    let tip = tip(index)
    let base = table.chords[index].stemBase
    let stem = Shape.line(
      from: Point(x, base), to: Point(x, tip), thickness: metrics.music.stemThickness, dash: 0)
    add(Element(.stem, id: chord.id, bar: chord.bar, shapes: [stem]), staff: chord.staff)
    if chord.tremolo > 0 { drawTremolo(index) }
    if chord.beam < 0, let flag = Metrics.flag(count: chord.flags, up: chord.stemUp) {
      var shapes: [Shape] = [.glyph(flag, at: Point(x, tip), scale: chord.scale)]
      if chord.grace?.hasSlash == true {
        let slash: MusicFont.Glyph = chord.stemUp ? .graceNoteSlashStemUp : .graceNoteSlashStemDown
        if metrics.has(slash) { shapes.append(.glyph(slash, at: Point(x, tip), scale: chord.scale)) }
      }
      add(Element(.flag, id: chord.id, bar: chord.bar, shapes: shapes), staff: chord.staff)
    }
  }

  /// The strokes of a tremolo cross the stem beyond the heads, inside the beams, or stand beside a note without a stem.
  private mutating func drawTremolo(_ index: Int) {
    let chord = part.chords[index]
    let geometry = table.chords[index]
    let count = min(chord.tremolo, 8)
    let sign = chord.stemUp ? -1.0 : 1.0
    let step = 0.75
    let x = chord.hasStem ? layout.stemX(index) : middleOfHead(index)
    let edge = chord.stemUp ? geometry.top : geometry.bottom
    var start = edge + sign * 0.6
    if chord.hasStem {
      // The strokes stand in the middle between the heads and the beams or flags.
      let taken = Double(chord.flags) * step + (chord.beam < 0 && chord.flags > 0 ? 0.75 : 0)
      let room = abs(tip(index) - edge) - taken
      start = edge + sign * max((room - Double(count - 1) * step) / 2, 0.5)
    }
    let (half, thickness) = (0.55 * chord.scale, 0.4)
    let shapes = (0..<count).map { stroke in
      let y = start + sign * Double(stroke) * step
      return Shape.polygon([
        Point(x - half, y + 0.05), Point(x + half, y - 0.45), Point(x + half, y - 0.45 + thickness),
        Point(x - half, y + 0.05 + thickness),
      ])
    }
    add(
      Element(.articulation, id: chord.id, bar: chord.bar, label: "tremolo", shapes: shapes), staff: chord.staff)
  }
}
