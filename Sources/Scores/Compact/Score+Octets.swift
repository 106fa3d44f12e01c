extension Score {
  /// The first octets of the compact form.
  static let signature: UInt64 = 0x5354
  /// The version of the compact form.
  static let version: UInt64 = 1
  /// The largest compact form in octets.
  public static let maximumOctets = 32 << 20

  /// The compact form, for the transfer between peers and for the digest. Equal scores have equal octets. A note takes 16 octets with its
  /// signs, on average over the corpus of music21.
  public var octets: [UInt8] {
    var writer = OctetWriter()
    writer.add(Score.signature)
    writer.add(Score.version)
    for text in [title, movement, rights] { writer.add(text) }
    writer.add(creators) { writer, creator in
      writer.add(creator.role)
      writer.add(creator.name)
    }
    writer.add(bars) { $0.add($1) }
    writer.add(tempoMarks) { $0.add($1) }
    writer.add(parts) { $0.add($1) }
    return writer.octets
  }
}

extension OctetWriter {
  fileprivate mutating func add(_ metre: Metre) {
    add(metre.symbol.rawValue)
    add(metre.groups) { writer, group in
      writer.add(group.beats) { $0.add($1) }
      writer.add(group.unit)
    }
  }

  fileprivate mutating func add(_ bar: Bar) {
    add(bar.id)
    add(bar.number)
    add(bar.length)
    add(
      flags: bar.metre != nil, bar.isImplicit, bar.beginsRepeat, bar.repeatEnd != nil,
      bar.repeatEnd?.isTakenAfterJump ?? false, bar.endingEnd != nil, bar.jump != nil, bar.isFine, bar.jump == .daCapo)
    if let metre = bar.metre { add(metre) }
    if let end = bar.repeatEnd { add(end.times) }
    if let end = bar.endingEnd { add(end.rawValue) }
    if case .dalSegno(let label) = bar.jump { add(label) }
    add(bar.ending) { $0.add($1) }
    for label in [bar.segno, bar.coda, bar.toCoda] { add(label) }
    add(bar.line.rawValue)
  }

  fileprivate mutating func add(_ mark: TempoMark) {
    add(mark.bar)
    add(mark.offset)
    add(mark.text)
    let (kind, tempo): (Int, Int) =
      switch mark.content {
      case .tempo(let tempo): (0, tempo)
      case .ritardando: (1, 0)
      case .accelerando: (2, 0)
      case .aTempo: (3, 0)
      case .tempoPrimo: (4, 0)
      }
    add(kind)
    add(tempo)
    add(mark.beat)
  }

  /// A note value: 0 for none, otherwise its halvings and dots.
  fileprivate mutating func add(_ value: NoteValue?) {
    add(value.map { 1 + (Int($0.halvings) + 3) * 8 + Int($0.dots) } ?? 0)
  }

  fileprivate mutating func add(_ part: Part) {
    add(part.id)
    add(part.name)
    add(part.abbreviation)
    add(part.staves)
    add(flags: part.isPercussion)
    add(part.level)
    add(part.instruments) { writer, instrument in
      writer.add(instrument.name)
      writer.add(instrument.program)
      writer.add(instrument.key.map { Int($0) + 1 } ?? 0)
    }
    var next: UInt32 = 0
    add(part.bars) { $0.add($1, &next) }
  }

  fileprivate mutating func add(_ bar: PartBar, _ next: inout UInt32) {
    add(bar.changes) { $0.add($1) }
    add(bar.marks) { $0.add($1) }
    add(bar.voices.count)
    for voice in bar.voices {
      add(voice.number)
      var end = Fraction.zero
      add(voice.chords.count)
      for chord in voice.chords {
        add(chord, at: end, &next)
        end = chord.end ?? end
      }
    }
    add(bar.symbols.count)
    for symbol in bar.symbols { add(symbol, &next) }
  }

  /// An identifier as its difference from the one that follows the identifier before: 0 in a score that was just imported.
  private mutating func add(identifier: UInt32, _ next: inout UInt32) {
    add(signed: Int64(identifier) - Int64(next))
    next = identifier &+ 1
  }

  private mutating func add(_ change: Change) {
    add(change.offset)
    add(change.staff)
    switch change.content {
    case .key(let key):
      add(0)
      add(signed: key.fifths)
      add(key.mode.rawValue)
    case .clef(let clef):
      add(1)
      add(clef.sign.rawValue)
      add(clef.line)
      add(signed: clef.octaves)
    case .transposition(let interval):
      add(2)
      add(signed: interval.steps)
      add(signed: interval.semitones)
    }
  }

  private mutating func add(_ mark: Mark) {
    add(mark.offset)
    add(mark.staff)
    switch mark.content {
    case .dynamic(let dynamic):
      add(0)
      add(dynamic.rawValue)
    case .hairpin(let isCrescendo, let number):
      add(isCrescendo ? 1 : 2)
      add(number)
    case .hairpinEnd(let number):
      add(3)
      add(number)
    case .words(let text):
      add(4)
      add(text)
    case .rehearsal(let text):
      add(5)
      add(text)
    case .pedal(let isDown): add(isDown ? 6 : 7)
    case .octaveLine(let octaves):
      add(8)
      add(signed: octaves)
    case .octaveLineEnd: add(9)
    }
  }

  private mutating func add(_ root: ChordSymbol.Root) {
    add(root.step)
    add(signed: root.alteration)
  }

  private mutating func add(_ symbol: ChordSymbol, _ next: inout UInt32) {
    add(identifier: symbol.id, &next)
    add(symbol.offset)
    add(symbol.root)
    add(symbol.kind.rawValue)
    add(flags: symbol.bass != nil)
    if let bass = symbol.bass { add(bass) }
    add(symbol.degrees) { writer, degree in
      writer.add(degree.number)
      writer.add(signed: degree.alteration)
      writer.add(degree.effect.rawValue)
    }
  }

  /// A chord after the end of the one before. Most flags are off, and the usual ones are the first seven, so a plain note takes few octets.
  private mutating func add(_ chord: Chord, at end: Fraction, _ next: inout UInt32) {
    let hasLines = !(chord.slurs.isEmpty && chord.tuplets.isEmpty && chord.beams.isEmpty)
    let isPrintedLength = chord.value.map { $0.length == chord.length } ?? false
    // Up and down are one flag each. Both flags stand for another stem, whose number follows.
    let hasOtherStem = chord.stem == .double || chord.stem == .absent
    add(
      flags: chord.stem == .up || hasOtherStem, chord.stem == .down || hasOtherStem, hasLines, !isPrintedLength,
      chord.onset != end, !chord.signs.isEmpty, chord.ratio != nil, chord.staff != 1, !chord.lyrics.isEmpty,
      chord.grace != nil, chord.grace?.hasSlash ?? false, !chord.isVisible, chord.dynamic != nil, chord.tremolo != 0,
      chord.isCue)
    add(identifier: chord.id, &next)
    add(chord.value)
    if chord.onset != end { add(chord.onset) }
    if !isPrintedLength { add(chord.length) }
    if let ratio = chord.ratio {
      add(ratio.actual)
      add(ratio.normal)
    }
    if hasOtherStem, let stem = chord.stem { add(stem.rawValue) }
    if !chord.signs.isEmpty { add(chord.signs.rawValue) }
    if let dynamic = chord.dynamic { add(dynamic.rawValue) }
    if chord.tremolo != 0 { add(chord.tremolo) }
    if hasLines {
      for marks in [chord.slurs, chord.tuplets] { add(marks) { $0.add(Int($1.number) * 2 + ($1.isStart ? 1 : 0)) } }
      add(chord.beams) { $0.add($1.rawValue) }
    }
    if !chord.lyrics.isEmpty {
      add(chord.lyrics) { writer, lyric in
        writer.add(lyric.verse)
        writer.add(Int(lyric.position.rawValue) * 2 + (lyric.isExtended ? 1 : 0))
        writer.add(lyric.text)
      }
    }
    if chord.staff != 1 { add(chord.staff) }
    add(chord.notes.count)
    for note in chord.notes { add(note, &next) }
  }

  private mutating func add(_ note: Note, _ next: inout UInt32) {
    let (pitch, instrument): (Pitch, UInt8?) =
      switch note.sound {
      case .pitch(let pitch): (pitch, nil)
      case .stroke(let place, let instrument): (place, instrument)
      }
    add(
      flags: instrument != nil, note.continuesTie, note.startsTie, note.accidental != .none, note.head != .normal,
      pitch.alteration != 0)
    add(identifier: note.id, &next)
    add(pitch.letter)
    if pitch.alteration != 0 { add(signed: pitch.alteration) }
    if let instrument { add(instrument) }
    if note.accidental != .none { add(note.accidental.rawValue) }
    if note.head != .normal { add(note.head.rawValue) }
  }
}
