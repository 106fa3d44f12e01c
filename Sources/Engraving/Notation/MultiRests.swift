import Scores

/// The bars of rest that are printed as one.
///
/// Players count such rests, so everything that they must see ends a multi-bar rest: double bars, repeats, rehearsal marks, tempo marks,
/// changes of metre, key and clef (Gould, Behind Bars, chapter 18).
enum MultiRests {
  /// Ranges of at least two bars, ascending.
  static func ranges(_ score: Score, _ part: Part, metres: [Metre], _ tempoMarks: [Int: [TempoMark]]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start: Int?
    func end(_ bar: Int) {
      if let first = start, bar - first >= 2 { ranges.append(first..<bar) }
      start = nil
    }
    for bar in score.bars.indices {
      guard isEmpty(part.bars[bar]), score.bars[bar].length == metres[bar].length else {
        end(bar)
        continue
      }
      if start != nil, begins(score.bars[bar], part.bars[bar], tempoMarks[bar] ?? []) || ends(score.bars[bar - 1]) {
        end(bar)
      }
      if start == nil { start = bar }
    }
    end(score.bars.count)
    return ranges
  }

  private static func isEmpty(_ bar: PartBar) -> Bool {
    let rests = bar.voices.allSatisfy { voice in
      voice.chords.allSatisfy { $0.isRest && $0.signs.isEmpty && $0.dynamic == nil && $0.lyrics.isEmpty }
    }
    guard rests, bar.symbols.isEmpty else { return false }
    return bar.marks.allSatisfy { $0.offset == .zero && isBeginning($0.content) }
      && bar.changes.allSatisfy { $0.offset == .zero }
  }

  /// Whether a mark may stand at the first bar of a multi-bar rest.
  private static func isBeginning(_ content: Mark.Content) -> Bool {
    switch content {
    case .rehearsal, .words: true
    default: false
    }
  }

  private static func begins(_ bar: Bar, _ content: PartBar, _ tempoMarks: [TempoMark]) -> Bool {
    bar.metre != nil || bar.beginsRepeat || !bar.ending.isEmpty || bar.segno != nil || bar.coda != nil
      || !content.marks.isEmpty || !content.changes.isEmpty
      || tempoMarks.contains { !$0.text.isEmpty || $0.beat != nil }
  }

  private static func ends(_ bar: Bar) -> Bool {
    bar.line != .regular || bar.repeatEnd != nil || bar.endingEnd != nil || bar.jump != nil || bar.toCoda != nil
      || bar.isFine
  }
}
