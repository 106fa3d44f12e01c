import Scores

/// The last steps: the bars of all parts get one length, positions are brought inside their bars, and identifiers are assigned.
extension MusicXMLReader {
  /// Puts the contents of a bar into the order of the score.
  func sortContents(_ bar: inout PartBar) {
    if bar.voices.count > 1 { bar.voices.sort { $0.number < $1.number } }
    bar.changes.sortStably { $0.offset < $1.offset }
    bar.marks.sortStably { $0.offset < $1.offset }
    bar.symbols.sortStably { $0.offset < $1.offset }
  }

  func finish() throws(ScoreFault) {
    guard !score.parts.isEmpty else {
      throw ScoreFault(file: file, "the file", "has no parts", "export it again with its parts")
    }
    guard !bars.isEmpty else {
      throw ScoreFault(file: file, "the file", "has no bars", "export it again with its bars")
    }
    removePartsWithoutBars()
    var metre = Metre.common
    for index in bars.indices {
      metre = bars[index].bar.metre ?? metre
      bars[index].bar.length = bars[index].length(in: metre)
    }
    checkLengths()
    if bars[0].bar.metre == nil { bars[0].bar.metre = .common }
    score.bars = bars.map(\.bar)
    for part in score.parts.indices {
      for bar in score.parts[part].bars.indices {
        // A rest of a whole note that fills a shorter bar is the usual way to write a bar without notes.
        if shorten(&score.parts[part].bars[bar], score.bars[bar].length) {
          result.add(
            file, 1, "bar \(bar + 1) of part \(score.parts[part].name): a rest after notes exceeds the bar",
            "it is shortened")
        }
      }
    }
    try divideBars()
    orderTempoMarks()
    findCoda()
    result.findings.sortStably { $0.line < $1.line }
    score.assignIdentifiers()
    do throws(ScoreFault) {
      try score.validate()
    } catch {
      throw ScoreFault(file: file, error.thing, error.reason, error.remedy)
    }
  }

  /// A part of the part list may have no bars. A part with fewer bars than the others is silent at its end.
  private func removePartsWithoutBars() {
    for part in score.parts.indices.reversed() where !readParts.contains(part) {
      result.add(file, 1, "part \(score.parts[part].name) has no bars", "it is left out")
      score.parts.remove(at: part)
    }
    for part in score.parts.indices {
      let missing = bars.count - score.parts[part].bars.count
      guard missing > 0 else { continue }
      result.add(file, 1, "part \(score.parts[part].name) has \(missing) bars less than others", "it is silent there")
      score.parts[part].bars += Array(repeating: PartBar(), count: missing)
    }
  }

  /// Lists the bars that are too long or too short for their metres. The first bar may be a pick-up, and the last one ends the piece. Bars
  /// beside a repeat, a double line or a bar that does not count often complete each other.
  private func checkLengths() {
    var metre = Metre.common
    for index in bars.indices {
      let bar = bars[index].bar
      metre = bar.metre ?? metre
      guard bar.length != metre.length, metre.symbol != .free else { continue }
      if bar.length < metre.length, bar.isImplicit || index == 0 || index == bars.count - 1 { continue }
      if bar.length < metre.length, completes(index, metre) { continue }
      add(
        bar: index, "it lasts \(bar.length.quarters), not \(metre.length) (\(metre))",
        "it is played with this length")
    }
  }

  /// Whether a short bar may be completed by the bar before or after it.
  private func completes(_ index: Int, _ metre: Metre) -> Bool {
    let (before, bar, after) = (bars[index - 1].bar, bars[index].bar, bars[index + 1].bar)
    if before.line != .regular || bar.line != .regular || after.isImplicit { return true }
    if bar.beginsRepeat || bar.repeatEnd != nil || before.repeatEnd != nil || after.beginsRepeat { return true }
    return [before, after].contains { other in (try? bar.length + other.length) == metre.length }
  }

  /// Makes two short bars of each bar that has a repeat or an ending inside.
  private func divideBars() throws(ScoreFault) {
    let count = bars.reduce(0) { $0 + $1.divisions.count }
    guard count > 0 else { return }
    guard bars.count + count <= Score.Limits.bars else {
      throw fault("the score", "more than \(Score.Limits.bars) bars", "divide it into several scores")
    }
    var divided: [Bar] = []
    /// For each bar of the file, its first bar in the score, and where the others begin.
    var places: [(first: Int, starts: [Fraction])] = []
    do throws(FractionError) {
      for index in bars.indices {
        let divisions = validDivisions(index)
        places.append((divided.count, divisions.map(\.position)))
        divided += try BarDivision.pieces(of: bars[index].bar, divisions)
      }
      for part in score.parts.indices {
        var content: [PartBar] = []
        content.reserveCapacity(divided.count)
        for (bar, place) in zip(score.parts[part].bars, places) { content += try bar.divided(at: place.starts) }
        score.parts[part].bars = content
      }
      for index in score.tempoMarks.indices {
        let mark = score.tempoMarks[index]
        let place = places[mark.bar]
        let piece = place.starts.count { $0 <= mark.offset }
        score.tempoMarks[index].bar = place.first + piece
        if piece > 0 { score.tempoMarks[index].offset = try mark.offset - place.starts[piece - 1] }
      }
    } catch {
      throw tooFine()
    }
    score.bars = divided
  }

  /// The divisions of a bar that are inside it, in the order of their positions.
  private func validDivisions(_ index: Int) -> [BarDivision] {
    let all = bars[index].divisions
    let inside = all.filter { $0.position > .zero && $0.position < bars[index].bar.length }
    if inside.count < all.count {
      add(bar: index, "a repeat inside the bar is at its beginning or end", "it is left out")
    }
    return inside.sorted { $0.position < $1.position }
  }

  /// Ends rests and positions with the bar. Returns whether a rest after notes was shortened.
  private func shorten(_ bar: inout PartBar, _ length: Fraction) -> Bool {
    var exceeds = false
    for voice in bar.voices.indices {
      for chord in bar.voices[voice].chords.indices where bar.voices[voice].chords[chord].grace != nil {
        bar.voices[voice].chords[chord].onset = min(bar.voices[voice].chords[chord].onset, length)
      }
      while let last = bar.voices[voice].chords.last, last.isRest, let end = last.end, end > length {
        bar.voices[voice].chords.removeLast()
        exceeds = exceeds || last.onset > .zero
        guard last.onset < length, let rest = try? length - last.onset else { continue }
        var chord = last
        (chord.length, chord.value) = (rest, last.onset == .zero ? nil : NoteValue(length: rest))
        bar.voices[voice].chords.append(chord)
      }
    }
    bar.voices.removeAll(where: \.chords.isEmpty)
    bound(&bar, length)
    return exceeds
  }

  private func bound(_ bar: inout PartBar, _ length: Fraction) {
    for index in bar.changes.indices { bar.changes[index].offset = min(bar.changes[index].offset, length) }
    for index in bar.marks.indices { bar.marks[index].offset = min(bar.marks[index].offset, length) }
    for index in bar.symbols.indices { bar.symbols[index].offset = min(bar.symbols[index].offset, length) }
  }

  /// Sorts the tempo marks, and removes those that several parts repeat. At one position, the mark with words counts.
  private func orderTempoMarks() {
    var marks = score.tempoMarks
    for index in marks.indices { marks[index].offset = min(marks[index].offset, score.bars[marks[index].bar].length) }
    marks.sortStably { ($0.bar, $0.offset) < ($1.bar, $1.offset) }
    var kept: [TempoMark] = []
    for mark in marks {
      let rivals = kept.indices.reversed().prefix(64).prefix {
        kept[$0].bar == mark.bar && kept[$0].offset == mark.offset
      }
      if rivals.contains(where: {
        kept[$0].content == mark.content && (mark.text.isEmpty || kept[$0].text == mark.text)
      }) {
        continue
      }
      if case .tempo = mark.content,
        let rival = rivals.first(where: { if case .tempo = kept[$0].content { true } else { false } })
      {
        // A tempo without print gives way to one with words.
        if kept[rival].text.isEmpty, kept[rival].beat == nil, !(mark.text.isEmpty && mark.beat == nil) {
          kept[rival] = mark
        }
        continue
      }
      kept.append(mark)
    }
    score.tempoMarks = kept
  }

  /// If two bars have a coda sign and none says "To Coda", the first sign means "To Coda": many programs export only the sign.
  private func findCoda() {
    let codas = score.bars.indices.filter { score.bars[$0].coda != nil }
    guard codas.count == 2, !score.bars.contains(where: { $0.toCoda != nil }) else { return }
    score.bars[codas[0]].toCoda = score.bars[codas[1]].coda
    score.bars[codas[0]].coda = nil
  }
}

extension MusicXMLReader.WrittenBar {
  /// The length of the bar: that of its longest part, where a rest counts up to the metre only, because a whole rest stands for a bar of
  /// any length. In a bar that does not count (a pick-up), parts without notes do not count either.
  func length(in metre: Metre) -> Fraction {
    guard end > .zero else { return metre.length }
    if metre.symbol == .free { return end }
    let others = bar.isImplicit && noteEnd > .zero ? filledEnd : end
    return max(noteEnd, min(others, metre.length))
  }
}

extension Array {
  /// Sorts without changing the order of equal elements. An array that is in order, the usual case, is not copied.
  mutating func sortStably(by areInOrder: (Element, Element) -> Bool) {
    guard count > 1, zip(self, dropFirst()).contains(where: { areInOrder($1, $0) }) else { return }
    let sorted = enumerated().sorted { a, b in
      areInOrder(a.element, b.element) || (!areInOrder(b.element, a.element) && a.offset < b.offset)
    }
    self = sorted.map(\.element)
  }
}

extension Fraction {
  /// `1 quarter note`, `3/2 quarter notes`.
  fileprivate var quarters: String { "\(self) quarter note\(self == Fraction(1) ? "" : "s")" }
}
