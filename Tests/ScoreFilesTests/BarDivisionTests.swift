import ScoreFiles
import Scores
import Testing

/// Bars with a repeat or an ending inside become two short bars.
@Suite struct BarDivisionTests {
  typealias X = MusicXMLText

  private static func middle(_ content: String) -> String { #"<barline location="middle">\#(content)</barline>"# }
  private static let backward = #"<bar-style>light-heavy</bar-style><repeat direction="backward"/>"#
  private static let forward = #"<repeat direction="forward"/>"#
  private static let back48 = "<backup><duration>48</duration></backup>"

  /// A score that is exported and imported again is the same.
  private func checkRoundTrip(_ score: Score) throws {
    let again = try ScoreImport(octets: MusicXMLWriter.octets(score), file: "x.xml")
    #expect(again.score.octets == score.octets && again.findings.isEmpty)
  }

  @Test func repeatsInsideABarDivideIt() throws {
    let text = X.document([
      X.attributes + X.note("C4 48"),
      X.note("D4 24") + Self.middle(Self.backward) + Self.middle(Self.forward) + X.note("E4 24"),
      X.note("F4 48") + #"<barline location="right"><repeat direction="backward"/></barline>"#, X.note("G4 48"),
    ])
    let result = try read(text)
    let score = result.score
    #expect(result.findings.isEmpty && result.unsupported.isEmpty)
    #expect(score.bars.map(\.number) == ["1", "2", "2", "3", "4"])
    #expect(score.bars.map(\.length) == [4, 2, 2, 4, 4].map { Fraction($0) })
    #expect(score.bars.map(\.isImplicit) == [false, false, true, false, false])
    #expect(score.bars[1].repeatEnd == .init() && score.bars[1].line == .final && score.bars[2].beginsRepeat)
    #expect(score.notes() == ["0:60:4", "4:62:2", "6:64:2", "8:65:4", "12:67:4"])
    #expect(try Route(score).bars.map { $0.bar } == [0, 1, 0, 1, 2, 3, 2, 3, 4])
    try checkRoundTrip(score)
  }

  @Test func endingsInsideABarDivideIt() throws {
    let text = X.document([
      X.attributes + X.note("C4 48"),
      X.note("D4 12") + Self.middle(#"<ending number="1" type="start"/>"#) + X.note("E4 12")
        + Self.middle(#"<ending number="1" type="stop"/>"# + Self.backward)
        + Self.middle(#"<ending number="2" type="start"/>"#) + X.note("F4 24")
        + #"<barline location="right"><ending number="2" type="discontinue"/></barline>"#,
    ])
    let score = try read(text).score
    #expect(score.bars.map(\.length) == [4, 1, 1, 2].map { Fraction($0) })
    #expect(score.bars.map(\.ending) == [[], [], [1], [2]])
    #expect(score.bars.map(\.endingEnd) == [nil, nil, .stop, .discontinue])
    #expect(try Route(score).bars.map(\.bar) == [0, 1, 2, 0, 1, 3])
    try checkRoundTrip(score)
  }

  /// Other voices and parts may have a note or a rest over the sign, and marks beside it.
  @Test func notesOverTheSignAreTied() throws {
    let lyric = "<lyric><syllabic>single</syllabic><text>la</text></lyric>"
    let words = { (text: String) in
      "<direction><direction-type><words>\(text)</words></direction-type></direction>"
    }
    let text = X.document([
      X.attributes + X.note("C5 12") + words("before") + X.note("D5 12") + Self.middle(Self.backward) + words("after")
        + #"<sound tempo="90"/>"# + X.note("E5 12") + #"<sound tempo="60"/>"# + X.note("F5 12") + Self.back48
        + X.note("C4 12", "<voice>2</voice>")
        + X.note(
          "Eb4 24",
          "<voice>2</voice><type>half</type><accidental>flat</accidental><notations><fermata/></notations>\(lyric)")
        + X.note("F4 12", "<voice>2</voice>") + Self.back48 + X.note("r 48", "<voice>3</voice>"),
      X.note("C4 48"),
    ])
    let score = try read(text).score
    #expect(
      score.notes() == ["0:60:1", "0:72:1", "1:63:1", "1:74:1", "2:63:1", "2:76:1", "3:65:1", "3:77:1", "4:60:4"])
    let (first, second) = (score.parts[0].bars[0], score.parts[0].bars[1])
    #expect(first.voices.map(\.number) == [1, 2, 3] && second.voices.map(\.number) == [1, 2, 3])
    let (head, tail) = (first.voices[1].chords[1], second.voices[1].chords[0])
    #expect(head.notes[0].startsTie && tail.notes[0].continuesTie && !tail.notes[0].startsTie)
    #expect(head.value == NoteValue(halvings: 2) && tail.value == NoteValue(halvings: 2) && tail.onset == .zero)
    #expect(head.notes[0].accidental == .flat && tail.notes[0].accidental == .none)
    #expect(head.lyrics.count == 1 && tail.lyrics.isEmpty && head.signs.isEmpty && tail.signs == .fermata)
    #expect(
      first.voices[2].chords.map(\.length) == [Fraction(2)] && second.voices[2].chords.map(\.length) == [Fraction(2)])
    #expect(first.voices[2].chords[0].value == nil && second.voices[2].chords[0].value == nil)
    #expect(first.marks.map(\.offset) == [Fraction(1)] && second.marks.map(\.offset) == [.zero])
    #expect(score.tempoMarks.map(\.bar) == [1, 1] && score.tempoMarks.map(\.offset) == [.zero, Fraction(1)])
    // The bar is played twice up to the sign. The tied note ends there, or goes on.
    let table = EventTable(score, along: try Route(score))
    let held = table.events.filter { $0.key == 63 }.map { [$0.position.thousandths, Int64($0.length)] }
    #expect(held == [[24_000, 24_000], [72_000, 46_500]])
    try checkRoundTrip(score)
  }

  @Test func divisionsOutsideTheBarAreListed() throws {
    let text = X.document([
      X.attributes + Self.middle(Self.forward) + X.note("C4 48") + Self.middle(Self.backward), X.note("D4 48"),
    ])
    let result = try read(text)
    #expect(result.score.bars.count == 2)
    #expect(result.findings.map(\.found) == ["bar 1: a repeat inside the bar is at its beginning or end"])
  }

  @Test func divisionsAreBounded() throws {
    let signs = (0..<20).map { _ in X.note("C4 1") + Self.middle(Self.backward) }.joined()
    let result = try read(X.document([X.attributes + signs + X.note("C4 28")]))
    #expect(result.score.bars.count == 9 && result.findingCount == 12)
    let bar = #"<measure number="1">\#(X.note("C4 24") + Self.middle(Self.forward) + X.note("C4 24"))</measure>"#
    let many = X.document([X.attributes]).replacing(
      "</part>\n</score-partwise>", with: String(repeating: bar, count: 5500) + "</part></score-partwise>")
    let fault = #expect(throws: ScoreFault.self) { try read(many) }
    #expect(fault?.description.contains("more than 10000 bars") == true)
  }

  // MARK: Lengths of bars

  @Test func barsOfOtherLengthsAreListed() throws {
    let text = X.document([
      X.attributes + X.note("C4 12"), X.note("C4 48"), X.note("C4 60"), X.note("C4 36"), X.note("C4 48"),
      // The bars 6 and 7 complete each other, and so do those beside the repeat.
      X.note("C4 30"), X.note("C4 18"), X.note("C4 48"),
      X.note("C4 36") + #"<barline location="right"><repeat direction="backward"/></barline>"#, X.note("C4 12"),
      X.note("C4 48"), X.note("C4 24"),
    ])
    let result = try read(text)
    #expect(
      result.findings.map(\.found) == [
        "bar 3: it lasts 5 quarter notes, not 4 (4/4)", "bar 4: it lasts 3 quarter notes, not 4 (4/4)",
      ])
    #expect(result.findings.map(\.line) == [12, 15])
    #expect(result.score.bars[2].length == Fraction(5))
  }

  // MARK: Stems

  @Test func stemsAreKept() throws {
    let text = X.document([
      X.attributes + X.note("C4 12", "<stem>up</stem>") + X.note("C4 12", "<stem>none</stem>")
        + X.note("C4 12", "<stem>down</stem>") + X.note("E4 12", "<stem>up</stem>", before: "<chord/>")
        + X.note("C4 6", "<stem>double</stem>") + X.note("C4 6", "<stem>sideways</stem>"),
      X.note("C4 48"),
    ])
    let result = try read(text)
    let chords = result.score.parts[0].bars.flatMap(\.voices).flatMap(\.chords)
    #expect(chords.map(\.stem) == [.up, .absent, .down, .double, nil, nil])
    #expect(result.unsupported == ["stem": 1])
    #expect(result.findings.map(\.found) == ["bar 1 of part Flute: a chord of notes with different stems"])
    try checkRoundTrip(result.score)
    #expect(try Score(octets: result.score.octets) == result.score)
  }
}
