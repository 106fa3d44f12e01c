import Scores

/// The elements `note`, `backup` and `forward`.
extension MusicXMLReader {
  /// The children of a `note` that are needed before the others are understood.
  private struct Written {
    var (isChord, isRest) = (false, false)
    var sound: Note.Sound?
    var duration: Fraction?
    var voice = ""
    var type: Int?
    var dots = 0
    var (startsTie, stopsTie) = (false, false)
    var (startsTied, stopsTied, hasTie) = (false, false, false)
    var instrument: UInt8 = 0
  }

  func takeNote(_ tree: inout XMLTree) throws(ScoreFault) {
    tree.use(0)
    noteCount += 1
    guard noteCount <= Score.Limits.chords else {
      throw fault("the score", "more than \(Score.Limits.chords) notes and rests", "divide it into several scores")
    }
    var written = Written()
    var chord = Chord(onset: .zero, length: .zero)
    var note = Note(.stroke(place: Pitch(step: 6, octave: 4)!, instrument: 0))
    if tree.has(0, .printObject, "no") { chord.isVisible = false }
    var next = tree.firstChild(0)
    while let child = next {
      next = tree.next(child)
      take(&tree, child, &written, &chord, &note)
    }
    try finish(written, chord, note)
  }

  private func take(
    _ tree: inout XMLTree, _ child: XMLTree.Index, _ written: inout Written, _ chord: inout Chord, _ note: inout Note
  ) {
    guard let name = tree.name(child) else { return }
    switch name {
    case .grace: chord.grace = Chord.Grace(hasSlash: tree.has(child, .slash, "yes"))
    case .cue: chord.isCue = true
    case .chord: written.isChord = true
    case .pitch: written.sound = pitch(&tree, child, .step, .octave).map { .pitch($0) }
    case .unpitched:
      let place = pitch(&tree, child, .displayStep, .displayOctave) ?? Pitch(step: 6, octave: 4)!
      written.sound = .stroke(place: place, instrument: 0)
    case .rest: written.isRest = true
    case .duration: written.duration = tree.number(child)
    case .tie:
      written.hasTie = true
      if tree.has(child, .type, "start") { written.startsTie = true } else { written.stopsTie = true }
    case .instrument: written.instrument = instrumentNumbers[part][tree.attribute(child, .id) ?? ""] ?? 0
    case .voice: written.voice = tree.text(child)
    case .type: written.type = Self.halvings(tree.text(child))
    case .dot: written.dots += 1
    case .accidental:
      // Unknown texts are left unused, so that the element is listed.
      guard let accidental = Self.accidental(tree.text(child)) else { return }
      note.accidental = accidental
    case .timeModification:
      chord.ratio = TimeModification(
        actual: tree.integer(child, .actualNotes) ?? 0, normal: tree.integer(child, .normalNotes) ?? 0)
      // They only repeat the type of the note.
      _ = (tree.child(child, .normalType), tree.child(child, .normalDot))
    case .notehead:
      guard let head = Self.head(tree.text(child)) else { return }
      note.head = head
    case .staff:
      let staff = tree.number(child)?.floor(times: 1) ?? 1
      if (1...Int64(score.parts[part].staves)).contains(staff) {
        chord.staff = UInt8(staff)
      } else {
        add("staff \(staff)", "staff 1 is used")
      }
    case .beam:
      let level = tree.number(child, attribute: .number)?.floor(times: 1) ?? 1
      if (1...8).contains(level), let beam = Self.beam(tree.text(child)) {
        // The levels come in order; a missing one has no beam.
        while chord.beams.count < Int(level) - 1 { chord.beams.append(beam) }
        if chord.beams.count == Int(level) - 1 { chord.beams.append(beam) }
      }
    case .stem:
      guard let stem = Chord.Stem.allCases.first(where: { tree.text(child) == $0.name }) else { return }
      chord.stem = stem
    case .lyric: takeLyric(&tree, child, &chord)
    case .notations: takeNotations(&tree, child, &written.startsTied, &written.stopsTied, &chord)
    default: return
    }
    tree.use(child)
  }

  private func pitch(_ tree: inout XMLTree, _ index: XMLTree.Index, _ step: XMLName, _ octave: XMLName) -> Pitch? {
    let letters = "CDEFGAB"
    guard let letter = tree.text(index, step)?.first, let place = letters.firstIndex(of: letter),
      let octave = tree.integer(index, octave)
    else { return nil }
    let alteration = tree.number(index, .alter)?.rounded(times: 100) ?? 0
    guard abs(alteration) <= 1000 else { return nil }
    return Pitch(
      step: letters.distance(from: letters.startIndex, to: place), alteration: Int(alteration), octave: octave)
  }

  private func finish(_ written: Written, _ chord: Chord, _ note: Note) throws(ScoreFault) {
    var (chord, note) = (chord, note)
    do throws(FractionError) {
      if chord.grace == nil {
        guard let duration = written.duration, duration > .zero || (duration == .zero && !written.isRest) else {
          // A duration of 0 is a mistake of some programs; a negative one would move the cursor back.
          return add(
            written.duration == nil ? "a note without a duration" : "a duration that is not positive", "it is left out")
        }
        chord.length = try duration / cursor.divisions
        try check(length: chord.length)
      }
      chord.onset = cursor.position
      if let type = written.type {
        chord.value = NoteValue(halvings: type, dots: min(written.dots, NoteValue.maximumDots))
      }
      if !written.isRest {
        switch written.sound {
        case .pitch(let pitch): note.sound = .pitch(pitch)
        case .stroke(let place, _): note.sound = .stroke(place: place, instrument: written.instrument)
        case nil: return add("a note without a pitch that exists", "it is left out")
        }
        note.startsTie = written.hasTie ? written.startsTie : written.startsTied
        note.continuesTie = written.hasTie ? written.stopsTie : written.stopsTied
        chord.notes = [note]
      }
      if written.isChord, let last = cursor.last, !chord.isRest {
        join(chord, last)
        return
      }
      let end = try cursor.position + chord.length
      try check(barEnd: end)
      cursor.position = end
      cursor.end = max(cursor.end, end)
      if !chord.isRest { cursor.noteEnd = max(cursor.noteEnd, end) }
    } catch {
      throw tooFine()
    }
    try place(chord, written.voice)
  }

  private func check(length: Fraction) throws(FractionError) {
    do throws(ScoreFault) { try check(length) } catch { throw FractionError() }
  }

  private func check(barEnd end: Fraction) throws(FractionError) {
    guard end <= Fraction(Score.Limits.barLength) else { throw FractionError() }
  }

  /// Adds a note to the chord before it.
  private func join(_ chord: Chord, _ last: (voice: Int, chord: Int)) {
    // The chord is taken out of the score, because messages need the score while it changes.
    var target = score.parts[part].bars[barIndex].voices[last.voice].chords[last.chord]
    if target.isRest {
      add("a chord on a rest", "the rest is replaced")
    } else if chord.grace == nil, chord.length != target.length {
      add("a chord of notes with different lengths", "the length of the first is used")
    }
    if let stem = chord.stem, let other = target.stem, stem != other {
      add("a chord of notes with different stems", "the stem of the first is used")
    }
    target.stem = target.stem ?? chord.stem
    guard target.notes.count < 100 else { return add("more than 100 notes in a chord", "the others are left out") }
    target.notes += chord.notes
    target.signs.formUnion(chord.signs)
    for slur in chord.slurs where !target.slurs.contains(slur) { target.slurs.append(slur) }
    for tuplet in chord.tuplets where !target.tuplets.contains(tuplet) { target.tuplets.append(tuplet) }
    target.lyrics += chord.lyrics
    target.dynamic = target.dynamic ?? chord.dynamic
    score.parts[part].bars[barIndex].voices[last.voice].chords[last.chord] = target
  }

  /// Adds a chord to its voice, or to the first further voice that is silent at its onset.
  private func place(_ chord: Chord, _ name: String) throws(ScoreFault) {
    let voices = score.parts[part].bars[barIndex].voices.count
    // The limit of the part is checked at the end, when all of its staves are known.
    guard voices <= Score.Limits.staves * Score.Limits.voicesPerStaff else {
      throw fault(place, "\(voices) voices", "use at most \(Score.Limits.voicesPerStaff) for each staff")
    }
    var number = voiceNumber(name)
    while true {
      let index = voiceIndex(number)
      let last = score.parts[part].bars[barIndex].voices[index].chords.last
      if last == nil || (last?.end ?? .zero) <= chord.onset {
        score.parts[part].bars[barIndex].voices[index].chords.append(chord)
        cursor.last = (index, score.parts[part].bars[barIndex].voices[index].chords.count - 1)
        return
      }
      guard number < 255 else { return add("more than 255 notes at once", "the others are left out") }
      number += 1
    }
  }

  private func voiceIndex(_ number: UInt8) -> Int {
    let voices = score.parts[part].bars[barIndex].voices
    if let index = voices.firstIndex(where: { $0.number == number }) { return index }
    score.parts[part].bars[barIndex].voices.append(Voice(number: number))
    return voices.count
  }

  private func voiceNumber(_ name: String) -> UInt8 {
    if name.isEmpty { return 1 }
    if let number = UInt8(name), number > 0 { return number }
    if let number = cursor.voices[name] { return number }
    let number = UInt8(clamping: cursor.voices.count + 1)
    if cursor.voices.count < 250 { cursor.voices[name] = number }
    return number
  }

  func takeMove(_ tree: inout XMLTree) throws(ScoreFault) {
    tree.use(0)
    let isBackup = tree.name(0) == .backup
    _ = (tree.child(0, .voice), tree.child(0, .staff))
    guard let duration = tree.number(0, .duration), duration >= .zero else {
      return add("a \(isBackup ? "backup" : "forward") without a positive duration", "it is left out")
    }
    do throws(FractionError) {
      let length = try duration / cursor.divisions
      try check(length: length)
      if isBackup {
        if length > cursor.position { add("a backup before the beginning of the bar", "it ends at the beginning") }
        cursor.position = max(try cursor.position - length, .zero)
      } else {
        cursor.position = try cursor.position + length
        try check(barEnd: cursor.position)
        cursor.end = max(cursor.end, cursor.position)
      }
      cursor.last = nil
    } catch {
      throw tooFine()
    }
  }
}
