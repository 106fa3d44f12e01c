import MusicalTime
import Testing

@testable import Rhythm

/// The reading of instruments, and the faults that the loader reports.
@Suite struct InstrumentLoaderTests {
  /// The fields of `smallInstrument` (SmallInstrument.swift). Program 46, counted from 0, is the harp, and the keys 50 to 86 are D3 to
  /// D6. A quarter note has 24 ticks, so 1/8 triplets has 8 ticks and 1/2 has 48.
  @Test func validInstrumentIsRead() throws {
    let instrument = try InstrumentLoader.instrument(
      from: smallInstrument.joined(separator: "\n"), file: "small.yaml")
    #expect(instrument.name == "small" && instrument.description == "A harp.")
    #expect(instrument.program == 46 && instrument.sound == "harp")
    #expect(instrument.scale == Scale(tonic: 2, type: .minorPentatonic) && instrument.range == 50...86)
    #expect(instrument.figure?.text == "X.3xo.5xx.3." && instrument.figure?.noteCount == 8)
    #expect(instrument.pitch == ControlMapping(.tiltForward, from: 100, to: 10))
    #expect(instrument.density == ControlMapping(.activity))
    #expect(instrument.brightness == ControlMapping(.tiltSideways))
    #expect(instrument.loudness == ControlMapping(.force, from: 40, to: 110))
    #expect(instrument.quantizer.grid.ticks == 8 && instrument.quantizer.tolerance == 30)
    #expect(instrument.length.ticks == 48)
  }

  /// By default, the grid is 1/16 (6 ticks), and a note is as long as a unit of the grid.
  @Test func omittedFieldsHaveDefaults() throws {
    let instrument = try makeInstrument("scale: C major, C4..C5")
    #expect(instrument.figure == nil && instrument.brightness == nil)
    #expect(instrument.pitch == ControlMapping(.tiltForward) && instrument.loudness == ControlMapping(.force))
    #expect(instrument.quantizer.grid.ticks == 6 && instrument.quantizer.tolerance == 40)
    #expect(instrument.length.ticks == 6 && instrument.density == ControlMapping(constant: 127))
  }

  /// One case for each kind of fault: the number of the replaced line, its new text, and the beginning of the message with
  /// the line and the column.
  @Test(arguments: [
    (
      3, "sound: hrap", "3:8: sound: is \"hrap\", not a sound of General MIDI; write a General MIDI sound, such as harp"
    ),
    (
      3, "sound: bad guitar",
      "3:8: sound: is \"bad guitar\", not a sound of General MIDI; write a General MIDI sound, such as nylon guitar, "
        + "steel guitar"
    ),
    (3, "sound: [harp]", "3:8: sound: is a list, not a single value; write a General MIDI sound"),
    (3, "", "1:1: sound: is missing; add it, such as \"sound: harp\""),
    (4, "", "1:1: scale: is missing; add it, such as \"scale: D minor pentatonic, D3..D6\""),
    (
      4, "scale: D minor pentatonic",
      "4:8: scale: is \"D minor pentatonic\", which does not have exactly one range of keys; write a scale"
    ),
    (
      4, "scale: D, D3..D6", "4:8: scale: is \"D\", without a kind of scale; write D and one of major, minor, dorian"
    ),
    (
      4, "scale: D minorr, D3..D6", "4:8: scale: has \"minorr\" as the kind of scale; write one of major, minor, dorian"
    ),
    (4, "scale: H minor, D3..D6", "4:8: scale: has \"H\" as the tonic; begin with a note name"),
    (4, "scale: harmonic minor, D3..D6", "4:8: scale: is \"harmonic minor\", without a tonic; begin with a note name"),
    (4, "scale: D minor, D6..D3", "4:17: scale: has the empty range D6..D3; write the lower key first"),
    (4, "scale: D minor, D3-D6", "4:17: scale: has the invalid range \"D3-D6\"; write two keys from C-1 to G9"),
    (4, "scale: D minor, D3..A9", "4:17: scale: has the invalid range \"D3..A9\"; write two keys from C-1 to G9"),
    (4, "scale: C major, C#4..C#4", "4:17: scale: has no note of C major in the range C#4..C#4; write a larger range"),
    (5, "figure: x.y.", "5:11: figure: has \"y\" as character 3; write . (rest), o (soft), x, X (accent), or 1 to 9"),
    (5, "figure: x.f.", "5:11: figure: has \"f\" as character 3; write . (rest), o (soft), x, X (accent), or 1 to 9"),
    (5, "figure: x.0.", "5:11: figure: has \"0\" as character 3; write . (rest), o (soft), x, X (accent), or 1 to 9"),
    (5, "figure: .... ....", "5:9: figure: has no notes; write at least one note, or remove the figure"),
    (5, "figure: \" \"", "5:9: figure: has 0 units of the grid; write 1 to 64; the figure repeats by itself"),
    (5, "", "6:10: density: has no effect without a figure; add the field figure, or remove density"),
    (6, "pitch: tilt", "6:8: pitch: is \"tilt\", not a control; write one of tilt forward, tilt sideways, force"),
    (6, "pitch: 64", "6:8: pitch: is \"64\", not a control; write one of tilt forward"),
    (6, "pitch: controller 120", "6:8: pitch: is \"controller 120\", not a control; write one of tilt forward"),
    (6, "pitch: key, 0..127", "6:13: pitch: has a range after `key`; write `key` without a range"),
    (8, "brightness: key", "8:13: brightness: is \"key\", not a control; write one of tilt forward"),
    (
      9, "loudness: force, 40..128", "9:18: loudness: has the invalid range \"40..128\"; write two values from 0 to 127"
    ),
    (9, "loudness: 128", "9:11: loudness: is \"128\", not a control; write one of tilt forward"),
    (9, "loudness: -1", "9:11: loudness: is \"-1\", not a control; write one of tilt forward"),
    (10, "grid: 1/16, late -5%", "10:13: grid: has a tolerance of -5%, out of range; write `late 0%` to `late 100%`"),
    (10, "grid: 1/16, late 101%", "10:13: grid: has a tolerance of 101%, out of range; write `late 0%` to `late 100%`"),
    (10, "grid: 1/16, early 5%", "10:13: grid: has the invalid tolerance \"early 5%\"; write a note value"),
    (10, "grid: 1/64", "10:7: grid: has \"1/64\" as a note value; write one of 1/4, 1/8, 1/16, 1/32, with or without"),
    (10, "grid: 1/2", "10:7: grid: has \"1/2\" as a note value; write one of 1/4, 1/8, 1/16, 1/32, with or without"),
    (11, "length: 0", "11:9: length: has \"0\" as a note value; write one of 1/1, 1/2, 1/4, 1/8, 1/16, 1/32"),
    (11, "tempo: 100", "11:1: tempo: is an unknown field; remove it, or write one of name, description, sound"),
    (
      11, "sound: piano",
      "3:1: sound: is defined again in line 11; keep one definition"
    ),
  ])
  func faultHasItsPosition(line: Int, text: String, message: String) {
    let found = instrumentFaults(replacing: [line: text])
    #expect(found.count == 1 && found[0].hasPrefix("small.yaml:" + message), "\(found)")
  }

  @Test func allFaultsAreReportedAtOnce() {
    let found = instrumentFaults(replacing: [
      3: "sound: none", 4: "scale: X major, Z1..Z2", 5: "figure: y", 10: "grid: 1/5, late x%", 11: "length: long",
    ])
    // The scale has two faults (tonic and range), and so has the grid (note value and tolerance). Each other field has one.
    #expect(found.count == 7, "\(found)")
  }

  @Test func longFiguresAreRejected() {
    let full = String(repeating: "x", count: 64)
    #expect(instrumentFaults(replacing: [5: "figure: \(full)"]) == [])
    #expect(
      instrumentFaults(replacing: [5: "figure: \(full)x"])
        == ["small.yaml:5:9: figure: has 65 units of the grid; write 1 to 64; the figure repeats by itself"])
    let hostile = String(repeating: "x", count: 10_000)
    #expect(
      instrumentFaults(replacing: [5: "figure: \(hostile)"])
        == ["small.yaml:5:9: figure: has 10000 units of the grid; write 1 to 64; the figure repeats by itself"])
  }

  @Test func hostileTextIsRejected() {
    #expect(
      instrumentFaults("a: &a x\nb: *a") == [
        "small.yaml:2:4: has the alias *a, which is not allowed; write its value instead"
      ])
    #expect(
      instrumentFaults("") == ["small.yaml:1:1: is empty; write a patch: name, sound and scale"])
    #expect(instrumentFaults(String(repeating: "[", count: 5_000)).count == 1)
    #expect(
      instrumentFaults(String(repeating: "#", count: PatchLoader.maximumBytes + 1))[0].contains(
        "has more than 262144 bytes; write a shorter patch"))
  }

  /// A file with the field `play` is a rhythm. A text that cannot be read counts as a rhythm too.
  @Test func kindOfAFileIsRecognized() throws {
    #expect(PatchFile.kind(of: smallInstrument.joined(separator: "\n")) == .instrument)
    #expect(PatchFile.kind(of: smallPatch.joined(separator: "\n")) == .rhythm)
    #expect(PatchFile.kind(of: "scale: D minor, D3..D6\nplay: {}") == .rhythm)
    #expect(PatchFile.kind(of: "") == .rhythm && PatchFile.kind(of: "[") == .rhythm)
    #expect(try PatchFile(from: smallInstrument.joined(separator: "\n"), file: "small.yaml").name == "small")
    #expect(try PatchFile(from: smallPatch.joined(separator: "\n"), file: "small.yaml").name == "small")
  }

  /// The faults of a file are those that the loader of its kind reports. A file with two documents, with invalid YAML or without a mapping
  /// is reported as a rhythm.
  @Test(arguments: [
    "", "[", "- sound", "sound: harp\n---\nscale: C major, C4..C5", "sound: &a harp\nscale: *a", "name: x\nsound: none",
    "name: x\nsound: harp\nplay: 1", "sound: harp\nsound: harp", "\u{FEFF}scale: X major, D6..D3\r\nfigure: y\r\n",
    String(repeating: "sound: harp\n", count: 30_000),
  ])
  func faultsOfAFileAreThoseOfItsLoader(text: String) throws {
    let found = try #require(throws: PatchError.self) { try PatchFile(from: text, file: "small.yaml") }
    let expected = try #require(throws: PatchError.self) {
      switch PatchFile.kind(of: text) {
      case .rhythm: _ = try PatchLoader.patch(from: text, file: "small.yaml")
      case .instrument: _ = try InstrumentLoader.instrument(from: text, file: "small.yaml")
      }
    }
    #expect(found == expected)
  }
}
