import Scores

/// Reads one part of a score into what must be drawn, bar by bar.
struct NotationReader {
  let score: Score
  let part: Part
  var notated: NotatedPart
  let tempoMarks: [Int: [TempoMark]]
  /// In force for each staff.
  var clefs: [Clef]
  var keys: [Int]
  var metre = Metre.common
  var rules: [AccidentalRules]
  /// The octaves by which the octave line of each staff moves its notes down.
  var octaves: [Int]

  /// - Throws: ``ScoreFault`` if the part exceeds a limit of ``Engraver/Limits``.
  static func read(_ score: Score, part index: Int, collapsesRests: Bool) throws(ScoreFault) -> NotatedPart {
    guard score.parts.indices.contains(index) else {
      throw ScoreFault("part \(index + 1)", "it does not exist", "use 1 to \(score.parts.count)")
    }
    let part = score.parts[index]
    guard part.bars.count == score.bars.count, !score.bars.isEmpty else {
      throw ScoreFault("part \(part.name)", "it has not the bars of the score", "read the score again")
    }
    var reader = NotationReader(score, part, try Timebase(score, part))
    try reader.readBars(collapsesRests)
    BeamRules.apply(to: &reader.notated, part)
    StemRules.apply(to: &reader.notated)
    reader.notated.readLines(part)
    return reader.notated
  }

  private init(_ score: Score, _ part: Part, _ timebase: Timebase) {
    (self.score, self.part) = (score, part)
    let staves = min(max(Int(part.staves), 1), Score.Limits.staves)
    notated = NotatedPart(staves: staves, timebase: timebase)
    tempoMarks = Dictionary(grouping: score.tempoMarks, by: \.bar)
    let clef = part.isPercussion ? Clef(.percussion, line: 2) : Clef(.g, line: 2)
    clefs = [Clef](repeating: clef, count: staves)
    keys = [Int](repeating: 0, count: staves)
    rules = [AccidentalRules](repeating: AccidentalRules(), count: staves)
    octaves = keys
  }

  private mutating func readBars(_ collapsesRests: Bool) throws(ScoreFault) {
    let rests = collapsesRests ? MultiRests.ranges(score, part, metres: score.metres, tempoMarks) : []
    var nextRest = 0
    var bar = 0
    while bar < score.bars.count {
      if nextRest < rests.count, rests[nextRest].lowerBound == bar {
        try read(bars: rests[nextRest])
        bar = rests[nextRest].upperBound
        nextRest += 1
      } else {
        try read(bars: bar..<bar + 1)
        bar += 1
      }
    }
  }

  // MARK: Bars

  private mutating func read(bars: Range<Int>) throws(ScoreFault) {
    let (index, content) = (bars.lowerBound, part.bars[bars.lowerBound])
    try check(content, index)
    let bar = score.bars[index]
    let (oldClefs, oldKeys) = (clefs, keys)
    let showsMetre = bar.metre.map { index == 0 || $0 != metre } ?? false
    metre = bar.metre ?? metre
    var inner: [InnerChange] = []
    var late: [Change] = []
    for change in content.changes {
      if change.offset <= .zero {
        apply(change)
      } else if change.offset >= bar.length {
        late.append(change)
      }
    }
    var measure = NotatedMeasure(
      bars: bars, length: notated.timebase.ticks(bar.length), metre: metre,
      showsMetre: showsMetre && metre.symbol != .free, clefs: clefs, keys: keys,
      oldClefs: index == 0 ? clefs : oldClefs, oldKeys: index == 0 ? keys : oldKeys)
    let first = notated.chords.count
    if !measure.isMultiRest {
      try readChords(content, index)
      place(content, bar.length, &measure, first, &inner)
      addEmptyRests(&measure, bar, index, first)
    }
    measure.inner = inner
    readMarks(bars, &measure)
    notated.measures.append(measure)
    // A clef at the end of a bar belongs to the next bar; so does a key.
    for change in late { apply(change) }
  }

  private func check(_ content: PartBar, _ bar: Int) throws(ScoreFault) {
    func check(_ count: Int, _ limit: Int, _ noun: String, in thing: String) throws(ScoreFault) {
      guard count <= limit else { throw ScoreFault(thing, "\(count) \(noun)", "use at most \(limit)") }
    }
    let place = "bar \(bar + 1)"
    let chords = content.voices.reduce(0) { $0 + $1.chords.count }
    try check(chords, Engraver.Limits.chordsPerBar, "chords and rests", in: place)
    let marks = content.marks.count + content.symbols.count + content.changes.count
    try check(marks, Engraver.Limits.marksPerBar, "marks", in: place)
    try check(tempoMarks[bar]?.count ?? 0, Engraver.Limits.marksPerBar, "tempo marks", in: place)
    try check(notated.marks.count + marks, Engraver.Limits.marks, "marks", in: "the part")
    try check(notated.lyrics.count, Engraver.Limits.lyrics, "syllables", in: "the part")
  }

  private func staves(_ change: Change) -> Range<Int> {
    if change.staff == 0 { return 0..<notated.staves }
    let staff = min(Int(change.staff) - 1, notated.staves - 1)
    return staff..<staff + 1
  }

  private mutating func apply(_ change: Change) {
    for staff in staves(change) {
      switch change.content {
      case .clef(let clef): clefs[staff] = clef
      case .key(let key): keys[staff] = Int(key.fifths)
      case .transposition: break
      }
    }
  }

  /// Gives the notes of a bar their places and accidentals, with the changes of clef and key inside the bar.
  private mutating func place(
    _ content: PartBar, _ length: Fraction, _ measure: inout NotatedMeasure, _ first: Int,
    _ inner: inout [InnerChange]
  ) {
    let changes = content.changes
    let lines = content.marks.filter { $0.isOctaveLine }
    var nextLine = 0
    var order = Array(first..<notated.chords.count)
    order.sort { a, b in
      let (x, y) = (notated.chords[a], notated.chords[b])
      return (x.tick, x.order, x.voice) < (y.tick, y.order, y.voice)
    }
    for staff in 0..<notated.staves { rules[staff].beginBar(fifths: keys[staff]) }
    var next = 0
    for chord in order {
      while next < changes.count {
        let change = changes[next]
        guard change.offset < length, notated.timebase.ticks(change.offset) <= notated.chords[chord].tick else { break }
        next += 1
        if change.offset > .zero { take(change, &inner) }
      }
      while nextLine < lines.count, notated.timebase.ticks(lines[nextLine].offset) <= notated.chords[chord].tick {
        takeOctaveLine(lines[nextLine])
        nextLine += 1
      }
      placeNotes(of: chord)
    }
    for line in lines[nextLine...] { takeOctaveLine(line) }
    while next < changes.count {
      if changes[next].offset > .zero, changes[next].offset < length { take(changes[next], &inner) }
      next += 1
    }
    measure.chords = order
  }

  private mutating func take(_ change: Change, _ inner: inout [InnerChange]) {
    let tick = notated.timebase.ticks(change.offset)
    for staff in staves(change) {
      switch change.content {
      case .clef(let clef) where clef != clefs[staff]:
        inner.append(InnerChange(content: .clef(clef), staff: staff, tick: tick))
      case .key(let key) where Int(key.fifths) != keys[staff]:
        inner.append(InnerChange(content: .key(old: keys[staff], new: Int(key.fifths)), staff: staff, tick: tick))
        rules[staff].change(fifths: Int(key.fifths))
      default: break
      }
    }
    apply(change)
  }

  private mutating func takeOctaveLine(_ mark: Mark) {
    let staff = min(max(Int(mark.staff), 1), notated.staves) - 1
    if case .octaveLine(let count) = mark.content { octaves[staff] = Int(count) } else { octaves[staff] = 0 }
  }

  private mutating func placeNotes(of index: Int) {
    let staff = notated.chords[index].staff
    let clef = clefs[staff]
    for note in notated.chords[index].notes {
      let (letter, alteration) = (notated.notes[note].letter, notated.notes[note].alteration)
      let isStroke = notated.notes[note].isStroke
      notated.notes[note].place = isStroke ? letter - 34 : clef.place(ofLetter: letter) - 7 * octaves[staff]
      if isStroke { continue }
      let printed = notated.notes[note].accidental
      let ruled = rules[staff].accidental(
        letter: letter, alteration: alteration, continuesTie: notated.notes[note].continuesTie)
      if printed == .none {
        notated.notes[note].accidental = ruled
      } else if ruled == .none {
        rules[staff].note(letter: letter, alteration: alteration)
      }
    }
  }
}

extension Mark {
  fileprivate var isOctaveLine: Bool {
    switch content {
    case .octaveLine, .octaveLineEnd: true
    default: false
    }
  }
}
