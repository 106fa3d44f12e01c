import MusicalTime
import Rhythm
import Testing

/// The faults that the loader reports. Most tests replace lines of `smallPatch` (SmallPatch.swift).
@Suite struct PatchLoaderTests {
  @Test func validPatchIsRead() throws {
    let patch = try PatchLoader.patch(from: smallPatch.joined(separator: "\n"), file: "small.yaml")
    #expect(patch.name == "small" && patch.description == "A kick and a hat.")
    #expect(patch.meter == .common && patch.bars == 1 && abs(patch.tempo.bpm - 96.5) < 1e-6 && patch.stepCount == 16)
    #expect(patch.kit.map(\.name) == ["kick", "closed", "open"] && patch.kit.map(\.note) == [36, 42, 46])
    #expect(patch.groups == ["hats"] && patch.kit.map(\.group) == [nil, "hats", "hats"])
    #expect(patch.layers.map(\.name) == ["low", "high"])
    #expect(patch.layers.map(\.activity) == [0...127, 64...100])
    // The second layer plays voices 1 and 2 of the kit.
    #expect(patch.layers[1].tracks.map(\.voice) == [1, 2])
    let kick: [Dynamic?] = [.accent] + Array(repeating: nil, count: 7) + [.normal] + Array(repeating: nil, count: 7)
    #expect(patch.layers[0].tracks[0].strokes == kick)
  }

  /// One case for each kind of fault: the number of the replaced line, its new text, and the expected message, which
  /// begins with the number of the reported line.
  @Test(arguments: [
    (14, "      kick: X... .... | x... ...", "14: layers[0].steps.kick: has 15 steps, the pattern has 16; add 1"),
    (19, "      open: .... .... .... ..x...", "19: layers[1].steps.open: has 18 steps, the pattern has 16; remove 2"),
    (
      14, "      kick: X... .... | x... ...y",
      "14: layers[0].steps.kick: has \"y\" as character 21; "
        + "write ., o, x or X for each step; spaces and | are ignored"
    ),
    (
      14, "      kick: [X, x]",
      "14: layers[0].steps.kick: is a list, not a single value; "
        + "write ., o, x or X for each step; spaces and | are ignored"
    ),
    (
      19, "      ride: .... .... .... ..x.",
      "19: layers[1].steps.ride: is not a voice of the kit; add it to kit or use a voice of the kit"
    ),
    (5, "tempo: 10", "5: tempo: is \"10\", not a tempo; write quarter notes per minute, from 20 to 999"),
    (5, "tempo: fast", "5: tempo: is \"fast\", not a tempo; write quarter notes per minute, from 20 to 999"),
    (5, "tempo: nan", "5: tempo: is \"nan\", not a tempo; write quarter notes per minute, from 20 to 999"),
    (
      3, "meter: 4/3",
      "3: meter: is \"4/3\", not a meter; write beats/unit, such as 4/4: 1 to 16 beats, unit 2, 4, 8 or 16"
    ),
    (
      3, "meter: 16/2",
      "3: meter: gives bars of 128 steps, more than the limit of 64; write fewer beats, or a shorter unit, such as 4 instead of 2"
    ),
    (4, "bars: 0", "4: bars: is 0, out of range; write a whole number from 1 to 4"),
    (4, "bars: 1.5", "4: bars: is \"1.5\", not a whole number in range; write a whole number from 1 to 4"),
    (
      4, "bars: 99999999999999999999",
      "4: bars: is \"99999999999999999999\", not a whole number in range; write a whole number from 1 to 4"
    ),
    (4, "bars:", "4: bars: is empty; write a whole number from 1 to 4"),
    (7, "  kick: { note: 128 }", "7: kit.kick.note: is 128, out of range; write a whole number from 0 to 127"),
    (7, "  kick: { note: -1 }", "7: kit.kick.note: is -1, out of range; write a whole number from 0 to 127"),
    (7, "  kick: { group: bass }", "7: kit.kick.note: is missing; add it, such as \"note: 36\""),
    (7, "  kick: 36", "7: kit.kick: is a single value, not a mapping of names to values; write the fields note, group"),
    (
      7, "  kick: { note: 36, pan: 3 }",
      "7: kit.kick.pan: is an unknown field; remove it, or write one of note, group"
    ),
    (
      8, "  closed: { note: 42, group: [] }",
      "8: kit.closed.group: is a list, not a single value; write 1 to 40 characters"
    ),
    (
      9, "  open: { note: 42, group: hats }",
      "9: kit.open.note: is 42, the same as that of closed; give each voice its own note"
    ),
    (12, "    activity: [0, 128]", "12: layers[0].activity: is 128, out of range; write a whole number from 0 to 127"),
    (12, "    activity: [90, 40]", "12: layers[0].activity: goes from 90 down to 40; write the smaller number first"),
    (
      12, "    activity: [1, 2, 3]",
      "12: layers[0].activity: has 3 numbers; write [from, to], or only [from] for all values up to 127"
    ),
    (
      12, "    activity: 7",
      "12: layers[0].activity: is a single value, not a list; write [from, to], or only [from] for all values up to 127"
    ),
    (
      15, "  - name: low",
      "15: layers[1].name: is \"low\", the name of an earlier layer; give each layer its own name"
    ),
    (9, "  closed: { note: 46 }", "8: closed: is defined more than once, first here; keep one definition"),
    (2, "name: again", "1: name: is defined more than once, first here; keep one definition"),
    (
      2, "description: \"\\e[2Jgone\"",
      "2: description: has characters that are not printable (\\u{1b}[2Jgone); write plain text on one line"
    ),
    (1, "name: " + String(repeating: "n", count: 41), "1: name: has 41 characters; write 1 to 40 characters"),
  ])
  func faultIsReportedWithItsLine(line: Int, text: String, message: String) {
    let found = faults(replacing: [line: text])
    // A renamed or duplicated voice also causes faults in the layers: the test checks the first fault.
    #expect(found.first == "small.yaml:" + message, "\(found)")
  }

  /// The number of the removed line, and the expected message. The reported line is that in which the mapping begins
  /// from which the field is missing: the patch in line 1, and the first layer in line 11.
  @Test(arguments: [
    (2, "1: description: is missing; add it, such as \"description: A straight groove.\""),
    (3, "1: meter: is missing; add it, such as \"meter: 4/4\""),
    (4, "1: bars: is missing; add it, such as \"bars: 1\""),
    (5, "1: tempo: is missing; add it, such as \"tempo: 100\""),
    (12, "11: layers[0].activity: is missing; add it, such as \"activity: [0, 127]\""),
  ])
  func missingFieldIsReportedWithAnExample(line: Int, message: String) {
    #expect(faults(replacing: [line: ""]) == ["small.yaml:" + message])
  }

  /// Without the name and with a comment in its line, the patch begins in line 2.
  @Test func missingNameIsReportedWithAnExample() {
    #expect(
      faults(replacing: [1: "# no name"]) == ["small.yaml:2: name: is missing; add it, such as \"name: street\""])
  }

  @Test func unknownFieldIsReportedWithTheKnownFields() {
    let found = faults(replacing: [5: "tempo: 96\nswing: 60"])
    #expect(
      found == [
        "small.yaml:6: swing: is an unknown field; "
          + "remove it, or write one of name, description, meter, bars, tempo, kit, layers"
      ])
  }

  @Test func faultsAreReportedInTheOrderOfTheFile() {
    let found = faults(replacing: [
      3: "meter: four", 7: "  kick: { note: x }", 14: "      kick: X-", 16: "    activity: [200]", 19: "      ride: x",
    ])
    // A message has the form "file:line: ...".
    #expect(found.map { $0.split(separator: ":")[1] } == ["3", "7", "14", "16", "19"])
  }

  /// A fault of the meter, the kit or a voice also makes lines invalid that depend on it. These lines are not reported.
  @Test func oneFaultCausesNoFurtherFaults() {
    #expect(faults(replacing: [3: "meter: four"]).count == 1)
    #expect(faults(replacing: [6: "kit: none", 7: "", 8: "", 9: ""]).count == 1)
    #expect(faults(replacing: [7: "  kick: { note: x }"]).count == 1)
  }

  @Test func emptyFileIsReported() {
    for text in ["", "\n\n", "# only a comment\n", "\u{FEFF}"] {
      #expect(
        faults(text) == [
          "small.yaml:1: is empty; write a patch: name, description, meter, bars, tempo, kit and layers"
        ])
    }
    let fields = "write the fields name, description, meter, bars, tempo, kit, layers"
    #expect(faults("---\n") == ["small.yaml:1: is empty, not a mapping of names to values; \(fields)"])
    #expect(faults("\n- a\n- b") == ["small.yaml:2: is a list, not a mapping of names to values; \(fields)"])
  }

  @Test func byteOrderMarkIsIgnored() {
    #expect(faults("\u{FEFF}" + smallPatch.joined(separator: "\r\n")) == [])
  }

  @Test func emptyCollectionsAreReported() {
    #expect(
      faults(replacing: [6: "kit: {}", 7: "", 8: "", 9: ""]) == ["small.yaml:6: kit: has 0 voices; write 1 to 32"])
    let head = Array(smallPatch[..<9])
    #expect(
      faults((head + ["layers: []"]).joined(separator: "\n")) == ["small.yaml:10: layers: has 0 layers; write 1 to 32"])
    let empty = head + ["layers:", "  - { name: a, activity: [0], steps: {} }"]
    #expect(
      faults(empty.joined(separator: "\n")).first?.hasPrefix("small.yaml:11: layers[0].steps: has no voices; ") == true)
  }
}
