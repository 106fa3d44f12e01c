import ScoreFiles
import Scores
import Testing

@Suite struct MusicXMLReaderTests {
  typealias X = MusicXMLText

  @Test func notesHaveExactOnsets() throws {
    let text = X.document([
      X.attributes + X.note("C4 12") + X.note("E4 12", before: "<chord/>") + X.note("D4 4") + X.note("E4 4")
        + X.note("F4 4")
        + X.note("r 12") + X.note("G#4 12")
    ])
    let score = try read(text).score
    #expect(score.notes() == ["0:60:1", "0:64:1", "1:62:1/3", "4/3:64:1/3", "5/3:65:1/3", "3:68:1"])
    #expect(score.bars[0].length == Fraction(4))
  }

  @Test func voicesOverlapOnlyInTheFile() throws {
    // Without names of voices, the second pass over the bar would overlap the first.
    let text = X.document([
      X.attributes + X.note("C5 48") + "<backup><duration>48</duration></backup>" + X.note("C4 24") + X.note("D4 24")
    ])
    let score = try read(text).score
    #expect(score.parts[0].bars[0].voices.map(\.number) == [1, 2])
    #expect(score.notes() == ["0:60:2", "0:72:4", "2:62:2"])
  }

  @Test func tiesGraceNotesAndSigns() throws {
    let tied =
      "<tie type=\"start\"/><notations><tied type=\"start\"/><articulations><accent/></articulations></notations>"
    let text = X.document([
      X.attributes + X.note("B4", before: "<grace slash=\"yes\"/>") + X.note("C5 48", tied),
      X.note("C5 48", "<tie type=\"stop\"/><notations><fermata/></notations>"),
    ])
    let score = try read(text).score
    let chords = score.parts[0].bars[0].voices[0].chords
    #expect(chords.count == 2 && chords[0].grace?.hasSlash == true && chords[0].length == .zero)
    #expect(chords[1].notes[0].startsTie && chords[1].signs == .accent)
    let last = score.parts[0].bars[1].voices[0].chords[0]
    #expect(last.notes[0].continuesTie && last.signs == .fermata)
  }

  @Test func barLinesAndJumps() throws {
    let text = X.document([
      #"<barline location="left"><repeat direction="forward"/></barline>"# + X.attributes + X.note("C4 48"),
      #"<barline location="left"><ending number="1, 2" type="start"/></barline>"# + X.note("C4 48")
        + #"<barline location="right"><bar-style>light-heavy</bar-style><ending number="1, 2" type="stop"/>"#
        + #"<repeat direction="backward" times="3"/></barline>"#,
      "<direction><direction-type><segno/></direction-type></direction>" + X.note("C4 48")
        + "<direction><direction-type><words>To Coda</words></direction-type></direction>",
      X.note("C4 48") + #"<direction><direction-type><words>D.S. al Coda</words></direction-type></direction>"#,
      "<direction><direction-type><coda/></direction-type></direction>" + X.note("C4 48")
        + #"<direction><direction-type><words>Fine</words></direction-type><sound fine="yes"/></direction>"#,
    ])
    let score = try read(text).score
    #expect(score.bars[0].beginsRepeat && score.bars[1].ending == [1, 2] && score.bars[1].endingEnd == .stop)
    #expect(score.bars[1].repeatEnd == .init(times: 3) && score.bars[1].line == .final)
    #expect(score.bars[2].segno == "segno" && score.bars[2].toCoda == "coda")
    #expect(score.bars[3].jump == .dalSegno("segno") && score.bars[4].coda == "coda" && score.bars[4].isFine)
    let order = try Route(score).bars.map { $0.bar + 1 }
    #expect(order == [1, 2, 1, 2, 1, 3, 4, 3, 5])
  }

  /// Some programs export To Coda as a second coda sign.
  @Test func firstOfTwoCodaSignsIsToCoda() throws {
    let coda = "<direction><direction-type><coda/></direction-type></direction>"
    let text = X.document([
      X.attributes + X.note("C4 48"), coda + X.note("C4 48"),
      X.note("C4 48") + #"<direction><direction-type><words>D.C. al Coda</words></direction-type></direction>"#,
      coda + X.note("C4 48"),
    ])
    let score = try read(text).score
    #expect(score.bars[1].toCoda == "coda" && score.bars[1].coda == nil)
    #expect(try Route(score).bars.map { $0.bar + 1 } == [1, 2, 3, 1, 2, 4])
  }

  @Test func temposAndWords() throws {
    let text = X.document([
      #"<direction><direction-type><words>Allegro</words></direction-type><direction-type><metronome><beat-unit>quarter"#
        + #"</beat-unit><beat-unit-dot/><per-minute>ca. 80</per-minute></metronome></direction-type></direction>"#
        + X.attributes + X.note("C4 24")
        + "<direction><direction-type><words>poco rit.</words></direction-type></direction>" + X.note("C4 24"),
      #"<direction><direction-type><words>a tempo</words></direction-type></direction>"# + X.note("C4 48"),
      #"<sound tempo="66.5"/>"# + X.note("C4 48"),
      #"<direction><direction-type><words>Larghetto</words></direction-type></direction>"# + X.note("C4 48"),
    ])
    let marks = try read(text).score.tempoMarks
    #expect(marks.map(\.content) == [.tempo(120_000), .ritardando, .aTempo, .tempo(66_500), .tempo(62_000)])
    #expect(marks.map(\.text) == ["Allegro", "poco rit.", "a tempo", "", "Larghetto"])
    #expect(marks.map(\.offset) == [.zero, Fraction(2), .zero, .zero, .zero])
  }

  @Test func metresAndPickUp() throws {
    let time = { (beats: String, unit: String) in
      "<attributes><divisions>12</divisions><time><beats>\(beats)</beats><beat-type>\(unit)</beat-type></time></attributes>"
    }
    let text = X.document([time("3+2", "8") + X.note("C4 6"), time("3", "1") + X.note("r 144"), X.note("C4 12")])
    let score = try read(text).score
    #expect(score.bars.map { $0.metre?.description } == ["3+2/8", "3/1", nil])
    #expect(score.bars.map(\.length) == [Fraction(1, 2), Fraction(12), Fraction(1)])
    #expect(try Route(score).padding == Fraction(2))
  }

  @Test func everythingThatIsLeftOutIsListed() throws {
    let text = X.document(
      [
        X.attributes + "<print new-system=\"yes\"/>"
          + X.note(
            "C4 48",
            "<notations><glissando type=\"start\">x</glissando><technical><fingering>3</fingering></technical></notations>"
          )
          + "<figured-bass><figure/></figured-bass><madness/>"
      ], head: "<defaults><scaling/></defaults><credit/><credit/>")
    let unsupported = try read(text).unsupported
    #expect(
      unsupported == [
        "print": 1, "glissando": 1, "fingering": 1, "figured-bass": 1, "madness": 1, "defaults": 1, "credit": 2,
      ])
  }

  @Test func chordSymbolsAndLyrics() throws {
    let symbol = """
      <harmony><root><root-step>B</root-step><root-alter>-1</root-alter></root><kind>major-seventh</kind>
      <bass><bass-step>F</bass-step></bass></harmony>
      """
    let lyric = "<lyric number=\"2\"><syllabic>begin</syllabic><text>Hal</text></lyric>"
    let elision =
      "<lyric><syllabic>end</syllabic><text>lu</text><elision/><syllabic>begin</syllabic><text>ja</text></lyric>"
    let score = try read(X.document([X.attributes + symbol + X.note("C4 24", lyric) + X.note("D4 24", elision)])).score
    #expect(score.parts[0].bars[0].symbols.map(\.text) == ["Bbmaj7/F"])
    let lyrics = score.parts[0].bars[0].voices[0].chords.flatMap(\.lyrics)
    #expect(lyrics.map(\.text) == ["Hal", "lu\u{203F}ja"] && lyrics.map(\.position) == [.begin, .middle])
    #expect(lyrics.map(\.verse) == [2, 1])
  }

  @Test func encodings() throws {
    let text = X.document([X.attributes + X.note("C4 48")]).replacing("Flute", with: "Flöte")
    let utf16 = text.replacing("UTF-8", with: "UTF-16")
    var little: [UInt8] = [0xFF, 0xFE]
    var big: [UInt8] = [0xFE, 0xFF]
    for unit in utf16.utf16 {
      little += [UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8)]
      big += [UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit)]
    }
    let latin = text.replacing("UTF-8", with: "ISO-8859-1").unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    for octets in [Array(text.utf8), little, big, latin] {
      #expect(try ScoreImport(octets: octets, file: "x").score.parts[0].name == "Flöte")
    }
    // The text is not what its declaration says.
    let wrong = Array(text.replacing("UTF-8", with: "UTF-16").utf8)
    #expect(throws: ScoreFault.self) { try ScoreImport(octets: wrong, file: "x") }
    let invalid = Array(text.utf8).map { $0 == 0xC3 ? 0xFF : $0 }
    #expect(throws: ScoreFault.self) { try ScoreImport(octets: invalid, file: "x") }
  }

  /// A finding names the line of its note, in UTF-8 and in UTF-16.
  @Test func findingsHaveTheirLines() throws {
    let text = X.document([
      X.attributes + "\n" + X.note("C4 24") + "\n\n" + X.note("D4 -1") + X.note("E4 24"), X.note("F4"),
    ])
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let expected = [lines.firstIndex { $0.contains("<duration>-1") }, lines.lastIndex { $0.contains("<step>F") }].map {
      ($0 ?? -2) + 1
    }
    var utf16: [UInt8] = [0xFF, 0xFE]
    for unit in text.replacing("UTF-8", with: "UTF-16").utf16 {
      utf16 += [UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8)]
    }
    for octets in [Array(text.utf8), utf16] {
      #expect(try ScoreImport(octets: octets, file: "x").findings.map(\.line) == expected)
    }
  }
}
