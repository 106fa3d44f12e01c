import MusicalTime
import Scores
import Testing
import _TestSupport

/// Routes that begin at another bar than the first, loops, and the endings that a leader takes.
@Suite struct PartialRouteTests {
  /// Written by hand: the bars, the bar at which the route begins, and the bars that sound. `D.C.` after the name of the bar: the music is
  /// after a D.C. or D.S.
  @Test(arguments: [
    ("a b c d", "c", "cd"), ("a b:| c", "b", "babc"), ("a |:b c:| d", "c", "cbcd"), ("|:a:|3 b", "a", "aaab"),
    ("|:a [1:b]:| [2:c] d", "b", "bacd"), ("|:a [1:b]:| [2:c] d", "c", "cd"), ("|:a [1:b]:| [2:c]:| [3:d)", "c", "cad"),
    ("|:a [1,3:b]:| [2:c]:| [4:d)", "b", "bacabad"), ("|:a [1:b c]:| [2:d e)", "c", "cade"),
    ("|:a [1:b c]:| [2:d e)", "e", "e"), ("[1:a]:| [2:b)", "b", "b"),
    ("a b.fine c.dc", "c", "cab"), ("a $b c.coda d.ds @e", "d", "dbce"), ("a b c.dc", "b", "bcabc"),
    // After D.C. and D.S.
    ("a b.fine c.dc", "a D.C.", "ab"), ("a $b c.coda d.ds @e", "b D.C.", "bce"), ("a |:b:| c", "b D.C.", "bc"),
    ("a |:b:|! c", "b D.C.", "bbc"), ("a b c.dc", "b D.C.", "bc"), ("|:a [1:b]:| [2:c] d", "a D.C.", "acd"),
    ("|:a [1:b]:| [2:c] d", "b D.C.", "bd"), ("|:a [1:b]:| [2:c]:| [3:d) e", "c D.C.", "ce"),
    ("a b.coda |:c:| d.dc @e:|", "a D.C.", "abee"),
  ])
  func beginsAtABar(text: String, beginning: String, expected: String) throws {
    let score = bars(text)
    try score.validate()
    let bar = try #require(score.bars.firstIndex { $0.number == beginning.prefix(1) })
    let route = try Route(score, from: bar, isAfterJump: beginning.hasSuffix("D.C."))
    #expect(score.names(route) == expected, "\(text) from \(beginning)")
    #expect(route.bars[0].start == .zero && route.padding == .zero)
  }

  /// Only the first bar has padding.
  @Test func pickUpIsPaddedAtTheBeginningOnly() throws {
    var score = bars("a b c")
    score.bars[0].length = Fraction(1)
    #expect(try Route(score, from: 0) == Route(score))
    #expect(try Route(score, from: 0).padding == Fraction(3))
    let route = try Route(score, from: 1)
    #expect(route.padding == .zero && route.bars.map(\.start) == [.zero, Fraction(4)] && route.end == Fraction(8))
    #expect(try Route(score, looping: 0..<2).end == Fraction(5))
  }

  @Test func loopsPlayEachBarOnce() throws {
    let score = bars("a |:b [1:c]:| [2:d.dc] e")
    #expect(score.names(try Route(score, looping: 1..<4)) == "bcd")
    #expect(score.names(try Route(score, looping: 4..<5)) == "e")
    #expect(throws: ScoreFault.self) { try Route(score, looping: 2..<2) }
    for range in [-1..<2, 3..<6, 9..<12] {
      let fault = #expect(throws: ScoreFault.self) { try Route(score, looping: range) }
      #expect(fault?.description.contains("does not exist; use bars 1 to 5") == true)
    }
  }

  /// The end of the score is a route without bars.
  @Test func missingBarsAreRefused() {
    for bar in [-1, 4, Int.max, .min] {
      let fault = #expect(throws: ScoreFault.self) { try Route(bars("a b c"), from: bar) }
      #expect(fault?.description.contains("bar \(bar &+ 1) does not exist; use bars 1 to 3") == true)
    }
  }

  /// The state after a jump is known for each bar, so that a route from there keeps it.
  @Test func barsAfterAJumpAreKnown() throws {
    let route = try Route(bars("a $b c.coda d.ds @e"))
    #expect(route.bars.map(\.isAfterJump) == [false, false, false, false, true, true, false])
  }

  /// Written by hand: the bars, the bar that plays, the number of the ending, and the bars of the result: the bar line and the ending.
  @Test(arguments: [
    ("x |:a b [1:c d]:| [2:e] f", "a", 2, "ce"), ("x |:a b [1:c d]:| [2:e] f", "b", 2, "ce"),
    ("x |:a b [1:c d]:| [2:e] f", "b", 1, "cc"), ("x |:a b [1:c d]:| [2:e] f", "d", 2, "ee"),
    ("x |:a b [1:c d]:| [2:e] f", "c", 1, "ec"), ("x |:a b [1:c d]:| [2:e] f", "e", 1, nil),
    ("x |:a b [1:c d]:| [2:e] f", "x", 2, nil), ("x |:a b [1:c d]:| [2:e] f", "f", 2, nil),
    ("x |:a b [1:c d]:| [2:e] f", "a", 3, nil), ("x |:a b [1:c d]:| [2:e] f", "a", 0, nil),
    ("|:a [1,3:b]:| [2:c]:| [4:d)", "a", 3, "bb"), ("|:a [1,3:b]:| [2:c]:| [4:d)", "b", 4, "cd"),
    ("|:a [1:b]:| [2:c] |:d [1:e]:| [2:f)", "d", 2, "ef"), ("|:a b:|", "a", 2, nil),
  ])
  func endingsAreFound(text: String, playing: String, number: Int, expected: String?) throws {
    let score = bars(text)
    let bar = try #require(score.bars.firstIndex { $0.number == playing })
    let found = score.ending(number, after: bar)
    #expect(found.map { score.bars[$0.line].number + score.bars[$0.bar].number } == expected, "\(text), \(playing)")
  }

  @Test func endingsOfMissingBarsAreNotFound() {
    let score = bars("|:a [1:b]:| [2:c)")
    #expect(score.ending(2, after: -1) == nil && score.ending(2, after: 3) == nil)
    #expect(score.ending(.max, after: 0) == nil && score.ending(-1, after: 0) == nil)
  }

  // MARK: Tempo

  private func tempos(_ text: String, _ marks: [TempoMark], from bar: Int) throws -> [String] {
    var score = bars(text)
    score.tempoMarks = marks
    try score.validate()
    return TempoPath(score, along: try Route(score, from: bar)).changes.map {
      "\($0.tick.index):\(Int(($0.tempo.bpm * 10).rounded()))"
    }
  }

  /// The tempo at the beginning is that of the last mark before it, in the order of print.
  @Test func theTempoInForceHolds() throws {
    let marks = [
      TempoMark(bar: 0, offset: .zero, .tempo(100_000)), TempoMark(bar: 1, offset: Fraction(2), .tempo(60_000)),
      TempoMark(bar: 3, offset: .zero, .tempoPrimo),
    ]
    #expect(try tempos("a b c d e", marks, from: 1) == ["0:1000", "48:600", "192:1000"])
    #expect(try tempos("a b c d e", marks, from: 2) == ["0:600", "96:1000"])
    #expect(try tempos("a b c d e", marks, from: 3) == ["0:1000"])
    #expect(try tempos("a b c d e", marks, from: 4) == ["0:1000"])
    // A repeat to a bar before the beginning takes its marks.
    #expect(try tempos("a b c:| d", marks, from: 2) == ["0:600", "96:1000", "240:600", "384:1000"])
  }

  /// A tempo returns to the tempo before the ritardando, which is before the beginning.
  @Test func aTempoKnowsTheTempoBefore() throws {
    let marks = [
      TempoMark(bar: 0, offset: .zero, .tempo(90_000)), TempoMark(bar: 1, offset: .zero, .ritardando),
      TempoMark(bar: 3, offset: .zero, .aTempo),
    ]
    #expect(try tempos("a b c d", marks, from: 3) == ["0:900"])
    // The ritardando of 16 eighth notes from 90 to 60 goes on in its ninth.
    let inside = try tempos("a b c d", marks, from: 2)
    #expect(inside.count == 9 && inside[0] == "0:741" && inside[7] == "84:609" && inside[8] == "96:900")
  }

  /// Without a tempo mark before the beginning, the first one of the score holds, as in the whole score.
  @Test func laterMarksHoldAtTheBeginning() throws {
    #expect(try tempos("a b c", [TempoMark(bar: 2, offset: .zero, .tempo(80_000))], from: 1) == ["0:800"])
    #expect(try tempos("a b c", [], from: 1) == ["0:1200"])
  }

  @Test func loopsHaveTheirTempo() throws {
    var score = bars("a b c d")
    score.tempoMarks = [
      TempoMark(bar: 1, offset: .zero, .tempo(100_000)), TempoMark(bar: 2, offset: Fraction(2), .tempo(50_000)),
    ]
    let path = TempoPath(score, along: try Route(score, looping: 2..<4))
    #expect(path.changes.map(\.tick.index) == [0, 48] && path.changes.map { $0.tempo.bpm.rounded() } == [100, 50])
  }

  /// The bars before may have lengths that are no whole ticks.
  @Test func tempoBeginsAtPositionZero() throws {
    var score = bars("a b c", length: Fraction(5, 7)!)
    score.tempoMarks = [
      TempoMark(bar: 0, offset: .zero, .tempo(50_000)), TempoMark(bar: 1, offset: Fraction(1, 7)!, .tempo(70_000)),
    ]
    try score.validate()
    let path = TempoPath(score, along: try Route(score, from: 1))
    #expect(path.changes.map(\.tick.index) == [0, 3] && path.changes.map { $0.tempo.bpm.rounded() } == [50, 70])
  }

  // MARK: Notes

  private func chord(_ onset: Int, _ length: Int, dynamic: Dynamic? = nil) -> Chord {
    var chord = Chord(onset: Fraction(onset), length: Fraction(length))
    chord.notes = [Note(.pitch(Pitch(step: 0, octave: 4)!))]
    chord.dynamic = dynamic
    return chord
  }

  /// The loudness at the beginning is that of the dynamics before it, also in the middle of a hairpin.
  @Test func theLoudnessInForceHolds() throws {
    var score = bars("a b c d")
    for bar in 0..<4 { score.parts[0].bars[bar].voices = [Voice(number: 1, chords: [chord(0, 4)])] }
    score.parts[0].bars[0].voices[0].chords[0].dynamic = .p
    score.parts[0].bars[1].marks = [Mark(offset: .zero, .hairpin(isCrescendo: true, number: 1))]
    score.parts[0].bars[2].marks = [Mark(offset: Fraction(4), .hairpinEnd(number: 1))]
    score.parts[0].bars[3].marks = [Mark(offset: .zero, .dynamic(.f))]
    try score.validate()
    let whole = EventTable(score, along: try Route(score)).events.map(\.velocity)
    #expect(whole == [49, 49, 72, 96])
    for bar in 0..<4 {
      #expect(EventTable(score, along: try Route(score, from: bar)).events.map(\.velocity) == Array(whole[bar...]))
    }
  }

  /// A note that is tied from the bar before is struck, with the length from there on. A transposition before the beginning holds.
  @Test func tiedNotesAreStruck() throws {
    var score = bars("a b c")
    var (first, second) = (chord(0, 4), chord(0, 4))
    first.notes[0].startsTie = true
    (second.notes[0].continuesTie, second.notes[0].startsTie) = (true, true)
    var third = chord(0, 2)
    third.notes[0].continuesTie = true
    for (bar, chord) in [first, second, third].enumerated() {
      score.parts[0].bars[bar].voices = [Voice(number: 1, chords: [chord])]
    }
    score.parts[0].bars[0].changes = [
      Change(offset: .zero, staff: 0, .transposition(Interval(steps: -1, semitones: -2)!))
    ]
    try score.validate()
    let table = EventTable(score, along: try Route(score, from: 1))
    #expect(table.events.map(\.position.thousandths) == [0] && table.events.map(\.length) == [141_000])
    #expect(table.events.map(\.key) == [58])
    // In a loop, the note ends with the loop.
    let loop = EventTable(score, along: try Route(score, looping: 0..<1))
    #expect(loop.events.map(\.length) == [96_000] && loop.barIndex == [0, 1])
  }

  /// The parts of a route agree with the whole: from each bar on, the notes are those of the whole route, moved.
  @Test func partsAgreeWithTheWhole() throws {
    var score = bars("a b c d e f")
    for bar in 0..<6 { score.parts[0].bars[bar].voices = [Voice(number: 1, chords: [chord(0, 1), chord(bar % 4, 1)])] }
    for bar in 0..<6 where bar % 4 == 0 { score.parts[0].bars[bar].voices[0].chords.removeLast() }
    let whole = EventTable(score, along: try Route(score))
    for bar in 0..<6 {
      let part = EventTable(score, along: try Route(score, from: bar))
      let offset = Int64(bar) * 4 * ScorePosition.perQuarter
      #expect(
        part.events.map { $0.position.thousandths + offset }
          == whole.events[whole.barIndex[bar]...].map(\.position.thousandths))
    }
  }
}
