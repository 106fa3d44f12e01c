import MusicalTime
import Testing

@testable import Rhythm

/// The names of chords, the chord line, and the chord at a step.
@Suite struct ChordTests {
  /// The notes are pitch classes, 0 for C to 11 for B. The first one is the root.
  @Test(arguments: [
    ("C", [0, 4, 7]), ("Cmaj", [0, 4, 7]), ("Dm", [2, 5, 9]), ("E7", [4, 8, 11, 2]), ("Fmaj7", [5, 9, 0, 4]),
    ("Gm7", [7, 10, 2, 5]), ("Adim", [9, 0, 3]), ("Bdim7", [11, 2, 5, 8]), ("F#m7b5", [6, 9, 0, 4]),
    ("Bbaug", [10, 2, 6]), ("Bb", [10, 2, 5]), ("Bb5", [10, 5]), ("Esus2", [4, 6, 11]), ("Asus4", [9, 2, 4]),
    ("C6", [0, 4, 7, 9]), ("Cm6", [0, 3, 7, 9]), ("C69", [0, 4, 7, 9, 2]), ("D9", [2, 6, 9, 0, 4]),
    ("Eadd9", [4, 8, 11, 6]), ("Ebmaj9", [3, 7, 10, 2, 5]), ("Abm9", [8, 11, 3, 6, 10]), ("G7b9", [7, 11, 2, 5, 8]),
    ("G7#9", [7, 11, 2, 5, 10]), ("G13", [7, 11, 2, 5, 9, 4]), ("D7sus4", [2, 7, 9, 0]), ("Cmmaj7", [0, 3, 7, 11]),
    ("C7#5", [0, 4, 8, 10]), ("Fmaj7#11", [5, 9, 0, 4, 11]), ("Am11", [9, 0, 4, 7, 11, 2]), ("B♭-7", [10, 1, 5, 8]),
  ])
  func chordHasItsNotes(name: String, notes: [Int]) throws {
    let chord = try #require(Chord(named: name))
    let tones = chord.tones
    #expect((UInt8(0)..<12).filter { tones.contains($0) } == Set(notes.map { UInt8($0) }).sorted(), "\(name)")
    #expect(Int(tones.root) == notes[0] && tones.bass == tones.root && chord.name == name)
  }

  @Test func slashChordHasItsBass() throws {
    let chord = try #require(Chord(named: "D7/F#"))
    #expect(chord.root == 2 && chord.bass == 6 && chord.tones.contains(6))
  }

  @Test(arguments: [
    "", "H", "c", "Cx", "C/", "C/H", "C/e", "C/E/G", "/E", "C##", "Cm7b", "7", "Dm7|", "C maj", "C🎹",
    String(repeating: "C", count: 1_000),
  ])
  func otherTextIsNoChord(name: String) { #expect(Chord(named: name) == nil) }

  /// Every kind of chord has a root (interval 0), at most six different notes, and names of its own.
  @Test func kindsAreDistinct() {
    let names = ChordQuality.all.flatMap(\.names)
    #expect(Set(names).count == names.count)
    for quality in ChordQuality.all {
      let notes = Set(quality.intervals.map { $0 % 12 })
      #expect(quality.intervals[0] == 0 && quality.intervals == quality.intervals.sorted())
      #expect(notes.count == quality.intervals.count && (2...Chord.maximumNotes).contains(notes.count))
      #expect(notes.contains(quality.third) && notes.contains(quality.fifth) && notes.contains(quality.seventh % 12))
    }
  }

  /// Chords divide a bar of 16 steps evenly. A slash continues the chord before it, also from the bar before.
  @Test func chordLineIsDivided() throws {
    let table = try makeTable("chords: C / / G | / Am7 | F | G\nplay: { always: { kick: x... .... .... .... } }")
    // C (0) lasts 12 steps. G (7) lasts 4 steps of the first bar and 8 of the second.
    let roots = (Int64(0)..<64).map { table.chord(at: Step($0))?.root }
    let expected: [UInt8?] = Array(repeating: 0, count: 12) + Array(repeating: 7, count: 12)
    #expect(roots.prefix(24) == expected[...])
    #expect(roots[24..<32].allSatisfy { $0 == 9 } && roots[32..<48].allSatisfy { $0 == 5 } && roots[63] == 7)
    #expect(table.stepCount == 64)
  }

  /// The chords repeat in both directions.
  @Test(arguments: [Int64(-1_000_000_007), -3, -1, 0, 1, 5, 1_000_000_007]) func chordsRepeat(repetition: Int64) throws
  {
    let table = try makeTable("chords: Dm7 | G7 | C\nplay: { always: { kick: x... .... .... .... } }")
    for step in Int64(0)..<48 {
      let chord = table.chord(at: Step(repetition * 48 + step))
      #expect(chord?.root == [2, 7, 0][Int(step / 16)])
    }
    // The pattern has 48 steps. Steps -1 and -33 are steps 47 and 15 of the repetition before step 0.
    #expect(table.chord(at: Step(-1))?.root == 0 && table.chord(at: Step(-33))?.root == 2)
    #expect(table.chord(at: Step(.min)) != nil && table.chord(at: Step(.max)) != nil)
  }

  @Test func rhythmWithoutChordsHasNone() throws {
    #expect(StepTable().chord(at: Step(0)) == nil)
    #expect(try makeTable("play: { always: { kick: x... .... .... .... } }").chord(at: Step(0)) == nil)
  }

  /// The field `chords` and the beginning of the expected message with its line and column. The last case expects one fault with any
  /// message.
  @Test(arguments: [
    ("Dm7 | Hm", "4:15: chords: has the unknown chord \"Hm\"; write Bm; the German note H is B"),
    ("Dm7 | h7", "4:15: chords: has the unknown chord \"h7\"; write B7; the German note H is B"),
    ("Dm7 | g7", "4:15: chords: has the unknown chord \"g7\"; did you mean G7?"),
    ("Dm7 | F#maj7th", "4:15: chords: has the unknown chord \"F#maj7th\"; did you mean F#maj7?"),
    ("Dm7 | Gx", "4:15: chords: has the unknown chord \"Gx\"; write a root from A to G, if needed with # or b"),
    ("Dm7 |  | C", "4:9: chords: has no chord in bar 2; write a chord, or / to continue the last one"),
    ("/ C", "4:9: chords: begins with /; begin with a chord"),
    (
      "C | C F G",
      "4:13: chords: has 3 entries in bar 2, but its 16 steps cannot be divided by 3; "
        + "write one of these numbers of entries: 1, 2, 4, 8; the entry / continues the chord before it"
    ),
    (
      "[Dm7, G7]",
      "4:9: chords: is a list, not a single value; "
        + "write the chords of each bar, such as Dm7 | G7 | Cmaj7 / / Am7; | separates bars"
    ),
    (Array(repeating: "C", count: 17).joined(separator: " | "), "4:9: chords: has 17 bars; write at most 16"),
    (
      Array(repeating: "C C C C", count: 13).joined(separator: " | "), "4:9: chords: has 52 chords; write at most 48"
    ),
    (String(repeating: "|", count: 20_000) + "C", ""),
  ])
  func faultIsReportedWithItsPosition(chords: String, message: String) {
    let found = styleFaults(replacing: [4: "chords: \(chords)"])
    #expect(found.count == 1 && found[0].hasPrefix("small.yaml:" + message), "\(found)")
  }

  /// Each unknown chord is reported once, with its position.
  @Test func allUnknownChordsAreReported() {
    let found = styleFaults(replacing: [4: "chords: X7 Dm | Hm X7 | C Y"])
    #expect(
      found.map { String($0.prefix(15)) } == ["small.yaml:4:9:", "small.yaml:4:17", "small.yaml:4:27"], "\(found)")
    #expect(
      found[0].contains(
        "; write a root from A to G, if needed with # or b, then nothing (major) or one of m, 5, dim, "))
  }
}
