import Engraving
import Scores
import Testing

/// What stands around the notes: signatures, lines, texts.
@Suite struct PlacementTests {
  private let fixture: LayoutFixture

  init() throws { fixture = try LayoutFixture() }

  // MARK: Signatures

  @Test func `a change of key cancels what ends, also as a courtesy at the end of a system`() throws {
    var score = try LayoutFixture.score("C5:1|C5:1", fifths: 3)
    score.parts[0].bars[1].changes = [Change(offset: .zero, staff: 0, .key(Key(fifths: 1, mode: .none)))]
    let keys = try fixture.engrave(score).systems[0].elements.filter { $0.role == .key }
    let sharp = MusicFont.Glyph.accidentalSharp
    let natural = MusicFont.Glyph.accidentalNatural
    #expect(LayoutFixture.glyphs([keys[0]]) == [sharp, sharp, sharp])
    #expect(LayoutFixture.glyphs([keys[1]]) == [natural, natural, sharp])
    // At 22 spaces each bar has its own system.
    let narrow = try fixture.engrave(score, width: 22).systems
    try #require(narrow.count == 2)
    let courtesy = narrow[0].elements.filter { $0.role == .key }
    #expect(courtesy.count == 2 && LayoutFixture.glyphs([courtesy[1]]) == [natural, natural, sharp])
    #expect(courtesy[1].bar == 1)
    #expect(LayoutFixture.glyphs(narrow[1].elements.filter { $0.role == .key }) == [sharp])
  }

  /// Clefs, and the places of three flats as y.
  @Test(arguments: [
    (Clef(.g, line: 2), [2.0, 0.5, 2.5]), (Clef(.f, line: 4), [3.0, 1.5, 3.5]), (Clef(.c, line: 3), [2.5, 1.0, 3.0]),
    (Clef(.c, line: 4), [1.5, 0.0, 2.0]),
  ])
  func `key signatures have their usual places in each clef`(clef: Clef, expected: [Double]) throws {
    var score = try LayoutFixture.score("r:1", fifths: -3)
    score.parts[0].bars[0].changes.append(Change(offset: .zero, staff: 1, .clef(clef)))
    let elements = try fixture.engrave(score).systems[0].elements
    let key = try #require(elements.first { $0.role == .key })
    let places = key.shapes.compactMap { if case .glyph(_, let at, _) = $0 { at.y } else { nil } }
    #expect(places == expected)
  }

  @Test func `a change of clef stands before the bar line`() throws {
    var score = try LayoutFixture.score("C5:1|C3:1")
    score.parts[0].bars[1].changes = [Change(offset: .zero, staff: 1, .clef(Clef(.f, line: 4)))]
    let system = try fixture.engrave(score).systems[0]
    let clefs = system.elements.filter { $0.role == .clef }
    try #require(clefs.count == 2)
    let box = fixture.box(clefs[1].shapes[0])
    #expect(box.right < system.measures[0].right && box.left > system.measures[0].onsets[0].x)
    // C3 is at the second space of the bass clef.
    guard case .glyph(_, let at, _)? = system.elements.last(where: { $0.role == .note })?.shapes.first else { return }
    #expect(at.y == 2.5)
  }

  @Test func `repeats have dots, endings have brackets with their numbers`() throws {
    var score = try LayoutFixture.score("C5:1|C5:1|C5:1|C5:1")
    score.bars[0].beginsRepeat = true
    score.bars[2].ending = [1]
    score.bars[2].endingEnd = .stop
    score.bars[2].repeatEnd = .init()
    score.bars[3].ending = [2]
    score.bars[3].endingEnd = .discontinue
    let elements = try fixture.engrave(score).systems[0].elements
    let lines = elements.filter { $0.role == .barLine }
    #expect(LayoutFixture.glyphs(lines).count == 4)
    let endings = elements.filter { $0.role == .ending }
    #expect(endings.map(\.label) == ["ending 1.", "ending 2."])
    // The first bracket is closed, the second is open.
    #expect(endings.map { $0.shapes.count { if case .line = $0 { true } else { false } } } == [3, 2])
  }

  // MARK: Slurs and ties

  @Test(arguments: ["C5:4 G5:4 C6:4 C5:4", "F4:4 G4:4 A4:4 C4:4", "B4:8 D6:8 C5:8 A5:8 B4:8 F5:8 E5:8 B4:8"])
  func `a slur is clear of the heads and stems below it`(text: String) throws {
    var score = try LayoutFixture.score(text)
    let last = score.parts[0].bars[0].voices[0].chords.count - 1
    score.parts[0].bars[0].voices[0].chords[0].slurs = [SpanMark(number: 1, isStart: true)]
    score.parts[0].bars[0].voices[0].chords[last].slurs = [SpanMark(number: 1, isStart: false)]
    let elements = try fixture.engrave(score, width: 45).systems[0].elements
    let slur = try #require(elements.first { $0.role == .slur })
    let points = LayoutFixture.points(slur)
    let boxes = elements.filter { $0.role == .note || $0.role == .stem }.flatMap(\.shapes).map { fixture.box($0) }
    for point in points {
      for box in boxes {
        let isInside = point.x > box.left && point.x < box.right && point.y > box.top && point.y < box.bottom
        #expect(!isInside)
      }
    }
    let ends = boxes.filter { $0.height < 1.5 }
    #expect(abs(points[0].x - (ends[0].left + ends[0].right) / 2) < 1)
  }

  @Test func `lines over the end of a system have two pieces`() throws {
    var score = try LayoutFixture.score("C5:2 D5:2|D5:2 C5:2")
    score.parts[0].bars[0].voices[0].chords[1].notes[0].startsTie = true
    score.parts[0].bars[1].voices[0].chords[0].notes[0].continuesTie = true
    score.parts[0].bars[0].voices[0].chords[0].slurs = [SpanMark(number: 1, isStart: true)]
    score.parts[0].bars[1].voices[0].chords[1].slurs = [SpanMark(number: 1, isStart: false)]
    let systems = try fixture.engrave(score, width: 14).systems
    try #require(systems.count == 2)
    for system in systems {
      #expect(system.elements.count { $0.role == .tie } == 1)
      #expect(system.elements.count { $0.role == .slur } == 1)
    }
    let ties = systems.compactMap { $0.elements.first { $0.role == .tie } }.map(LayoutFixture.points)
    #expect(ties[0][50].x > 12)
    #expect(ties[1][0].x < systems[1].measures[0].onsets[0].x)
  }

  @Test func `the ties of a chord bend away from its middle`() throws {
    var score = try LayoutFixture.score("E4+G4+C5:2 E4+G4+C5:2")
    for note in 0..<3 {
      score.parts[0].bars[0].voices[0].chords[0].notes[note].startsTie = true
      score.parts[0].bars[0].voices[0].chords[1].notes[note].continuesTie = true
    }
    let ties = try fixture.engrave(score).systems[0].elements.filter { $0.role == .tie }
    let bends = ties.map(LayoutFixture.points).map { $0[25].y - $0[0].y }
    try #require(bends.count == 3)
    #expect(bends[0] > 0 && bends[2] < 0)
  }

  @Test func `a slur ends in the voice where it began`() throws {
    // Both voices use the number 1 at the same time.
    var score = try LayoutFixture.score("C5:2 E5:2;C4:2 E4:2")
    for voice in 0..<2 {
      for end in 0..<2 {
        score.parts[0].bars[0].voices[voice].chords[end].slurs = [SpanMark(number: 1, isStart: end == 0)]
      }
    }
    let slurs = try fixture.engrave(score).systems[0].elements.filter { $0.role == .slur }.map(LayoutFixture.points)
    try #require(slurs.count == 2)
    // The upper slur is above the middle of the staff, the lower one below it, from end to end.
    #expect(slurs.count { $0.allSatisfy { $0.y < 2 } } == 1)
    #expect(slurs.count { $0.allSatisfy { $0.y > 2 } } == 1)
  }

  @Test func `two slurs between the same chords are one`() throws {
    var score = try LayoutFixture.score("C5+E5:2 D5+F5:2")
    for end in 0..<2 {
      score.parts[0].bars[0].voices[0].chords[end].slurs = [1, 2].map { SpanMark(number: $0, isStart: end == 0) }
    }
    #expect(try fixture.engrave(score).systems[0].elements.count { $0.role == .slur } == 1)
  }

  @Test func `a tie without an end is listed, unless a repeat follows`() throws {
    var score = try LayoutFixture.score("C5:1|D5:1")
    score.parts[0].bars[0].voices[0].chords[0].notes[0].startsTie = true
    var engraved = try fixture.engrave(score)
    #expect(!engraved.systems[0].elements.contains { $0.role == .tie })
    #expect(engraved.missing.map(\.name) == ["tie without an end"])
    score.bars[0].repeatEnd = .init()
    engraved = try fixture.engrave(score)
    #expect(engraved.systems[0].elements.contains { $0.role == .tie } && engraved.missing.isEmpty)
  }

  // MARK: Texts

  @Test func `a metronome mark stands beside the words before it`() throws {
    var score = try LayoutFixture.score("C5:1|C5:1|C5:1|C5:1|C5:1|C5:1")
    score.tempoMarks = [
      TempoMark(bar: 0, offset: .zero, .tempo(60_000), text: "Adagio ma non troppo"),
      TempoMark(bar: 0, offset: Fraction(2), .tempo(60_000), beat: NoteValue(halvings: 2)),
    ]
    let marks = try fixture.engrave(score, width: 60).systems[0].elements.filter { $0.role == .tempo }
    try #require(marks.count == 2)
    let texts = marks.flatMap(\.shapes).compactMap {
      if case .text(_, let at, _, let width) = $0 { (at: at, width: width) } else { nil }
    }
    #expect(texts[0].at.y == texts[1].at.y && texts[0].at.x + texts[0].width < texts[1].at.x)
  }

  @Test func `a word of expression leaves room for the dynamic after it`() throws {
    var score = try LayoutFixture.score("C5:4 D5:4 E5:4 F5:4")
    score.parts[0].bars[0].marks = [
      Mark(offset: .zero, .dynamic(.p)), Mark(offset: Fraction(1), .words("crescendo")),
      Mark(offset: Fraction(2), .dynamic(.f)),
    ]
    let elements = try fixture.engrave(score, width: 30).systems[0].elements
    let dynamics = elements.filter { $0.role == .dynamic }.map { fixture.box($0.shapes[0]) }
    let heads = elements.filter { $0.role == .note }.map { fixture.box($0.shapes[0]) }
    // The dynamics stand at their notes.
    for (dynamic, head) in zip(dynamics, [heads[0], heads[2]]) {
      #expect(abs((dynamic.left + dynamic.right) - (head.left + head.right)) < 2)
    }
  }

  @Test func `dynamics that a hairpin joins stand on one line`() throws {
    var score = try LayoutFixture.score("C5:2 C4:2|C5:2 C4:2")
    score.parts[0].bars[0].marks = [
      Mark(offset: .zero, .dynamic(.p)), Mark(offset: .zero, .hairpin(isCrescendo: true, number: 1)),
    ]
    score.parts[0].bars[1].marks = [
      Mark(offset: Fraction(2), .hairpinEnd(number: 1)), Mark(offset: Fraction(2), .dynamic(.f)),
    ]
    let elements = try fixture.engrave(score).systems[0].elements
    let dynamics = elements.filter { $0.role == .dynamic }
    let baselines = dynamics.flatMap(\.shapes).compactMap { if case .glyph(_, let at, _) = $0 { at.y } else { nil } }
    #expect(baselines.count == 2 && baselines[0] == baselines[1])
    let hairpin = elements.filter { $0.role == .hairpin }.flatMap(\.shapes).map { fixture.box($0) }
    try #require(hairpin.count == 2)
    #expect(hairpin[0].left > fixture.box(dynamics[0].shapes[0]).right)
    #expect(hairpin[0].right < fixture.box(dynamics[1].shapes[0]).left)
    #expect(abs(hairpin[0].bottom + 0.5 - baselines[0]) < 1)
  }

  @Test func `syllables widen the notes and are joined by hyphens`() throws {
    var score = try LayoutFixture.score("C5:8 C5:8 C5:8 C5:8 C5:2")
    let texts = ["through", "stran", "gest", "strengths", "a"]
    let positions: [Lyric.Position] = [.single, .begin, .end, .single, .single]
    for index in texts.indices {
      score.parts[0].bars[0].voices[0].chords[index].lyrics = [
        Lyric(verse: 1, position: positions[index], text: texts[index], isExtended: false)
      ]
    }
    let lyrics = try fixture.engrave(score).systems[0].elements.filter { $0.role == .lyric }
    let words = lyrics.filter { $0.label != "-" }.flatMap(\.shapes).map { fixture.box($0) }
    #expect(words.count == 5)
    for (left, right) in zip(words, words.dropFirst()) { #expect(right.left - left.right > 0.4) }
    #expect(Set(words.map(\.top)).count == 1)
    let line = try #require(lyrics.first { $0.label == "-" }?.shapes.first)
    let hyphen = fixture.box(line)
    #expect(hyphen.left > words[1].right && hyphen.right < words[2].left)
  }

  @Test func `chord symbols stand on one line above the notes`() throws {
    var score = try LayoutFixture.score("C5:2 C6:2|E5:1")
    let root = try #require(ChordSymbol.Root(step: 1, alteration: 1))
    score.parts[0].bars[0].symbols = [
      ChordSymbol(offset: .zero, root: root, kind: .minorSeventh),
      ChordSymbol(offset: Fraction(2), root: root, kind: .dominantThirteenth),
    ]
    score.parts[0].bars[1].symbols = [ChordSymbol(offset: .zero, root: root, kind: .major)]
    score.assignIdentifiers()
    let system = try fixture.engrave(score).systems[0]
    let symbols = system.elements.filter { $0.role == .chordSymbol }
    #expect(symbols.map(\.id) == score.parts[0].bars.flatMap(\.symbols).map(\.id))
    let boxes = symbols.flatMap(\.shapes).map { fixture.box($0) }
    #expect(Set(boxes.map(\.bottom)).count == 1)
    let top = system.elements.filter { $0.role == .note }.flatMap(\.shapes).map { fixture.box($0).top }.min() ?? 0
    #expect(boxes[0].bottom < top)
  }

  @Test func `a triplet has its number, and a bracket without a beam`() throws {
    var score = try LayoutFixture.score("r:2 r:2")
    func triplet(_ value: Int) throws -> [Chord] {
      let value = try #require(NoteValue(halvings: value))
      let factor = try #require(Fraction(2, 3))
      let third = try value.length * factor
      return try (0..<3).map { index in
        var chord = Chord(onset: try third * Fraction(index), length: third)
        chord.value = value
        chord.ratio = TimeModification(actual: 3, normal: 2)
        let pitch = try #require(Pitch(step: index, octave: 5))
        chord.notes = [Note(.pitch(pitch))]
        return chord
      }
    }
    for (value, lines) in [(2, 4), (3, 0)] {
      score.parts[0].bars[0].voices = [Voice(number: 1, chords: try triplet(value))]
      score.assignIdentifiers()
      let tuplets = try fixture.engrave(score).systems[0].elements.filter { $0.role == .tuplet }
      #expect(tuplets.map(\.label) == ["3"])
      #expect(tuplets.first?.shapes.count { if case .line = $0 { true } else { false } } == lines)
    }
  }

  @Test func `a clef inside a bar stands beside the note before it, not below it`() throws {
    // The note is above the staff, where the clef would fit under it.
    var score = try LayoutFixture.score("C6:2 C4:2")
    score.parts[0].bars[0].changes.append(Change(offset: Fraction(2), staff: 1, .clef(Clef(.f, line: 4))))
    let elements = try fixture.engrave(score, width: 14).systems[0].elements
    let clefs = elements.filter { $0.role == .clef }
    try #require(clefs.count == 2)
    let note = try #require(elements.first { $0.role == .note })
    #expect(fixture.box(note.shapes[0]).right + 0.4 < fixture.box(clefs[1].shapes[0]).left)
  }

  @Test func `grace notes are small and stand before their note`() throws {
    var score = try LayoutFixture.score("C5:1")
    var grace = Chord(onset: .zero, length: .zero)
    grace.grace = .init(hasSlash: true)
    grace.value = NoteValue(halvings: 3)
    let pitch = try #require(Pitch(step: 1, octave: 5))
    grace.notes = [Note(.pitch(pitch))]
    score.parts[0].bars[0].voices[0].chords.insert(grace, at: 0)
    score.assignIdentifiers()
    let elements = try fixture.engrave(score).systems[0].elements
    let notes = elements.filter { $0.role == .note }.flatMap(\.shapes).map { fixture.box($0) }
    #expect(notes[0].right < notes[1].left && notes[0].height < 0.75 * notes[1].height)
    #expect(LayoutFixture.glyphs(elements.filter { $0.role == .flag }).contains(.graceNoteSlashStemUp))
  }
}
