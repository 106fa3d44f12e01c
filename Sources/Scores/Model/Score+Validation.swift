extension Score {
  /// Checks every number of the score against ``Limits`` and every position against its bar. A valid score causes no overflow and only
  /// bounded work in routes, tempo paths and tables of events.
  ///
  /// - Throws: ``ScoreFault`` with the first violation.
  public func validate() throws(ScoreFault) {
    try Self.check(parts.count, Limits.parts, "the score", "parts", least: 1)
    try Self.check(bars.count, Limits.bars, "the score", "bars", least: 1)
    try Self.check(tempoMarks.count, Limits.marks, "the score", "tempo marks")
    var limits = ScoreTotals()
    for text in [title, movement, rights] + creators.flatMap({ [$0.role, $0.name] }) { try limits.add(text: text) }
    guard bars[0].metre != nil else { throw ScoreFault("bar 1", "has no metre", "state one") }
    for (index, bar) in bars.enumerated() { try limits.add(bar, index) }
    for mark in tempoMarks {
      guard bars.indices.contains(mark.bar) else {
        throw ScoreFault("a tempo mark", "bar \(mark.bar + 1) does not exist", "use bars 1 to \(bars.count)")
      }
      try limits.add(offset: mark.offset, bars[mark.bar], mark.bar)
      try limits.add(text: mark.text)
      if case .tempo(let tempo) = mark.content, !TempoMark.range.contains(tempo) {
        throw ScoreFault("a tempo mark", "\(tempo / 1000) quarter notes per minute", "use 5 to 2000")
      }
    }
    for part in parts {
      guard part.bars.count == bars.count else {
        throw ScoreFault(
          "part \(part.id)", "\(part.bars.count) bars, but the score has \(bars.count)", "use the same bars")
      }
      try limits.add(part)
      for (index, content) in part.bars.enumerated() { try limits.add(content, of: part, bars[index], index) }
    }
  }

  static func check(_ count: Int, _ limit: Int, _ thing: String, _ noun: String, least: Int = 0) throws(ScoreFault) {
    guard (least...limit).contains(count) else {
      throw ScoreFault(thing, "\(count) \(noun)", "use \(least == 0 ? "at most" : "\(least) to") \(limit)")
    }
  }
}

/// The sums of a score while it is checked.
private struct ScoreTotals {
  private var notes = 0, chords = 0, marks = 0, octets = 0
  private var denominator: UInt64 = 1

  mutating func add(text: String) throws(ScoreFault) {
    try Score.check(text.utf8.count, Score.Limits.text, "a text", "octets")
    octets += text.utf8.count
    try Score.check(octets, Score.Limits.texts, "the texts", "octets")
  }

  mutating func add(_ bar: Bar, _ index: Int) throws(ScoreFault) {
    try add(bar.length, index)
    guard bar.length > .zero, bar.length <= Fraction(Score.Limits.barLength) else {
      throw ScoreFault(
        "bar \(index + 1)", "a length of \(bar.length) quarter notes", "use up to \(Score.Limits.barLength)")
    }
    for text in [bar.number, bar.segno, bar.coda, bar.toCoda].compactMap(\.self) { try add(text: text) }
    if case .dalSegno(let label) = bar.jump { try add(text: label) }
    let passes = (1...Score.Limits.repeats)
    guard bar.ending.allSatisfy({ passes.contains(Int($0)) }),
      zip(bar.ending, bar.ending.dropFirst()).allSatisfy({ $0 < $1 }),
      bar.repeatEnd.map({ passes.contains(Int($0.times)) }) ?? true
    else { throw ScoreFault("bar \(index + 1)", "more than \(Score.Limits.repeats) repeats", "write the bars out") }
  }

  /// Adds a position or length to the common denominator.
  mutating func add(_ value: Fraction, _ bar: Int) throws(ScoreFault) {
    let next = UInt64(value.denominator)
    if denominator % next == 0 { return }
    let (product, overflow) = denominator.multipliedReportingOverflow(by: next / Fraction.divisor(denominator, next))
    guard !overflow, product <= Score.Limits.denominator else { throw .tooFine("bar \(bar + 1)") }
    denominator = product
  }

  mutating func add(offset: Fraction, _ bar: Bar, _ index: Int) throws(ScoreFault) {
    try add(offset, index)
    guard offset >= .zero, offset <= bar.length else {
      throw ScoreFault("bar \(index + 1)", "a position of \(offset) quarter notes", "use positions inside the bar")
    }
  }

  mutating func add(_ part: Part) throws(ScoreFault) {
    for text in [part.name, part.abbreviation] { try add(text: text) }
    try Score.check(part.instruments.count, 128, "part \(part.id)", "instruments", least: 1)
    try Score.check(Int(part.staves), Score.Limits.staves, "part \(part.id)", "staves", least: 1)
    for instrument in part.instruments {
      try add(text: instrument.name)
      guard instrument.program < 128, (instrument.key ?? 0) < 128 else {
        throw ScoreFault("part \(part.id)", "a program or key above 127", "use 0 to 127")
      }
    }
    guard part.level < 128 else { throw ScoreFault("part \(part.id)", "level \(part.level)", "use 0 to 127") }
  }

  mutating func add(_ content: PartBar, of part: Part, _ bar: Bar, _ index: Int) throws(ScoreFault) {
    try Score.check(
      content.voices.count, Score.Limits.voicesPerStaff * Int(part.staves), "bar \(index + 1) of part \(part.id)",
      "voices")
    guard zip(content.voices, content.voices.dropFirst()).allSatisfy({ $0.number < $1.number }) else {
      throw ScoreFault("bar \(index + 1) of part \(part.id)", "a voice occurs twice", "number the voices in order")
    }
    for voice in content.voices {
      var end = Fraction.zero
      for chord in voice.chords {
        try add(chord, part, index)
        try add(offset: chord.onset, bar, index)
        try add(chord.length, index)
        guard chord.onset >= end, let next = chord.end, chord.length >= .zero, next <= bar.length else {
          throw ScoreFault("bar \(index + 1) of part \(part.id)", "notes of a voice overlap", "use another voice")
        }
        end = next
      }
    }
    for change in content.changes {
      try add(offset: change.offset, bar, index)
      try add(staff: change.staff == 0 ? 1 : change.staff, part, index)
      if case .key(let key) = change.content, abs(Int(key.fifths)) > Key.maximumFifths {
        throw ScoreFault("bar \(index + 1)", "a key of \(key.fifths) fifths", "use -14 to 14")
      }
    }
    for mark in content.marks {
      try add(offset: mark.offset, bar, index)
      try add(staff: mark.staff, part, index)
      switch mark.content {
      case .words(let text), .rehearsal(let text): try add(text: text)
      default: break
      }
    }
    for symbol in content.symbols {
      try add(offset: symbol.offset, bar, index)
      try Score.check(symbol.degrees.count, 16, "a chord symbol", "degrees")
    }
    marks += content.changes.count + content.marks.count + content.symbols.count
    try Score.check(marks, Score.Limits.marks, "the score", "marks")
  }

  private mutating func add(_ chord: Chord, _ part: Part, _ index: Int) throws(ScoreFault) {
    chords += 1
    notes += chord.notes.count
    try Score.check(notes, Score.Limits.notes, "the score", "notes")
    try Score.check(chords, Score.Limits.chords, "the score", "chords and rests")
    try add(staff: chord.staff, part, index)
    for note in chord.notes {
      if case .stroke(_, let instrument) = note.sound, Int(instrument) >= part.instruments.count {
        throw ScoreFault(
          "bar \(index + 1)", "instrument \(Int(instrument) + 1) does not exist", "declare it in the part")
      }
    }
    for lyric in chord.lyrics { try add(text: lyric.text) }
    let lines = chord.slurs.count + chord.tuplets.count + chord.beams.count + chord.lyrics.count
    try Score.check(lines, 256, "a note in bar \(index + 1)", "slurs, tuplets, beams and syllables")
  }

  private func add(staff: UInt8, _ part: Part, _ index: Int) throws(ScoreFault) {
    guard (1...part.staves).contains(staff) else {
      throw ScoreFault(
        "bar \(index + 1) of part \(part.id)", "staff \(staff) does not exist", "use 1 to \(part.staves)")
    }
  }
}
