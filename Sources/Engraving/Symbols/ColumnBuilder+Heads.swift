import Scores

/// Note heads, stems and ledger lines of the chords at one position of one staff.
extension ColumnBuilder {
  /// Heads a second apart stand on both sides of the stem: the upper one to the right (Gould, Behind Bars, chapter 2). A head takes the
  /// first row of heads that is free at its place, from the stem on.
  private mutating func placeSeconds(_ chord: Int) {
    let data = part.chords[chord]
    if data.notes.count == 1 { return }
    let width = data.notes.reduce(0) { max($0, headBox($1, chord, shift: 0).width) }
    let step = data.hasStem ? width - metrics.music.stemThickness * data.scale : width
    var rows: [(place: Int, height: Double)] = []
    let order = data.stemUp ? Array(data.notes) : data.notes.reversed()
    for note in order {
      let place = part.notes[note].place
      // Slashes and triangles are higher than a space, so they need more than a third.
      let height = headBox(note, chord, shift: 0).height
      let row =
        rows.firstIndex { abs($0.place - place) > 1 && Double(abs($0.place - place)) + 0.3 > $0.height + height }
        ?? rows.count
      if row < rows.count { rows[row] = (place, height) } else { rows.append((place, height)) }
      table.noteX[note] = Double(row) * (data.stemUp ? step : -step)
    }
  }

  private func headBox(_ note: Int, _ chord: Int, shift: Double) -> Box {
    let scale = part.chords[chord].scale
    let y = staffY(part.notes[note].place)
    guard let head = table.heads[note] else {
      return Box(left: shift, top: y - 0.5, right: shift + 1.2 * scale, bottom: y + 0.5)
    }
    return metrics.box(head, scale: scale, at: Point(shift + table.noteX[note], y))
  }

  /// Whether two chords may share heads: the same places, forms and dots, and stems in different directions.
  private func shares(_ a: Int, _ b: Int, _ first: Int, _ second: Int) -> Bool {
    let (x, y) = (part.chords[a], part.chords[b])
    return part.notes[first].place == part.notes[second].place && table.heads[first] == table.heads[second]
      && x.dots == y.dots && x.stemUp != y.stemUp && x.hasStem && y.hasStem && x.scale == y.scale
      && (part.notes[first].accidental == part.notes[second].accidental || part.notes[second].accidental == .none)
      && table.noteX[first] == 0 && table.noteX[second] == 0
  }

  private func collides(_ chord: Int, at shift: Double, with others: ArraySlice<Int>) -> Bool {
    for other in others {
      for note in part.chords[chord].notes {
        let box = headBox(note, chord, shift: shift)
        for second in part.chords[other].notes {
          // Heads a third or farther apart stand above each other, as in a chord.
          guard abs(part.notes[note].place - part.notes[second].place) < 2 else { continue }
          if box.overlaps(headBox(second, other, shift: table.chords[other].shift), tolerance: 0.03) {
            if shift == table.chords[other].shift, shares(chord, other, note, second) { continue }
            return true
          }
        }
      }
    }
    return false
  }

  /// Voices at one position. The chord with its stem down moves to the right of the other one if their heads would collide, so that the
  /// stems form one line; voices that cross exchange their sides, so that the stems stand apart (Gould, Behind Bars, chapter 2).
  mutating func placeHeads(_ chords: [Int], _ staff: Int) {
    for chord in chords { placeSeconds(chord) }
    var order = chords
    if chords.count > 1 {
      order.sort { part.chords[$0].rank < part.chords[$1].rank }
      let (upper, lower) = (part.chords[order[0]], part.chords[order[1]])
      let low = upper.notes.map { part.notes[$0].place }.min() ?? 0
      let high = lower.notes.map { part.notes[$0].place }.max() ?? 0
      let isCrossed = upper.stemUp && !lower.stemUp && low < high
      if isCrossed { order.swapAt(0, 1) }
      for position in order.indices.dropFirst() {
        let chord = order[position]
        let width = max(headWidth(chord), headWidth(order[0]))
        var shift = isCrossed && position == 1 ? width + 0.1 : 0
        // The bound holds for any number of voices: each one moves past all others at last.
        for _ in 0..<64 where collides(chord, at: shift, with: order[..<position]) {
          shift += shift == 0 ? width + (part.chords[chord].hasStem ? -0.02 : 0.1) : width + 0.1
        }
        // Displaced heads reach to the left of their stem.
        table.chords[chord].shift = shift
      }
    }
    for chord in chords {
      var (left, right, top, bottom) = (Double.infinity, -Double.infinity, Double.infinity, -Double.infinity)
      for note in part.chords[chord].notes {
        table.noteX[note] += table.chords[chord].shift
        let box = headBox(note, chord, shift: 0)
        (left, right) = (min(left, box.left), max(right, box.right))
        (top, bottom) = (min(top, box.top), max(bottom, box.bottom))
        table.boxes.append(StaffBox(staff: staff, box: box))
      }
      (table.chords[chord].left, table.chords[chord].right) = (left, right)
      (table.chords[chord].top, table.chords[chord].bottom) = (top, bottom)
    }
  }

  // MARK: Stems

  /// A stem is an octave long, 3.5 spaces, and reaches the middle line if its notes have ledger lines. A stem that points away from the
  /// middle line is shorter, down to 2.5 spaces (Gould, Behind Bars, chapter 1).
  mutating func placeStems(_ chords: [Int], _ staff: Int) {
    for chord in chords where part.chords[chord].hasStem {
      let data = part.chords[chord]
      guard let low = data.notes.first, let high = data.notes.last else { continue }
      let base = data.stemUp ? low : high
      let outer = part.notes[data.stemUp ? high : low].place
      let half = metrics.music.stemThickness / 2
      let head = table.heads[base] ?? .noteheadBlack
      let box = metrics.box(head)
      let shift = table.chords[chord].shift
      if data.stemUp {
        let anchor = metrics.music.stemUp[head] ?? Point(box.right, 0)
        table.chords[chord].stemX = shift + anchor.x * data.scale - half
        table.chords[chord].stemBase = staffY(part.notes[base].place) + anchor.y * data.scale
      } else {
        let anchor = metrics.music.stemDown[head] ?? Point(box.left, 0)
        table.chords[chord].stemX = shift + anchor.x * data.scale + half
        table.chords[chord].stemBase = staffY(part.notes[base].place) + anchor.y * data.scale
      }
      let length = Self.stemLength(data, outer: outer)
      var tip = staffY(outer) + (data.stemUp ? -length : length)
      if !data.isGrace { tip = data.stemUp ? min(tip, 2) : max(tip, 2) }
      table.chords[chord].stemTip = tip
      let x = table.chords[chord].stemX
      table.boxes.append(
        StaffBox(
          staff: staff,
          box: Box(left: x - half, top: min(tip, staffY(outer)), right: x + half, bottom: max(tip, staffY(outer)))))
      if data.beam < 0, let flag = Metrics.flag(count: data.flags, up: data.stemUp) {
        let box = metrics.box(flag, scale: data.scale, at: Point(x, tip))
        table.boxes.append(StaffBox(staff: staff, box: box))
        table.chords[chord].right = max(table.chords[chord].right, data.stemUp ? x + half : 0)
      }
    }
  }

  /// The length of a stem whose outer note is at `outer`.
  static func stemLength(_ chord: NotatedChord, outer: Int) -> Double {
    if chord.isSmall { return 2.5 + 0.5 * Double(max(chord.flags - 1, 0)) }
    let beyond = chord.stemUp ? outer : -outer
    let flags = Double(max(chord.flags - 2, 0)) * 0.75
    let shortest = chord.flags > 0 && chord.beam < 0 ? 3.0 : 2.5
    return max(shortest, beyond > 0 ? 3.5 - 0.2 * Double(beyond) : 3.5) + flags
  }

  // MARK: Ledger lines

  /// Ledger lines are shared by all heads of a position, and reach a little beyond those that need them.
  mutating func placeLedgers(_ chords: [Int], _ staff: Int) {
    for side in [1, -1] {
      // The farthest place of the heads from the middle line, and their extent at each line or beyond.
      var heads: [(place: Int, left: Double, right: Double)] = []
      for chord in chords {
        for note in part.chords[chord].notes where part.notes[note].place * side >= 6 {
          let box = headBox(note, chord, shift: 0)
          heads.append((part.notes[note].place * side, box.left, box.right))
        }
      }
      guard var farthest = heads.map(\.place).max() else { continue }
      farthest = min(farthest - farthest % 2, 80)
      let reach = heads.count == 1 && part.chords[chords[0]].isSmall ? 0.25 : 0.35
      for line in stride(from: 6, through: farthest, by: 2) {
        var (left, right) = (Double.infinity, -Double.infinity)
        for head in heads where head.place >= line {
          (left, right) = (min(left, head.left), max(right, head.right))
        }
        guard left < right else { continue }
        let y = staffY(line * side)
        table.ledgers.append(LedgerLine(staff: staff, left: left - reach, right: right + reach, y: y))
        table.boxes.append(
          StaffBox(staff: staff, box: Box(left: left - reach, top: y - 0.1, right: right + reach, bottom: y + 0.1)))
      }
    }
  }
}
