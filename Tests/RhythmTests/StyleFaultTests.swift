import MusicalTime
import Testing

@testable import Rhythm

/// The faults of styles that the loader reports. Most tests replace lines of `smallStyle` (SmallStyle.swift).
@Suite struct StyleFaultTests {
  @Test func smallStyleIsValid() { #expect(styleFaults() == []) }

  /// The number of the replaced line, its new text, and the expected message, which begins with the line and the column.
  @Test(arguments: [
    (
      8, "  banjo:",
      "8:3: parts.banjo: is not a part; write bass, guitar or keys, each with its lines in layers"
    ),
    (
      9, "    sound: fretless",
      "9:12: parts.bass.sound: is \"fretless\", not a sound of General MIDI; "
        + "write a General MIDI sound, such as fretless bass"
    ),
    (
      10, "    range: E1..D2",
      "10:12: parts.bass.range: has 11 keys, so some notes of the chords are outside of it; "
        + "write a range of at least an octave, such as C3..B3"
    ),
    (
      10, "    range: E1..E1",
      "10:12: parts.bass.range: has 1 key, so some notes of the chords are outside of it; "
        + "write a range of at least an octave, such as C3..B3"
    ),
    (
      10, "    range: C3..E1",
      "10:12: parts.bass.range: has the empty range C3..E1; write the lower key first"
    ),
    (
      10, "    range: low",
      "10:12: parts.bass.range: has the invalid range \"low\"; "
        + "write two keys from C-1 to G9, such as D3..D6; C4 is middle C"
    ),
    (
      11, "    level: loud",
      "11:12: parts.bass.level: is \"loud\", not a percentage in range; write a whole percentage from 10% to 150%"
    ),
    (12, "    feel: 3 s", "12:11: parts.bass.feel: is \"3 s\", not a time in range; write -50 ms to +50 ms"),
    (
      13, "    sometimes:",
      "13:5: parts.bass.sometimes: is neither a field nor a layer of a part; write sound, range, level, feel, or a layer: "
        + "`always`, `from N`, `to N` or `from N to M`, where N and M are activities from 0 to 127"
    ),
    (
      12, "    fell: 3 ms",
      "12:5: parts.bass.fell: is neither a field nor a layer of a part; write sound, range, level, feel, or a layer: "
        + "`always`, `from N`, `to N` or `from N to M`, where N and M are activities from 0 to 127"
    ),
    (
      14, "      kick: X--- ..x- X--- ....",
      "14:7: parts.bass.always.kick: is not the name of a line; "
        + "write one of root, third, fifth, seventh, octave, approach, chord"
    ),
    (
      14, "      root: X--- ..f- X--- ....",
      "14:20: parts.bass.always.root: has \"f\" as character 8; write . (rest), o (soft), x, X (accent) or - (hold) for each step; "
        + "spaces are ignored, | separates bars, and only drums have flams"
    ),
    (
      14, "      root: X--. -.x- X--- ....",
      "14:18: parts.bass.always.root: has - (hold) as character 6, but no note before it; "
        + "write o, x or X before it, or . (rest) instead of it"
    ),
    (
      14, "      root: --.. ..x- X--- ....",
      "14:13: parts.bass.always.root: has - (hold) as character 1, but no note before it; "
        + "write o, x or X before it, or . (rest) instead of it"
    ),
    (
      14, "      root: ---- ---- ---- ----",
      "14:13: parts.bass.always.root: has - (hold) as character 1, but no note before it; "
        + "write o, x or X before it, or . (rest) instead of it"
    ),
    (
      14, "      root: X--- ..x- X--- ...",
      "14:13: parts.bass.always.root: has 15 steps in bar 1; "
        + "write 16 (sixteenth notes) or 12 (eighth-note triplets) or 24 (sixteenth-note triplets)"
    ),
    (
      14, "      root: X--- ..x- X--- .... | X",
      "14:13: parts.bass.always.root: has 1 step in bar 2, but 16 in bar 1; add 15"
    ),
    (
      16, "      fifth! 20-180%: .... ..x. .... ...x",
      "16:7: parts.bass.from 60 to 90.fifth! 20-180%: has the invalid chance \"20-180%\"; "
        + "write a percentage from 0 to 100, such as 30%, or two, such as 20-80%, for low and high activity"
    ),
    (
      18, "    level: 90%",
      "18:5: parts.keys: has no layers; write 1 to 32 layers, such as \"always: { root: X... .... X... .... }\""
    ),
  ])
  func faultIsReportedWithItsPosition(line: Int, text: String, message: String) {
    var lines = [line: text]
    // Line 19 belongs to the layer in line 18, so the test removes line 19 too.
    if line == 18 { lines[19] = "" }
    #expect(styleFaults(replacing: lines) == ["small.yaml:" + message])
  }

  @Test func partsNeedChords() {
    #expect(
      styleFaults(replacing: [4: ""]) == [
        "small.yaml:7:3: parts: has no chords to play; add the field chords, such as \"chords: Dm7 | G7\""
      ])
  }

  /// Faults of the chords, the parts and the lines are reported together, in the order of the file.
  @Test func allFaultsAreReportedAtOnce() {
    // Line 4 has two unknown chords. Line 16 has an unknown name and a wrong number of steps. Each other line has one fault.
    let found = styleFaults(replacing: [
      3: "tempo: fast", 4: "chords: Dm7 | X | Y", 9: "    sound: zither", 10: "    range: E1..F1",
      14: "      root: X--f",
      16: "      sixth: x", 19: "      chord: -..- .... ..x- ....",
    ])
    #expect(
      found.map { $0.split(separator: ":")[1] } == ["3", "4", "4", "9", "10", "14", "16", "16", "19"], "\(found)")
  }

  /// A fault of the meter or of the chords is not repeated by the parts.
  @Test func oneFaultCausesNoFurtherFaults() {
    #expect(styleFaults(replacing: [3: "tempo: 120\nmeter: four"]).count == 1)
    #expect(styleFaults(replacing: [4: "chords: H"]).count == 1)
    #expect(styleFaults(replacing: [4: "chords: {}"]).count == 1)
  }

  @Test func collectionsOfTheWrongKindAreReported() {
    let head = smallStyle[..<6].joined(separator: "\n") + "\n"
    for parts in ["x", "[bass]", "{ bass: x }", "{ bass: [a] }", "{ bass: { always: x } }", "{}", "{ bass: {} }"] {
      #expect(faults(head + "parts: \(parts)").count == 1, "\(parts)")
    }
    #expect(faults(head + "parts: { bass: { always: {} } }").count == 1)
  }

  /// Hostile chords are rejected with few faults and short messages. A message quotes only the beginning of a long text.
  @Test func hostileChordsAreReported() {
    let long = String(repeating: "C", count: 100_000)
    let found = styleFaults(replacing: [4: "chords: \(long)"])
    #expect(found.count == 1 && found[0].count < 500 && found[0].contains("CCC...\""))
    #expect(styleFaults(replacing: [4: "chords: " + String(repeating: "C ", count: 50_000)]).count == 1)
    #expect(styleFaults(replacing: [4: "chords: C" + String(repeating: "|C", count: 50_000)]).count == 1)
    #expect(styleFaults(replacing: [4: "chords: \"\\e[31mC\""]).allSatisfy { !$0.contains("\u{1b}") })
    #expect(styleFaults(replacing: [4: "chords: &c C | *c"]).count == 1)
    let unknown = (0..<16).map { bar in (0..<16).map { "X\(16 * bar + $0)" }.joined(separator: " ") }
    // The loader reports 50 faults of a file.
    #expect(
      styleFaults(replacing: [4: "chords: " + unknown.joined(separator: " | ")]).count == PatchError.maximumFaults)
  }

  @Test func linesOfAPartAreLimitedTo16() {
    let lines = (0..<17).map { "    from \($0): { root: x... .... .... .... }\n" }
    let text = smallStyle[..<8].joined(separator: "\n") + "\n"
    #expect(faults(text + lines.dropLast().joined()) == [])
    #expect(
      faults(text + lines.joined()) == [
        "small.yaml:9:5: parts.bass: has 17 lines, more than the limit of 16; join some of them"
      ])
  }

  /// The limit of strokes includes the strokes of the parts. The limit of bars includes the lines of the parts and the chord line.
  @Test func limitsIncludeTheParts() {
    let bar = "x... .... .... ...."
    let seven = Array(repeating: bar, count: 7).joined(separator: " | ")
    let found = styleFaults(replacing: [4: "chords: C | F | G", 14: "      root: \(seven)"])
    #expect(found.count == 1 && found[0].contains("needs 21 bars until all lines, parts and chords repeat together"))
    let eight = Array(repeating: bar, count: 8).joined(separator: " | ")
    let part = "    always:\n" + (0..<16).map { "      root \(100 - $0)%: \(eight)\n" }.joined()
    let text = smallStyle[..<7].joined(separator: "\n") + "\n"
    // Two parts with 16 lines of 8 bars of 16 steps have 4096 strokes and rests. The drums have 16 more.
    let parts = "  bass:\n\(part)  guitar:\n\(part)"
    #expect(
      faults(text + parts).first?.contains(
        "has 4112 strokes and rests, including the parts, more than the limit of 4096") == true)
  }

  /// The style with the most lines can be played: all lines of all parts begin their notes at the same ticks, and all notes are
  /// held.
  @Test func largestStyleIsPlayed() throws {
    let line = String(repeating: "x--", count: 8)
    func part(_ name: String, _ tone: String) -> String {
      "  \(name):\n    always:\n" + (0..<16).map { "      \(tone)! \(100 - $0)%: \(line)\n" }.joined()
    }
    let text =
      smallStyle[..<7].joined(separator: "\n") + "\n" + part("bass", "root") + part("guitar", "chord")
      + part("keys", "chord")
    let table = StepTable(try PatchLoader.patch(from: text, file: "a.yaml"))
    for step in Int64(0)..<64 {
      for hit in table.hits(at: Step(step), activity: 127) where hit.part != .drums {
        #expect(Int64(hit.end) * 1000 > hit.position && hit.note < 128)
      }
    }
  }
}
