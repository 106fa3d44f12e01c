import Scores

/// Signs at notes: articulations beside the heads, and ornaments, bowings and fermatas outside the staff (Gould, Behind Bars, chapter 4).
extension SystemBuilder {
  /// Signs that stand at the head, from the note outwards, with their glyphs above and below.
  private static let articulations: [(sign: Chord.Signs, above: MusicFont.Glyph, below: MusicFont.Glyph, fits: Bool)] =
    [
      (.staccato, .articStaccatoAbove, .articStaccatoAbove, true),
      (Chord.Signs(rawValue: 1 << 6), .articStaccatissimoAbove, .articStaccatissimoBelow, false),
      (.staccatissimo, .articStaccatissimoAbove, .articStaccatissimoBelow, false),
      (.tenuto, .articTenutoAbove, .articTenutoAbove, true),
      (.detachedLegato, .articTenutoStaccatoAbove, .articTenutoStaccatoBelow, false),
      (.accent, .articAccentAbove, .articAccentBelow, false),
      (.strongAccent, .articMarcatoAbove, .articMarcatoBelow, false),
    ]

  mutating func drawArticulations() {
    for measure in measures {
      for chord in part.measures[measure].chords where !part.chords[chord].signs.isEmpty {
        drawArticulations(chord)
      }
    }
  }

  private mutating func drawArticulations(_ index: Int) {
    let chord = part.chords[index]
    guard !chord.isRest, let low = chord.notes.first, let high = chord.notes.last else { return }
    // With one voice the signs stand at the heads; with two, on the side of the voice.
    let isAbove = chord.isPolyphonic ? chord.rank % 2 == 0 : chord.hasStem ? !chord.stemUp : part.notes[high].place >= 0
    let sign = isAbove ? 1 : -1
    let isAtStem = chord.hasStem && chord.stemUp == isAbove
    let x = isAtStem ? layout.stemX(index) : middleOfHead(index)
    var place = isAbove ? part.notes[high].place : part.notes[low].place
    var y = staffY(place)
    if isAtStem {
      y = tip(index)
      place = Int(((2 - y) * 2).rounded(isAbove ? .up : .down))
    }
    for entry in Self.articulations where chord.signs.contains(entry.sign) {
      let isUp = entry.sign == .strongAccent && !chord.isPolyphonic ? true : isAbove
      let glyph = isUp ? entry.above : entry.below
      guard metrics.has(glyph) else {
        missing[Chord.Signs.names[entry.sign.rawValue.trailingZeroBitCount], default: 0] += 1
        continue
      }
      let box = metrics.box(glyph)
      if isUp != isAbove {
        drawOutside(glyph, chord, middleOfHead(index), isAbove: isUp)
        continue
      }
      if entry.fits {
        // Dots and dashes stand in the next space that is free, inside the staff too.
        place += 2 * sign
        if place % 2 == 0, abs(place) <= 4 { place += sign }
        y = staffY(place)
        let middle = (box.top + box.bottom) / 2
        add(
          Element(
            .articulation, id: chord.id, bar: chord.bar,
            label: Chord.Signs.names[entry.sign.rawValue.trailingZeroBitCount],
            shapes: [.glyph(glyph, at: Point(x - (box.left + box.right) / 2, y - middle), scale: chord.scale)]),
          staff: chord.staff)
      } else {
        drawOutside(glyph, chord, x, isAbove: isAbove)
      }
    }
    if chord.signs.contains(.breathMark) || chord.signs.contains(.caesura) { drawBreath(index) }
  }

  func middleOfHead(_ chord: Int) -> Double {
    let geometry = table.chords[chord]
    guard let note = part.chords[chord].notes.first else {
      return layout.chordX(chord) + (geometry.left + geometry.right) / 2
    }
    return layout.chordX(chord) + geometry.shift + layout.headWidth(note) / 2
  }

  /// Places a glyph outside the staff, against the skyline.
  private mutating func drawOutside(
    _ glyph: MusicFont.Glyph, _ chord: NotatedChord, _ x: Double, isAbove: Bool, role: Element.Role = .articulation
  ) {
    let box = metrics.box(glyph, scale: chord.scale)
    let (left, right) = (x - box.width / 2, x + box.width / 2)
    let y: Double
    if isAbove {
      y = min(above[chord.staff].edge(left, right) - 0.3, -0.3) - box.bottom
    } else {
      y = max(below[chord.staff].edge(left, right) + 0.3, 4.3) - box.top
    }
    add(
      Element(
        role, id: chord.id, bar: chord.bar, label: "\(glyph)",
        shapes: [.glyph(glyph, at: Point(left - box.left, y), scale: chord.scale)]), staff: chord.staff)
  }

  /// A breath mark stands after its note, above the top line.
  private mutating func drawBreath(_ index: Int) {
    let chord = part.chords[index]
    let isBreath = chord.signs.contains(.breathMark)
    let glyph: MusicFont.Glyph = isBreath ? .breathMarkComma : .caesura
    guard metrics.has(glyph) else { return }
    let box = metrics.box(glyph)
    let start = layout.chordX(index) + table.chords[index].right
    let column = table.chords[index].column + 1
    let range = table.measures[chord.measure]
    let end =
      range.contains(column)
      ? layout.columnX[column] + table.columns[column].left : layout.contentRight[chord.measure]
    let x = max(start + 0.2, (start + end - box.width) / 2)
    let top = above[chord.staff].edge(x, x + box.width)
    let y = min(isBreath ? -0.4 : 0, top - 0.3)
    add(
      Element(
        .breath, id: chord.id, bar: chord.bar, label: isBreath ? "breath" : "caesura",
        shapes: [.glyph(glyph, at: Point(x - box.left, y - box.bottom), scale: 1)]), staff: chord.staff)
  }

  // MARK: Outside

  private static let ornaments: [(bit: Int, glyph: MusicFont.Glyph)] = [
    (16, .ornamentTrill), (17, .ornamentTurn), (18, .ornamentTurnInverted), (20, .ornamentMordent),
    (21, .ornamentShortTrill), (24, .stringsUpBow), (25, .stringsDownBow), (26, .harmonicOpen), (27, .harmonicOpen),
    (28, .stopped), (29, .snapPizzicatoAbove),
  ]
  /// The signs that are drawn, by bits.
  private static let drawn: UInt64 = {
    var bits = ornaments.reduce(UInt64(0)) { $0 | 1 << UInt64($1.bit) }
    for entry in articulations { bits |= entry.sign.rawValue }
    return bits | Chord.Signs([.fermata, .breathMark, .caesura, .arpeggio]).rawValue
  }()

  /// Ornaments, bowings and fermatas, after slurs and tuplets.
  mutating func drawOuterSigns() {
    for measure in measures {
      for index in part.measures[measure].chords where !part.chords[index].signs.isEmpty {
        let chord = part.chords[index]
        for (bit, glyph) in Self.ornaments where chord.signs.rawValue & 1 << UInt64(bit) != 0 {
          if metrics.has(glyph) {
            drawOutside(glyph, chord, middleOfHead(index), isAbove: true)
          } else {
            missing[Chord.Signs.names[bit], default: 0] += 1
          }
        }
        var others = chord.signs.rawValue & ~Self.drawn
        while others != 0 {
          let bit = others.trailingZeroBitCount
          others &= others - 1
          if bit < Chord.Signs.names.count { missing[Chord.Signs.names[bit], default: 0] += 1 }
        }
        if chord.signs.contains(.fermata) {
          let isAbove = !chord.isPolyphonic || chord.rank % 2 == 0
          let x = chord.isWholeBar ? barMiddle(measure) : middleOfHead(index)
          drawOutside(isAbove ? .fermataAbove : .fermataBelow, chord, x, isAbove: isAbove, role: .fermata)
        }
      }
    }
  }
}
