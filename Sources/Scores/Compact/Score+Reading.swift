extension Score {
  /// Reads the compact form (``octets``). The octets may come from any peer.
  ///
  /// - Throws: ``ScoreFault`` if they are damaged, of another version, or not a valid score.
  public init(octets: [UInt8]) throws(ScoreFault) {
    try Score.check(octets.count, Score.maximumOctets, "the score", "octets")
    var reader = OctetReader(octets)
    guard try reader.number() == Score.signature else { throw reader.damaged("the beginning") }
    guard try reader.number() == Score.version else {
      throw ScoreFault("the score", "is of another version of Tutti", "update Tutti on all devices")
    }
    self.init()
    title = try reader.text()
    movement = try reader.text()
    rights = try reader.text()
    creators = try reader.list(64, "the creators") { reader throws(ScoreFault) in
      Creator(role: try reader.text(), name: try reader.text())
    }
    bars = try reader.list(Limits.bars, "the bars") { reader throws(ScoreFault) in try reader.bar() }
    tempoMarks = try reader.list(Limits.marks, "the tempo marks") { reader throws(ScoreFault) in
      try reader.tempoMark()
    }
    parts = try reader.list(Limits.parts, "the parts") { reader throws(ScoreFault) in try reader.part() }
    guard reader.isAtEnd else { throw reader.damaged("the end") }
    try validate()
    // A score has one form only, so that its digest identifies it.
    guard self.octets == octets else {
      throw ScoreFault("the score", "is not in its compact form", "send or export it again")
    }
  }
}

extension OctetReader {
  fileprivate mutating func metre() throws(ScoreFault) -> Metre {
    let symbol: Metre.Symbol = try value()
    let groups = try list(Metre.maximumGroups, "a metre") { reader throws(ScoreFault) in
      let beats = try reader.list(Metre.maximumGroups, "a metre") { reader throws(ScoreFault) in
        try reader.integer(Metre.maximumBeats)
      }
      return Metre.Group(beats: beats, unit: try reader.integer(Metre.maximumUnit))
    }
    guard let metre = Metre(groups, symbol: symbol) else { throw damaged("a metre") }
    return metre
  }

  fileprivate mutating func bar() throws(ScoreFault) -> Bar {
    let id: UInt32 = try integer()
    var bar = Bar(number: try text(), length: try fraction())
    bar.id = id
    let flags = try flags(9)
    func has(_ bit: UInt64) -> Bool { flags >> bit & 1 == 1 }
    if has(0) { bar.metre = try metre() }
    (bar.isImplicit, bar.beginsRepeat, bar.isFine) = (has(1), has(2), has(7))
    if has(3) { bar.repeatEnd = Bar.Repeat(times: try integer(), isTakenAfterJump: has(4)) }
    if has(5) { bar.endingEnd = try value() as Bar.EndingEnd }
    if has(6) { bar.jump = has(8) ? .daCapo : .dalSegno(try text()) }
    guard has(3) || !has(4), has(6) || !has(8) else { throw damaged("a bar") }
    bar.ending = try list(Score.Limits.repeats, "an ending") { reader throws(ScoreFault) in
      try reader.integer() as UInt8
    }
    bar.segno = try optionalText()
    bar.coda = try optionalText()
    bar.toCoda = try optionalText()
    bar.line = try value()
    return bar
  }

  fileprivate mutating func tempoMark() throws(ScoreFault) -> TempoMark {
    let bar: Int = try integer(Score.Limits.bars)
    let offset = try fraction()
    let text = try text()
    let kind = try number(4)
    let tempo: Int = try integer(TempoMark.range.upperBound)
    let content: TempoMark.Content =
      switch kind {
      case 0: .tempo(tempo)
      case 1: .ritardando
      case 2: .accelerando
      case 3: .aTempo
      default: .tempoPrimo
      }
    guard kind == 0 || tempo == 0 else { throw damaged("a tempo mark") }
    return TempoMark(bar: bar, offset: offset, content, text: text, beat: try noteValue())
  }

  private mutating func noteValue() throws(ScoreFault) -> NoteValue? {
    let code: Int = try integer(255)
    if code == 0 { return nil }
    guard let value = NoteValue(halvings: (code - 1) / 8 - 3, dots: (code - 1) % 8) else {
      throw damaged("a note value")
    }
    return value
  }

  fileprivate mutating func part() throws(ScoreFault) -> Part {
    let id: UInt32 = try integer()
    var part = Part(name: try text(), abbreviation: try text(), instruments: [])
    part.id = id
    part.staves = try integer()
    part.isPercussion = try flags(1) == 1
    part.level = try integer()
    part.instruments = try list(128, "the instruments") { reader throws(ScoreFault) in
      let name = try reader.text()
      let program: UInt8 = try reader.integer()
      let key: UInt8 = try reader.integer(128)
      return Part.Instrument(name: name, program: program, key: key == 0 ? nil : key - 1)
    }
    var next: UInt32 = 0
    let count = try count(Score.Limits.bars, "the bars of a part")
    part.bars.reserveCapacity(count)
    for _ in 0..<count { part.bars.append(try partBar(&next)) }
    return part
  }

  private mutating func identifier(_ next: inout UInt32) throws(ScoreFault) -> UInt32 {
    let difference: Int64 = try signed()
    let (sum, overflow) = difference.addingReportingOverflow(Int64(next))
    guard !overflow, let id = UInt32(exactly: sum) else { throw damaged("an identifier") }
    next = id &+ 1
    return id
  }

  private mutating func partBar(_ next: inout UInt32) throws(ScoreFault) -> PartBar {
    var bar = PartBar()
    bar.changes = try list(1000, "the changes of a bar") { reader throws(ScoreFault) in try reader.change() }
    bar.marks = try list(1000, "the marks of a bar") { reader throws(ScoreFault) in try reader.mark() }
    for _ in 0..<(try count(Score.Limits.staves * Score.Limits.voicesPerStaff, "the voices of a bar")) {
      var voice = Voice(number: try integer())
      var end = Fraction.zero
      let count = try count(Score.Limits.chords, "the chords of a voice")
      voice.chords.reserveCapacity(min(count, 256))
      for _ in 0..<count {
        let chord = try chord(at: end, &next)
        end = chord.end ?? end
        voice.chords.append(chord)
      }
      bar.voices.append(voice)
    }
    for _ in 0..<(try count(1000, "the chord symbols of a bar")) { bar.symbols.append(try symbol(&next)) }
    return bar
  }

  private mutating func change() throws(ScoreFault) -> Change {
    let offset = try fraction()
    let staff: UInt8 = try integer()
    switch try number(2) {
    case 0: return Change(offset: offset, staff: staff, .key(Key(fifths: try signed(), mode: try value())))
    case 1:
      let sign: Clef.Sign = try value()
      let (line, octaves): (Int8, Int8) = (try integer(9), try signed())
      guard line >= 1, abs(Int(octaves)) <= 3 else { throw damaged("a clef") }
      return Change(offset: offset, staff: staff, .clef(Clef(sign, line: line, octaves: octaves)))
    default:
      let (steps, semitones): (Int, Int) = (try signed(), try signed())
      guard let interval = Interval(steps: steps, semitones: semitones) else { throw damaged("a transposition") }
      return Change(offset: offset, staff: staff, .transposition(interval))
    }
  }

  private mutating func mark() throws(ScoreFault) -> Mark {
    let offset = try fraction()
    let staff: UInt8 = try integer()
    let kind = try number(9)
    let content: Mark.Content =
      switch kind {
      case 0: .dynamic(try value())
      case 1, 2: .hairpin(isCrescendo: kind == 1, number: try integer(16))
      case 3: .hairpinEnd(number: try integer(16))
      case 4: .words(try text())
      case 5: .rehearsal(try text())
      case 6, 7: .pedal(isDown: kind == 6)
      case 8: .octaveLine(octaves: try octaveLine())
      default: .octaveLineEnd
      }
    return Mark(offset: offset, staff: staff, content)
  }

  private mutating func octaveLine() throws(ScoreFault) -> Int8 {
    let octaves: Int8 = try signed()
    guard (1...3).contains(abs(Int(octaves))) else { throw damaged("an octave line") }
    return octaves
  }

  private mutating func root() throws(ScoreFault) -> ChordSymbol.Root {
    let (step, alteration): (Int, Int) = (try integer(6), try signed())
    guard let root = ChordSymbol.Root(step: step, alteration: alteration) else { throw damaged("a chord symbol") }
    return root
  }

  private mutating func symbol(_ next: inout UInt32) throws(ScoreFault) -> ChordSymbol {
    let id = try identifier(&next)
    let offset = try fraction()
    let root = try root()
    let kind: ChordSymbol.Kind = try value()
    let bass = try flags(1) == 1 ? try self.root() : nil
    let degrees = try list(16, "a chord symbol") { reader throws(ScoreFault) in
      let number: UInt8 = try reader.integer(13)
      let alteration: Int8 = try reader.signed()
      guard number >= 1, abs(Int(alteration)) <= 3 else { throw reader.damaged("a chord symbol") }
      return ChordSymbol.Degree(number: number, alteration: alteration, effect: try reader.value())
    }
    var symbol = ChordSymbol(offset: offset, root: root, kind: kind, bass: bass, degrees: degrees)
    symbol.id = id
    return symbol
  }

  private mutating func chord(at end: Fraction, _ next: inout UInt32) throws(ScoreFault) -> Chord {
    let flags = try flags(15)
    func has(_ bit: UInt64) -> Bool { flags >> bit & 1 == 1 }
    let id = try identifier(&next)
    let value = try noteValue()
    let onset = has(4) ? try fraction() : end
    guard let length = has(3) ? try fraction() : value?.length else { throw damaged("the length of a note") }
    var chord = Chord(onset: onset, length: length)
    (chord.id, chord.value, chord.isCue, chord.isVisible) = (id, value, has(14), !has(11))
    if has(6) {
      chord.ratio = TimeModification(actual: try integer(255), normal: try integer(255))
      guard chord.ratio != nil else { throw damaged("a tuplet") }
    }
    switch (has(0), has(1)) {
    case (false, false): break
    case (true, false): chord.stem = .up
    case (false, true): chord.stem = .down
    case (true, true):
      chord.stem = try self.value() as Chord.Stem
      guard chord.stem == .double || chord.stem == .absent else { throw damaged("a stem") }
    }
    if has(9) { chord.grace = Chord.Grace(hasSlash: has(10)) }
    guard has(9) || !has(10) else { throw damaged("a grace note") }
    if has(5) { chord.signs = Chord.Signs(rawValue: try number(1 << UInt64(Chord.Signs.names.count) - 1)) }
    if has(12) { chord.dynamic = try self.value() as Dynamic }
    if has(13) { chord.tremolo = try integer(8) }
    if has(2) {
      chord.slurs = try list(64, "slurs") { reader throws(ScoreFault) in try reader.span() }
      chord.tuplets = try list(64, "tuplets") { reader throws(ScoreFault) in try reader.span() }
      chord.beams = try list(8, "beams") { reader throws(ScoreFault) in try reader.value() as Beam }
    }
    if has(8) { chord.lyrics = try list(64, "lyrics") { reader throws(ScoreFault) in try reader.lyric() } }
    if has(7) { chord.staff = try integer() }
    let count = try count(200, "the notes of a chord")
    for _ in 0..<count { chord.notes.append(try note(&next)) }
    return chord
  }

  private mutating func span() throws(ScoreFault) -> SpanMark {
    let code: UInt8 = try integer(UInt8(2 * SpanMark.maximumNumber + 1))
    guard code >= 2 else { throw damaged("a line") }
    return SpanMark(number: code / 2, isStart: code % 2 == 1)
  }

  private mutating func lyric() throws(ScoreFault) -> Lyric {
    let verse: UInt8 = try integer(UInt8(Lyric.maximumVerse))
    let code: UInt8 = try integer(7)
    guard verse >= 1, let position = Lyric.Position(rawValue: code / 2) else { throw damaged("a syllable") }
    return Lyric(verse: verse, position: position, text: try text(), isExtended: code % 2 == 1)
  }

  private mutating func note(_ next: inout UInt32) throws(ScoreFault) -> Note {
    let flags = try flags(6)
    func has(_ bit: UInt64) -> Bool { flags >> bit & 1 == 1 }
    let id = try identifier(&next)
    let letter: Int = try integer(69)
    let alteration: Int16 = has(5) ? try signed() : 0
    guard let pitch = Pitch(step: letter % 7, alteration: Int(alteration), octave: letter / 7) else {
      throw damaged("a pitch")
    }
    var note = Note(has(0) ? .stroke(place: pitch, instrument: try integer()) : .pitch(pitch))
    (note.id, note.continuesTie, note.startsTie) = (id, has(1), has(2))
    if has(3) { note.accidental = try value() }
    if has(4) { note.head = try value() }
    return note
  }
}
