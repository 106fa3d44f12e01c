import Scores

/// Chords, rests, grace notes and syllables of a bar.
extension NotationReader {
  mutating func readChords(_ content: PartBar, _ bar: Int) throws(ScoreFault) {
    let firstOfBar = notated.chords.count
    for voice in content.voices {
      defer { separateLyrics(of: voice, from: firstOfBar) }
      var graces: [Int] = []
      let first = notated.chords.count
      for chord in voice.chords where chord.isVisible {
        let index = notated.chords.count
        try read(chord, voice: Int(voice.number), bar)
        if chord.grace != nil {
          graces.append(index)
        } else {
          order(&graces)
        }
      }
      order(&graces)
      if notated.chords.count == first + 1, notated.chords[first].isRest {
        let rest = notated.chords[first]
        // A rest that fills its bar is a whole rest in all metres, whatever the file says.
        if rest.tick == 0, rest.length >= notated.timebase.ticks(score.bars[bar].length), isFull(bar) {
          notated.chords[first].isWholeBar = true
          (notated.chords[first].halvings, notated.chords[first].dots) = (0, 0)
        }
      }
    }
  }

  /// Syllables of a further voice stand in lines of their own.
  mutating func separateLyrics(of voice: Voice, from first: Int) {
    let own = notated.chords[first...].filter { $0.voice == Int(voice.number) && !$0.lyrics.isEmpty }
    guard let staff = own.first?.staff else { return }
    let isShared = notated.chords[first...].contains {
      $0.voice != Int(voice.number) && !$0.lyrics.isEmpty && $0.staff == staff
    }
    guard isShared else { return }
    for chord in own {
      for lyric in chord.lyrics where notated.lyrics[lyric].verse <= Int(Lyric.maximumVerse) {
        notated.lyrics[lyric].verse += Int(Lyric.maximumVerse)
      }
    }
  }

  /// Whether a bar has the length of its metre. The rest of a pick-up keeps its value.
  func isFull(_ bar: Int) -> Bool {
    score.bars[bar].length == metre.length || metre.symbol == .free || (bar > 0 && !score.bars[bar].isImplicit)
  }

  /// Grace notes stand before the chord that follows them.
  mutating func order(_ graces: inout [Int]) {
    for (position, index) in graces.enumerated() { notated.chords[index].order = position - graces.count }
    graces.removeAll(keepingCapacity: true)
  }

  mutating func read(_ chord: Chord, voice: Int, _ bar: Int) throws(ScoreFault) {
    guard chord.notes.count <= Engraver.Limits.notesPerChord else {
      throw ScoreFault(
        "bar \(bar + 1)", "a chord of \(chord.notes.count) notes", "use at most \(Engraver.Limits.notesPerChord)")
    }
    guard notated.notes.count + notated.chords.count <= Engraver.Limits.notes else {
      throw ScoreFault("the part", "more than \(Engraver.Limits.notes) notes and rests", "divide it")
    }
    let value = chord.value ?? Self.value(of: chord)
    let firstNote = notated.notes.count
    for note in chord.notes { notated.notes.append(Self.read(note, chord: notated.chords.count)) }
    if chord.notes.count > 1 {
      notated.notes[firstNote...].sort { ($0.letter, $0.alteration, $0.id) < ($1.letter, $1.alteration, $1.id) }
    }
    let firstLyric = notated.lyrics.count
    // A syllable without text only continues the one before it.
    for lyric in chord.lyrics where !lyric.text.isEmpty {
      // A second syllable of one verse at one note takes the next verse that is free.
      var verse = Int(lyric.verse)
      while notated.lyrics[firstLyric...].contains(where: { $0.verse == verse }) { verse += 1 }
      notated.lyrics.append(
        NotatedLyric(
          verse: verse, position: lyric.position, text: lyric.text, isExtended: lyric.isExtended))
    }
    notated.chords.append(
      NotatedChord(
        id: chord.id, measure: notated.measures.count, bar: bar, tick: notated.timebase.ticks(chord.onset),
        length: notated.timebase.ticks(chord.length), staff: min(max(Int(chord.staff), 1), notated.staves) - 1,
        voice: voice, halvings: Int(value?.halvings ?? 3), dots: Int(value?.dots ?? 0),
        notes: firstNote..<notated.notes.count,
        lyrics: firstLyric..<notated.lyrics.count, isRest: chord.notes.isEmpty, grace: chord.grace,
        isCue: chord.isCue, signs: chord.signs, dynamic: chord.dynamic, tremolo: Int(chord.tremolo),
        ratio: chord.ratio, demandedStem: chord.stem))
  }

  private static func read(_ note: Note, chord: Int) -> NotatedNote {
    let (pitch, isStroke): (Pitch, Bool) =
      switch note.sound {
      case .pitch(let pitch): (pitch, false)
      case .stroke(let place, _): (place, true)
      }
    return NotatedNote(
      id: note.id, place: 0, letter: pitch.letter, alteration: isStroke ? 0 : Int(pitch.alteration),
      accidental: note.accidental, head: note.head, isStroke: isStroke, startsTie: note.startsTie,
      continuesTie: note.continuesTie, chord: chord)
  }

  /// The printed value of a chord that has none in the file: the value of its length, or the next one below.
  private static func value(of chord: Chord) -> NoteValue? {
    if chord.grace != nil { return NoteValue(halvings: 3) }
    let length = chord.ratio.flatMap { try? chord.length / $0.factor } ?? chord.length
    if chord.isRest, chord.onset == .zero, chord.value == nil, let whole = NoteValue(halvings: 0) {
      if NoteValue(length: length) == nil || length >= whole.length { return whole }
    }
    if let value = NoteValue(length: length) { return value }
    for halvings in -3...10 {
      if let value = NoteValue(halvings: halvings), value.length <= length { return value }
    }
    return NoteValue(halvings: 3)
  }

  /// A staff that has nothing in a full bar gets a rest. It is no rest of the file, so it has no id.
  mutating func addEmptyRests(_ measure: inout NotatedMeasure, _ bar: Bar, _ index: Int, _ first: Int) {
    guard isFull(index) else { return }
    for staff in 0..<notated.staves {
      if notated.chords[first...].contains(where: { $0.staff == staff }) { continue }
      // Voices that wander to another staff leave this one empty on purpose.
      measure.chords.append(notated.chords.count)
      notated.chords.append(
        NotatedChord(
          id: 0, measure: notated.measures.count, bar: index, tick: 0, length: measure.length, staff: staff, voice: 0,
          halvings: 0, dots: 0, notes: notated.notes.count..<notated.notes.count,
          lyrics: notated.lyrics.count..<notated.lyrics.count, isRest: true, isWholeBar: true, isCue: false,
          signs: [], tremolo: 0))
    }
  }
}
