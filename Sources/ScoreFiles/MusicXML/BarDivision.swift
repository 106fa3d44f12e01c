import Scores

/// A place inside a bar of the file at which a repeat or an ending begins or ends. The score has two short bars instead.
struct BarDivision {
  /// The largest number of them in one bar.
  static let maximum = 8

  /// In quarter notes from the beginning of the bar.
  var position: Fraction
  /// The signs at the end of the bar before the place. Its other properties are not used.
  var before = Bar(number: "", length: .zero)
  /// The signs at the beginning of the bar after the place. Its other properties are not used.
  var after = Bar(number: "", length: .zero)

  init(position: Fraction) { self.position = position }

  /// Adds the signs of another bar line at the same place: the parts of a file repeat them, and the end of one repeat and the beginning of
  /// the next are often two elements.
  mutating func join(_ other: BarDivision) {
    before.repeatEnd = before.repeatEnd ?? other.before.repeatEnd
    before.endingEnd = before.endingEnd ?? other.before.endingEnd
    if before.line == .regular { before.line = other.before.line }
    after.beginsRepeat = after.beginsRepeat || other.after.beginsRepeat
    if after.ending.isEmpty { after.ending = other.after.ending }
    (after.segno, after.coda) = (after.segno ?? other.after.segno, after.coda ?? other.after.coda)
  }

  /// The bars into which `divisions`, in the order of their positions, divide a bar. The first one keeps its number and metre, the others
  /// do not count. D.C., D.S., To Coda and Fine stay at the end.
  static func pieces(of bar: Bar, _ divisions: [BarDivision]) throws(FractionError) -> [Bar] {
    var pieces: [Bar] = []
    for index in 0...divisions.count {
      let start = index == 0 ? Fraction.zero : divisions[index - 1].position
      let end = index == divisions.count ? bar.length : divisions[index].position
      var piece = bar
      piece.length = try end - start
      if index > 0 {
        let signs = divisions[index - 1].after
        (piece.metre, piece.isImplicit) = (nil, true)
        (piece.beginsRepeat, piece.ending) = (signs.beginsRepeat, signs.ending)
        (piece.segno, piece.coda) = (signs.segno, signs.coda)
      }
      if index < divisions.count {
        let signs = divisions[index].before
        (piece.repeatEnd, piece.endingEnd, piece.line) = (signs.repeatEnd, signs.endingEnd, signs.line)
        (piece.jump, piece.toCoda, piece.isFine) = (nil, nil, false)
      }
      pieces.append(piece)
    }
    return pieces
  }
}

extension PartBar {
  /// The contents of the bars into which `positions`, in order, divide the bar. A note that sounds at one becomes two tied notes.
  func divided(at positions: [Fraction]) throws(FractionError) -> [PartBar] {
    var (pieces, rest, start) = ([PartBar](), self, Fraction.zero)
    for position in positions {
      let following = try rest.divide(at: position - start)
      pieces.append(rest)
      (rest, start) = (following, position)
    }
    return pieces + [rest]
  }

  /// Removes everything from `position` on, and returns it as a bar of its own.
  private mutating func divide(at position: Fraction) throws(FractionError) -> PartBar {
    var rest = PartBar()
    for index in voices.indices {
      var voice = Voice(number: voices[index].number)
      for chord in voices[index].chords {
        if let end = chord.end, chord.onset < position, end > position {
          voice.chords.append(try chord.from(position))
        } else if chord.onset >= position {
          var moved = chord
          moved.onset = try chord.onset - position
          voice.chords.append(moved)
        }
      }
      try voices[index].end(at: position)
      if !voice.chords.isEmpty { rest.voices.append(voice) }
    }
    voices.removeAll(where: \.chords.isEmpty)
    for change in changes where change.offset >= position {
      rest.changes.append(Change(offset: try change.offset - position, staff: change.staff, change.content))
    }
    changes.removeAll { $0.offset >= position }
    // The end of a line stays before the place.
    for mark in marks where mark.offset > position || mark.offset == position && !mark.isEnd {
      rest.marks.append(Mark(offset: try mark.offset - position, staff: mark.staff, mark.content))
    }
    marks.removeAll { $0.offset > position || $0.offset == position && !$0.isEnd }
    for symbol in symbols where symbol.offset >= position {
      var moved = symbol
      moved.offset = try symbol.offset - position
      rest.symbols.append(moved)
    }
    symbols.removeAll { $0.offset >= position }
    return rest
  }
}

extension Mark {
  fileprivate var isEnd: Bool {
    switch content {
    case .hairpinEnd, .octaveLineEnd, .pedal(isDown: false): true
    default: false
    }
  }
}

extension Voice {
  /// Removes what begins at a position or later, and ends what sounds there.
  fileprivate mutating func end(at position: Fraction) throws(FractionError) {
    chords.removeAll { $0.onset >= position }
    guard let last = chords.last, let end = last.end, end > position else { return }
    var chord = last
    chord.resize(try position - chord.onset)
    for note in chord.notes.indices { chord.notes[note].startsTie = true }
    chord.signs.subtract(.fermata)
    chord.tuplets.removeAll { !$0.isStart }
    chords[chords.count - 1] = chord
  }
}

extension Chord {
  /// The part of a chord that sounds from a position on, at the beginning of a bar. What is printed once stays at its beginning.
  fileprivate func from(_ position: Fraction) throws(FractionError) -> Chord {
    var chord = Chord(onset: .zero, length: length)
    chord.value = value
    chord.resize(try onset + length - position)
    (chord.ratio, chord.staff, chord.isCue, chord.isVisible) = (ratio, staff, isCue, isVisible)
    (chord.stem, chord.tremolo) = (stem, tremolo)
    chord.signs = signs.intersection(.fermata)
    chord.tuplets = tuplets.filter { !$0.isStart }
    chord.notes = notes.map { note in
      var note = note
      (note.continuesTie, note.accidental) = (true, .none)
      return note
    }
    return chord
  }

  fileprivate mutating func resize(_ length: Fraction) {
    let written = ratio.flatMap { try? length / $0.factor } ?? length
    (self.length, value) = (length, isRest && onset == .zero && value == nil ? nil : NoteValue(length: written))
  }
}
