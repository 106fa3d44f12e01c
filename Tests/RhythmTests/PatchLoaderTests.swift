import MusicalTime
import Testing

@testable import Rhythm

/// The reading of patches, and the faults that the loader reports. Most tests replace lines of `smallPatch` (SmallPatch.swift).
@Suite struct PatchLoaderTests {
  /// Layers and lines are in the order of the file. Voices are in the order in which the lines first name them. A line contains the
  /// indices of its voice and of its layer. The line of the fill has no layer.
  @Test func validPatchIsRead() throws {
    let patch = try PatchLoader.patch(from: smallPatch.joined(separator: "\n"), file: "small.yaml")
    #expect(patch.name == "small" && patch.description == "A kick and a hat.")
    #expect(patch.meter == .common && patch.bars == 2 && abs(patch.tempo.bpm - 96.5) < 1e-6 && patch.stepCount == 32)
    #expect(patch.swing == Swing(permille: 600, unit: .sixteenths) && patch.swell == 20 && patch.seed == 0)
    #expect(patch.layerChange == .beat)
    #expect(patch.kit.map(\.name) == ["kick", "boom", "hat", "open hat", "bell"])
    #expect(patch.kit.map(\.note) == [36, 35, 42, 46, 53])
    #expect(patch.groups == ["hats", "bells"] && patch.kit.map(\.group) == [nil, nil, "hats", "hats", "bells"])
    #expect(patch.kit[0].feel == .milliseconds(-3) && patch.kit[2].level == 80)
    #expect(patch.layers.map(\.name) == ["always", "from 64 to 100"])
    #expect(patch.layers.map(\.activity) == [0...127, 64...100])
    #expect(patch.lines.map(\.voice) == [0, 1, 2, 3, 0, 4])
    #expect(patch.lines.map(\.layer) == [0, 0, 1, 1, 1, nil])
    #expect(patch.lines.map(\.replaces) == [false, false, false, false, true, false])
    #expect(patch.lines.map(\.strokesPerQuarter) == [4, 4, 4, 4, 3, 4])
    #expect(patch.lines[3].lowActivityChance == 20 && patch.lines[3].highActivityChance == 80)
    #expect(patch.fill == Fill(period: 8, chance: 60) && patch.lines[5].bars[0].last == .accentedFlam)
    let kick: [Stroke?] = [.accent] + Array(repeating: nil, count: 7) + [.normal] + Array(repeating: nil, count: 7)
    #expect(patch.lines[0].bars[0] == kick)
  }

  /// At least one case for each kind of fault in a complete patch: the number of the replaced line, its new text, and the expected
  /// message, which begins with the line and the column.
  @Test(arguments: [
    (
      13, "    kick: X... .... x... .... | X... .... .... ...",
      "13:11: play.always.kick: has 15 steps in bar 2, but 16 in bar 1; add 1"
    ),
    (
      13, "    kick: X... .... x... .... | X... .... .... .....",
      "13:11: play.always.kick: has 17 steps in bar 2, but 16 in bar 1; remove 1"
    ),
    (
      13, "    kick: X... .",
      "13:11: play.always.kick: has 5 steps in bar 1; "
        + "write 16 (sixteenth notes) or 12 (eighth-note triplets) or 24 (sixteenth-note triplets)"
    ),
    (
      13, "    kick: X... y... x... ....",
      "13:16: play.always.kick: has \"y\" as character 6; "
        + "write . (rest), o (soft), x, X (accent), f or F (flams) for each step; spaces are ignored, and | separates bars"
    ),
    (
      13, "    kick: \"X... y... x... ....\"",
      "13:17: play.always.kick: has \"y\" as character 6; "
        + "write . (rest), o (soft), x, X (accent), f or F (flams) for each step; spaces are ignored, and | separates bars"
    ),
    (
      13, "    kick: [X, x]",
      "13:11: play.always.kick: is a list, not a single value; "
        + "write . (rest), o (soft), x, X (accent), f or F (flams) for each step; spaces are ignored, and | separates bars"
    ),
    (
      14, "    boum: x..x ..x. x..x ..x.",
      "14:5: play.always.boum: is not a drum; did you mean boom? Otherwise define the name in the field kit"
    ),
    (
      14, "    cow bell: x..x ..x. x..x ..x.",
      "14:5: play.always.cow bell: is not a drum; did you mean cowbell? Otherwise define the name in the field kit"
    ),
    (
      14, "    gong: x..x ..x. x..x ..x.",
      "14:5: play.always.gong: is not a drum; "
        + "use a General MIDI name, such as kick, snare or hat, or define the name in the field kit"
    ),
    (5, "swng: 60%", "5:1: swng: is an unknown field; did you mean swing? Otherwise remove it"),
    (
      6, "feel: { hatt: 3 ms }",
      "6:9: feel.hatt: is used by no line; did you mean hat? Otherwise remove this entry"
    ),
    (4, "tempo: 10", "4:8: tempo: is \"10\", not a tempo; write quarter notes per minute, from 20 to 999"),
    (4, "tempo: nan", "4:8: tempo: is \"nan\", not a tempo; write quarter notes per minute, from 20 to 999"),
    (
      3, "meter: 4/3",
      "3:8: meter: is \"4/3\", not a meter; write beats/unit, such as 4/4: 1 to 16 beats, unit 2, 4, 8 or 16"
    ),
    (
      5, "swing: -60%",
      "5:8: swing: is \"-60%\", out of range; "
        + "write 50% (straight) to 75%; to swing eighth notes, add the word `eighths`, such as 66.7% eighths"
    ),
    (
      5, "swing: 60",
      "5:8: swing: is \"60\", not a swing; "
        + "write 50% (straight) to 75%; to swing eighth notes, add the word `eighths`, such as 66.7% eighths"
    ),
    (
      5, "swing: 60% triplets",
      "5:8: swing: is \"60% triplets\", not a swing; "
        + "write 50% (straight) to 75%; to swing eighth notes, add the word `eighths`, such as 66.7% eighths"
    ),
    (6, "feel: { kick: -51 ms }", "6:15: feel.kick: is \"-51 ms\", not a time in range; write -50 ms to +50 ms"),
    (6, "feel: { kick: 3 }", "6:15: feel.kick: is \"3\", not a time in range; write -50 ms to +50 ms"),
    (
      6, "feel: { snare: 3 ms }",
      "6:9: feel.snare: is used by no line; write the name of a drum from play or fill, or remove this entry"
    ),
    (
      7, "level: { hat: 151% }",
      "7:15: level.hat: is \"151%\", not a percentage in range; write a whole percentage from 10% to 150%"
    ),
    (
      9, "  boom: 128",
      "9:9: kit.boom: is \"128\", not a drum; "
        + "write a note number from 0 to 127, or a General MIDI name, such as low kick"
    ),
    (10, "  bell: { group: bells }", "10:9: kit.bell.note: is missing; add it, such as \"note: 36\""),
    (
      10, "  bell: { note: 53, pan: 3 }",
      "10:21: kit.bell.pan: is an unknown field; remove it, or write one of note, group"
    ),
    (9, "  boom%: 53\n  boom: 35", "9:3: kit.boom%: ends with %; choose another name"),
    (9, "  boom!: 53\n  boom: 35", "9:3: kit.boom!: ends with !; choose another name"),
    (9, "  every: 53\n  boom: 35", "9:3: kit.every: is reserved for a setting of the fill; choose another name"),
    (
      15, "  from 128:",
      "15:3: play.from 128: is not the name of a layer; "
        + "write `always`, `from N`, `to N` or `from N to M`, where N and M are activities from 0 to 127"
    ),
    (
      15, "  from 64 to:",
      "15:3: play.from 64 to: is not the name of a layer; "
        + "write `always`, `from N`, `to N` or `from N to M`, where N and M are activities from 0 to 127"
    ),
    (15, "  from 90 to 40:", "15:3: play.from 90 to 40: goes from 90 down to 40; write the smaller number first"),
    (
      17, "    open hat 120%: .... .... .... ..x.",
      "17:5: play.from 64 to 100.open hat 120%: has the invalid chance \"120%\"; "
        + "write a percentage from 0 to 100, such as 30%, or two, such as 20-80%, for low and high activity"
    ),
    (20, "  every: bar", "20:10: fill.every: is \"bar\", not a number of bars in range; write 2 bars to 64 bars"),
    (20, "  every: 1 bars", "20:10: fill.every: is \"1 bars\", not a number of bars in range; write 2 bars to 64 bars"),
    (
      21, "  chanse: 60%",
      "21:3: fill.chanse: is neither a setting of the fill nor a drum; "
        + "did you mean chance? Otherwise define the drum in the field kit"
    ),
    (20, "  from: 40", "20:3: fill.every: is missing; add it, such as \"every: 8 bars\""),
    (
      21, "  chance: 0%",
      "21:11: fill.chance: is \"0%\", not a percentage in range; write a whole percentage from 1% to 100%"
    ),
    (
      2, "name: again",
      "1:1: name: is defined again in line 2; keep one definition"
    ),
    (
      14, "    kick: x..x ..x. x..x ..x.",
      "13:5: kick: is defined again in line 14; "
        + "keep one definition; to keep both lines, change one of the names to `kick 100%`"
    ),
    (
      21, "  bell: .... .... .... xxxF",
      "21:3: bell: is defined again in line 22; "
        + "keep one definition; to keep both lines, change one of the names to `bell 100%`"
    ),
    (
      2, "description: \"\\e[2Jgone\"",
      "2:14: description: has characters that are not printable (\\u{1b}[2Jgone); write plain text on one line"
    ),
    (1, "name: " + String(repeating: "n", count: 41), "1:7: name: has 41 characters; write 1 to 40 characters"),
    // One character: a letter with 160 combining accents.
    (
      1, "name: n" + String(repeating: "\u{301}", count: 160),
      "1:7: name: has 161 Unicode scalars, more than the limit of 160; write fewer combining accents"
    ),
  ])
  func faultIsReportedWithItsPosition(line: Int, text: String, message: String) {
    let found = faults(replacing: [line: text])
    #expect(found == ["small.yaml:" + message])
  }

  /// The number of the removed line, and the expected message. The reported position is the beginning of the patch.
  @Test(arguments: [
    (1, "1:1: name: is missing; add it, such as \"name: street\""),
    (4, "1:1: tempo: is missing; add it, such as \"tempo: 100\""),
  ])
  func missingFieldIsReportedWithAnExample(line: Int, message: String) {
    #expect(faults(replacing: [line: ""]) == ["small.yaml:" + message])
  }

  @Test func optionalFieldsHaveDefaults() throws {
    let text = "name: a\ntempo: 100\nplay: { always: { kick: X... X... X... X... } }"
    let patch = try PatchLoader.patch(from: text, file: "a.yaml")
    #expect(patch.description == "")
    #expect(patch.meter == .common && patch.bars == 1 && patch.swing == .straight && patch.fill == nil)
  }

  @Test func unknownFieldIsReportedWithTheKnownFields() {
    #expect(
      faults(replacing: [4: "tempo: 96\nlength: 2"]) == [
        "small.yaml:5:1: length: is an unknown field; remove it, or write one of "
          + "name, description, tempo, play, meter, beats, swing, swell, change, seed, kit, feel, level, fill, chords, parts"
      ])
  }

  /// One wrong meter makes all lines wrong. Only three of the lines are reported in full.
  @Test func manyLinesOfTheWrongLengthAreReportedTogether() {
    let lines = ["kick", "snare", "hat", "clap", "ride", "crash"].map { "\($0): x... x... x... x..." }
    let found = faults(
      "name: a\nmeter: 3/4\ntempo: 100\nplay:\n  always:\n" + lines.map { "    \($0)\n" }.joined())
    #expect(found.count == 3)
    let remedy = "write 12 (sixteenth notes) or 9 (eighth-note triplets) or 18 (sixteenth-note triplets)"
    #expect(found.first == "small.yaml:6:11: play.always.kick: has 16 steps in bar 1; \(remedy)")
    #expect(
      found.last == "small.yaml:8:10: play.always.hat: has 16 steps in bar 1; \(remedy); "
        + "and 3 more errors of this kind: check the field meter, which is 3/4")
  }

  @Test func faultsAreReportedInTheOrderOfTheFile() {
    let found = faults(replacing: [
      3: "meter: four", 9: "  boom: x", 13: "    kick: X-", 15: "  from 200:", 21: "  chance: often",
    ])
    // A message has the form "file:line:column: ...". Without a meter, the strokes are not checked.
    #expect(found.map { $0.split(separator: ":")[1] } == ["3", "9", "15", "21"])
  }

  /// A fault of the meter, of the kit or of the name of a layer also affects the lines. The loader does not report faults of lines that
  /// only result from such a fault.
  @Test func oneFaultCausesNoFurtherFaults() {
    #expect(faults(replacing: [3: "meter: four"]).count == 1)
    #expect(faults(replacing: [9: "  boom: x"]).count == 1)
    #expect(faults(replacing: [15: "  sometimes:"]).count == 1)
  }

  /// A file without a mapping: an empty one, and a list.
  @Test func emptyFileIsReported() {
    for text in ["", "\n\n", "# only a comment\n", "\u{FEFF}"] {
      #expect(faults(text) == ["small.yaml:1:1: is empty; write a patch: name, tempo and play"])
    }
    let fields =
      "name, description, tempo, play, meter, beats, swing, swell, change, seed, kit, feel, level, fill, chords, parts"
    #expect(
      faults("\n- a\n- b") == [
        "small.yaml:2:1: is a list, not a mapping of names to values; write the fields \(fields)"
      ])
  }

  /// A file of a Windows editor: with a byte order mark, and with the line end CR LF.
  @Test func byteOrderMarkIsIgnored() {
    #expect(faults("\u{FEFF}" + smallPatch.joined(separator: "\r\n")) == [])
  }

  @Test func emptyCollectionsAreReported() {
    let head = Array(smallPatch[..<4])
    #expect(
      faults((head + ["play: {}"]).joined(separator: "\n")) == ["small.yaml:5:7: play: has no layers; write 1 to 32"])
    #expect(
      faults((head + ["play: { always: {} }"]).joined(separator: "\n")) == [
        "small.yaml:5:17: play.always: has no lines; write one line per drum, such as \"kick: X... X... X... X...\""
      ])
  }

  /// Two names of one note are one voice. The voice has the default cut-off group of its note.
  @Test func namesOfOneNoteAreOneVoice() throws {
    let patch = try PatchLoader.patch(
      from: """
        name: a
        description: b
        tempo: 100
        play:
          always: { hat: x... x... x... x... }
          from 64: { closed hi-hat!: xxxx xxxx xxxx xxxx }
        """, file: "a.yaml")
    #expect(patch.kit.count == 1 && patch.kit[0].group == "hats" && patch.lines.map(\.voice) == [0, 0])
  }
}
