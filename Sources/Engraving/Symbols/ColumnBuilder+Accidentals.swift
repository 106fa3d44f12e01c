import Scores

/// Accidentals, dots and rests of the chords at one position of one staff.
extension ColumnBuilder {
  /// Accidentals stand in columns to the left of all heads. The highest one is nearest to the heads, then the lowest, and so on towards
  /// the middle, each as far to the right as those before it permit (Gould, Behind Bars, chapter 3). Because each one is moved past
  /// everything that it would touch, no two overlap.
  mutating func placeAccidentals(_ chords: [Int], _ staff: Int) {
    var notes: [Int] = []
    for chord in chords {
      for note in part.chords[chord].notes where part.notes[note].accidental != .none {
        // Voices that share a head share its accidental.
        let isShared = notes.contains {
          part.notes[$0].place == part.notes[note].place && table.noteX[$0] == table.noteX[note]
            && part.notes[$0].accidental == part.notes[note].accidental
        }
        if !isShared { notes.append(note) }
      }
    }
    if notes.isEmpty { return }
    notes.sort { (part.notes[$0].place, $0) > (part.notes[$1].place, $1) }
    var obstacles: [Box] = []
    for chord in chords {
      for note in part.chords[chord].notes {
        let y = staffY(part.notes[note].place)
        let scale = part.chords[chord].scale
        let box = table.heads[note].map { metrics.box($0, scale: scale, at: Point(table.noteX[note], y)) }
        if let box { obstacles.append(box) }
      }
      if part.chords[chord].hasStem {
        let (x, geometry) = (table.chords[chord].stemX, table.chords[chord])
        obstacles.append(
          Box(
            left: x - 0.06, top: min(geometry.stemTip, geometry.stemBase), right: x + 0.06,
            bottom: max(geometry.stemTip, geometry.stemBase)))
      }
    }
    for ledger in table.ledgers.reversed().prefix(24) where ledger.staff == staff && isOf(ledger, chords) {
      obstacles.append(Box(left: ledger.left, top: ledger.y - 0.08, right: ledger.right, bottom: ledger.y + 0.08))
    }
    var (first, last) = (0, notes.count - 1)
    var takesFirst = true
    while first <= last {
      place(notes[takesFirst ? first : last], staff, &obstacles)
      if takesFirst { first += 1 } else { last -= 1 }
      takesFirst.toggle()
    }
  }

  private func isOf(_ ledger: LedgerLine, _ chords: [Int]) -> Bool {
    // The ledger lines of the present column were added last.
    guard let column = chords.first.map({ table.chords[$0].column }) else { return false }
    return table.ledgerRanges.count == column
  }

  private mutating func place(_ note: Int, _ staff: Int, _ obstacles: inout [Box]) {
    let scale = part.chords[part.notes[note].chord].scale
    let y = staffY(part.notes[note].place)
    // The nearest accidental comes first, so a natural before a sharp is placed last.
    for glyph in part.notes[note].accidental.glyphs.reversed() {
      let box = metrics.box(glyph, scale: scale, at: Point(0, y))
      let gap = 0.18 * scale
      var right = table.noteX[note] - gap
      var isMoved = true
      while isMoved {
        isMoved = false
        for obstacle in obstacles
        where obstacle.bottom > box.top - 0.04 && obstacle.top < box.bottom + 0.04
          && obstacle.right > right - box.width - gap / 2 && obstacle.left - gap < right - 0.001
        {
          // Each obstacle moves the accidental once at most, because it is then to the right of it.
          right = obstacle.left - gap
          isMoved = true
        }
      }
      let x = right - box.right
      let placed = box.moved(by: Point(x, 0))
      table.accidentals.append(PlacedAccidental(note: note, glyph: glyph, x: x, y: y, scale: scale))
      table.boxes.append(StaffBox(staff: staff, box: placed))
      obstacles.append(placed)
    }
  }

  // MARK: Dots

  /// Dots stand in spaces. The dot of a note on a line takes the space above, or the one below in the lower of two voices, or the next
  /// free one (Gould, Behind Bars, chapter 2). All dots of a position stand in one column.
  mutating func placeDots(_ chords: [Int], _ staff: Int) {
    guard chords.contains(where: { part.chords[$0].dots > 0 }) else { return }
    let dot = metrics.box(.augmentationDot)
    var taken: [Int] = []
    var right = 0.0
    for chord in chords { right = max(right, table.chords[chord].right) }
    for chord in chords where part.chords[chord].dots > 0 && !part.chords[chord].isRest {
      let prefersBelow = part.chords[chord].isPolyphonic && part.chords[chord].rank % 2 == 1
      for note in part.chords[chord].notes.reversed() {
        let place = part.notes[note].place
        let space = place % 2 != 0 ? place : prefersBelow ? place - 1 : place + 1
        // Voices that share a head share its dot.
        let isShared = chords.contains { other in
          other != chord
            && part.chords[other].notes.contains {
              $0 != note && part.notes[$0].place == place && table.noteX[$0] == table.noteX[note]
                && table.dotPlaces[$0] != nil
            }
        }
        if isShared { continue }
        guard let free = Self.freeSpace(space, taken) else { continue }
        taken.append(free)
        table.dotPlaces[note] = free
      }
    }
    // A flag beside the dots moves them to its right.
    var x = right + 0.3
    for chord in chords where part.chords[chord].beam < 0 && part.chords[chord].stemUp && part.chords[chord].hasStem {
      guard let flag = Metrics.flag(count: part.chords[chord].flags, up: true) else { continue }
      let geometry = table.chords[chord]
      let box = metrics.box(flag, scale: part.chords[chord].scale, at: Point(geometry.stemX, geometry.stemTip))
      let touches = taken.contains { staffY($0) - 0.3 < box.bottom && staffY($0) + 0.3 > box.top }
      if touches { x = max(x, box.right + 0.15) }
    }
    // Ledger lines beside a note in a space would touch its dot.
    for chord in chords where part.chords[chord].dots > 0 {
      let data = part.chords[chord]
      table.chords[chord].dotX = data.isRest ? table.chords[chord].right + 0.3 : x
      let end = table.chords[chord].dotX + dot.width + Double(data.dots - 1) * Self.dotStep * data.scale
      let start = table.chords[chord].dotX
      if data.isRest {
        let y = restDotY(chord)
        let reach = data.isUnderBeam ? Self.restReach : 0.25
        table.boxes.append(
          StaffBox(staff: staff, box: Box(left: start, top: y - reach, right: end, bottom: y + reach)))
      } else {
        for note in data.notes {
          guard let place = table.dotPlaces[note] else { continue }
          let y = staffY(place)
          table.boxes.append(StaffBox(staff: staff, box: Box(left: start, top: y - 0.25, right: end, bottom: y + 0.25)))
        }
      }
    }
  }

  /// The nearest space without a dot, the lower one first.
  private static func freeSpace(_ space: Int, _ taken: [Int]) -> Int? {
    for distance in 0..<64 {
      for candidate in [space - 2 * distance, space + 2 * distance] where !taken.contains(candidate) {
        return candidate
      }
    }
    return nil
  }

  static let dotStep = 0.6
  /// How far a rest may move away from a beam.
  static let restReach = 8.0

  /// The dot of a rest stands in the space above the line on which the rest is centred.
  func restDotY(_ chord: Int) -> Double {
    let y = table.chords[chord].restY
    switch part.chords[chord].halvings {
    case ...0: return y + 0.5
    default: return y - 0.5
    }
  }

  // MARK: Rests

  /// A rest stands in the middle of the staff. In the upper of two voices it moves up by whole spaces until it is free of the notes of
  /// the other voices that sound with it; in the lower one, down (Gould, Behind Bars, chapter 2).
  mutating func placeRest(_ chord: Int) {
    let data = part.chords[chord]
    let glyph = Metrics.rest(halvings: data.halvings)
    let box = metrics.box(glyph, scale: data.scale)
    // A whole rest hangs from the fourth line.
    let base = data.halvings == 0 ? 1.0 : 2.0
    var y = base
    if let others = notesBeside(chord) {
      let isUpper = isUpper(chord)
      let gap = 0.3
      if isUpper {
        y = data.isPolyphonic || data.isWholeBar ? base - 1 : base
        for _ in 0..<32 where y + box.bottom > others.top - gap { y -= 1 }
      } else {
        y = data.isPolyphonic || data.isWholeBar ? base + 1 : base
        for _ in 0..<32 where y + box.top < others.bottom + gap { y += 1 }
      }
    } else if data.isPolyphonic {
      y = isUpper(chord) ? base - 1 : base + 1
    }
    table.chords[chord].restY = y
    table.chords[chord].left = min(box.left, 0)
    table.chords[chord].right = box.right
    table.chords[chord].top = y + box.top
    table.chords[chord].bottom = y + box.bottom
  }

  private func isUpper(_ chord: Int) -> Bool {
    let data = part.chords[chord]
    if data.isPolyphonic, !data.isWholeBar { return data.rank % 2 == 0 }
    // A rest for the whole bar is no voice of its own. Its number says whether it lies above the others.
    let others = part.measures[data.measure].chords.filter { part.chords[$0].staff == data.staff && $0 != chord }
    return others.allSatisfy { part.chords[$0].voice > data.voice }
  }

  /// The extent of the heads and rests of other voices that overlap a rest in time.
  private func notesBeside(_ chord: Int) -> (top: Double, bottom: Double)? {
    let data = part.chords[chord]
    var result: (top: Double, bottom: Double)?
    for other in part.measures[data.measure].chords where other != chord {
      let beside = part.chords[other]
      guard beside.staff == data.staff, beside.voice != data.voice, !beside.isGrace else { continue }
      guard beside.tick < data.tick + data.length, data.tick < beside.tick + max(beside.length, 1) else { continue }
      var (top, bottom) = (2.0, 2.0)
      if beside.isRest {
        // Two rests at once stand on both sides of the middle line.
        if beside.tick != data.tick { continue }
      } else {
        let places = beside.notes.map { part.notes[$0].place }
        (top, bottom) = (staffY(places.max() ?? 0) - 0.5, staffY(places.min() ?? 0) + 0.5)
      }
      result = result.map { (min($0.top, top), max($0.bottom, bottom)) } ?? (top, bottom)
    }
    return result
  }
}
